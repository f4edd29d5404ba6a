"""Benchmarks: what the engine costs, as ratios that hold on any machine. Run by `make bench`."""
