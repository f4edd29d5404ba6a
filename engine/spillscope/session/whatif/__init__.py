"""What other limits would have done to a session (spec R3, R4). `compare.WhatIf` asks, `comparison.Comparison` answers."""
