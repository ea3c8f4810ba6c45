"""For all tests: `pytester`, which runs pytest in a folder of its own; and nothing of the torch half without torch."""

import importlib.util

pytest_plugins = ["pytester"]

WITH_TORCH = ["gpu/*", "tests/gpu/*", "tests/benchmarks/throughput_table.py"]

collect_ignore_glob = WITH_TORCH if importlib.util.find_spec("torch") is None else []
