"""The service's clock."""

import time


class Clock:
    """Epoch milliseconds that never go backwards. A test can move the clock on instead of waiting.

    With a tick, each reading is a later instant, as it can be on any machine: an instant that must appear twice has
    to be read once."""

    def __init__(self, tick=0):
        self.ahead, self.tick = time.time() - time.monotonic(), tick

    def now(self):
        self.ahead += self.tick
        return int((time.monotonic() + self.ahead) * 1000)

    def advance(self, seconds):
        self.ahead += seconds
