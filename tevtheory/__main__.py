"""`python -m tevtheory` is the command `tevtheory`."""

from tevtheory.cli import main

if __name__ == "__main__":
    main()
