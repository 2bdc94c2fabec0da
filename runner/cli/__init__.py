"""The `ohhell` command: one small module per command, the only place that prints or exits."""

import click

from runner import __version__


@click.group()
@click.version_option(__version__, prog_name="ohhell")
def main() -> None:
    """Run tournaments of programs that play Oh Hell."""
