"""Looking into a text or a file of any size: pure parts, and one widget around them."""
