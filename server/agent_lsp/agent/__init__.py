"""The kitchen: the loop, pure orchestration over ports; no I/O, nothing that outlives a turn."""
