"""Without nbclient and its companions the tests are skipped, and nothing else here can be imported."""

from importlib.util import find_spec

PACKAGES = ("nbclient", "nbformat", "ipykernel", "matplotlib", "numba")

collect_ignore = [] if all(map(find_spec, PACKAGES)) else ["execution.py", "write.py"]
