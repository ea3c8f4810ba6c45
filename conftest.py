"""For all tests: `pytester`, which runs pytest in a folder of its own; and nothing of the torch half without torch."""

import importlib.util

pytest_plugins = ["pytester"]

collect_ignore = ["gpu"] if importlib.util.find_spec("torch") is None else []
