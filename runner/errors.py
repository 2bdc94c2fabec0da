"""The root of every error that is ours to report: one sentence for a person, one exit code."""


class OhHellError(Exception):
    """Something a person has to put right; the message says what, where and what to do.

    Every error the runner raises on purpose derives from this one, and the command line prints its message
    without a traceback. Any other exception that reaches the command line is a bug of ours.
    """

    exit_code = 2
