"""Lets `python -m runner` stand in for the `ohhell` command."""

from runner.cli import main

main()
