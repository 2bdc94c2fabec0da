"""Keeps the end of what a bot writes to stderr, and lets it write neither for ever nor into a full pipe."""

import os

# What is kept, what is read in all before the pipe is closed, and what is read at once.
TAIL_BYTES = 65_536
MAX_STDERR_BYTES = 8 * 1024 * 1024
_READ_BYTES = 65_536


class StderrTail:
    """The reading end of a bot's stderr; `fd` is -1 once it is closed, `dropped` counts bytes before the tail."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.dropped = 0
        self._kept = bytearray()

    def drain(self) -> None:
        """Read all there is without waiting; after 8 MiB in all the pipe is closed, which the bot sees as EPIPE."""
        while self.fd >= 0:
            try:
                chunk = os.read(self.fd, _READ_BYTES)
            except BlockingIOError:
                return
            self._kept += chunk
            if (surplus := len(self._kept) - TAIL_BYTES) > 0:
                del self._kept[:surplus]
                self.dropped += surplus
            if not chunk or self.dropped + len(self._kept) >= MAX_STDERR_BYTES:
                self.close()

    def tail(self) -> bytes:
        """Return the last 64 KiB drained."""
        return bytes(self._kept)

    def close(self) -> None:
        """Close the pipe."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
