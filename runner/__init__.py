"""Oh Hell Runner: tournaments for programs that play Oh Hell."""

__version__ = "1.0.0"
