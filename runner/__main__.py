"""The `ohhell` command: what its script starts, and `python -m runner`."""

import sys
from contextlib import suppress

EXIT_INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit; Ctrl-C is no traceback even while the command is being loaded."""
    try:
        from runner.cli import main as command  # noqa: PLC0415 - it takes time, in which Ctrl-C may come

        command()
    except KeyboardInterrupt:
        with suppress(OSError, AttributeError):  # standard error may be closed
            sys.stderr.write("ohhell: interrupted\n")
        sys.exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    main()
