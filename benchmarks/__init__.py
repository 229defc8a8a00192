"""Speed and load: `python -m benchmarks.<name>`."""
