"""For all tests: `pytester`, which runs pytest in a folder of its own."""

pytest_plugins = ["pytester"]
