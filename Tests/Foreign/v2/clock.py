"""The service's clock."""

import time


class Clock:
    """Epoch milliseconds that never go backwards. A test can move the clock on instead of waiting."""

    def __init__(self):
        self.ahead = time.time() - time.monotonic()

    def now(self):
        return int((time.monotonic() + self.ahead) * 1000)

    def advance(self, seconds):
        self.ahead += seconds
