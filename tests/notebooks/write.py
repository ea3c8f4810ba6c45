"""Run notebooks and write their outputs: python -m tests.notebooks.write [01 05 ...]; without numbers, all of them."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.notebooks.execution import NOTEBOOKS, executed, write


def main(numbers: list[str]) -> None:
    for path in NOTEBOOKS:
        if not numbers or path.name[:2] in numbers:
            with tempfile.TemporaryDirectory() as home:
                write(executed(path, Path(home)), path)


if __name__ == "__main__":
    main(sys.argv[1:])
