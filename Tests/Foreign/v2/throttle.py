"""The limit of requests for each address (13): a leaky bucket that lets a burst through without delay."""


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
