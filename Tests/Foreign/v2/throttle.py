"""Limits the requests of each address (13) with a leaky bucket that does not delay a burst."""


class Throttle:
    def __init__(self, rate, burst, clock):
        self.rate, self.burst, self.clock = rate, burst, clock
        self.buckets = {}

    def admits(self, request):
        if not self.rate:
            return True
        forwarded = request.headers.get("x-forwarded-for", "").split(",")[0].strip()
        address, now = forwarded or request.peer, self.clock.now()
        filled, seen = self.buckets.get(address, (-1, now))
        filled = max(filled - (now - seen) / 1000 * self.rate + 1, 0)
        if filled > self.burst:
            return False
        self.buckets[address] = (filled, now)
        return True
