#!/usr/bin/env python3
"""A proxy in front of a service whose faults come and go by the minute, and which counts what it swallowed.

    python3 Tests/Chaos/weather.py http://127.0.0.1:8080    # prints its URL; its counts on standard output once it is ended

It reads no more of HTTP than where a message ends. Each request is in exactly one of its counts, so that a client's
numbers and the service's can be compared to the last one:

    answered by the service = delivered + swallowed          seen by the client = delivered + made here (503)
"""

import asyncio
import json
import re
import signal
import struct
import socket
import sys
import time

# Of each minute: from which second to which, what goes wrong. Between them all is well.
DAY = [(20, 24, "slow"), (28, 30, "stall"), (36, 38, "reset"), (43, 46, "busy"), (50, 51, "refuse")]
SLOW_SECONDS, STALL_SECONDS = 0.15, 8.0  # a stalled answer is never given: the client is to be gone by then
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"


class Weather:
    def __init__(self, host, port):
        self.host, self.port, self.began = host, port, time.monotonic()
        self.counts = dict.fromkeys(("requests", "delivered", "swallowed", "busy", "undelivered", "unanswered", "unread delivered",
                                     "unread busy"), 0)

    @property
    def now(self):
        second = (time.monotonic() - self.began) % 60
        return next((name for begins, ends, name in DAY if begins <= second < ends), "")


def message(buffer):
    """The length of the message at the buffer's beginning; None while it is not whole."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    found = LENGTH.search(buffer, 0, end + 2)
    size = end + 4 + (int(found.group(1)) if found else 0)
    return size if len(buffer) >= size else None


class Upstream(asyncio.Protocol):
    """Our connection to the service, for one of the client's."""

    def __init__(self, front):
        self.front, self.buffer = front, bytearray()

    def data_received(self, data):
        self.buffer += data
        while (size := message(self.buffer)) is not None:
            answer = bytes(self.buffer[:size])
            del self.buffer[:size]
            self.front.answered(answer)

    def connection_lost(self, error):
        self.front.upstream_lost()


class Front(asyncio.Protocol):
    """A client's connection: one request at a time, as screenrig's are."""

    def __init__(self, weather, loop):
        self.weather, self.loop, self.upstream, self.buffer = weather, loop, None, bytearray()
        self.waiting, self.gone, self.pending = False, False, []
        self.last = ""  # the count of what was last sent, until the client's next request shows that it was read

    def connection_made(self, transport):
        self.transport = transport
        self.loop.create_task(self.connect())

    async def connect(self):
        try:
            self.upstream, _ = await self.loop.create_connection(
                lambda: Upstream(self), self.weather.host, self.weather.port)
        except OSError:
            return self.transport.abort()
        if self.gone:
            return self.upstream.abort()
        for each in self.pending:
            self.upstream.write(each)

    def data_received(self, data):
        self.buffer += data
        while (size := message(self.buffer)) is not None:
            request = bytes(self.buffer[:size])
            del self.buffer[:size]
            self.weather.counts["requests"] += 1
            self.last = ""
            if self.weather.now == "busy":
                self.give("busy", BUSY)
            else:
                self.waiting = True
                self.upstream.write(request) if self.upstream else self.pending.append(request)

    def answered(self, answer):
        """The service's answer to the request under way: counted once, here."""
        self.waiting = False
        counts, now = self.weather.counts, self.weather.now
        if self.gone:
            counts["undelivered"] += 1
        elif now == "reset":
            counts["swallowed"] += 1
            self.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()
        elif now == "stall":
            counts["swallowed"] += 1
            self.loop.call_later(STALL_SECONDS, self.transport.abort)
        elif now == "slow":
            self.loop.call_later(SLOW_SECONDS, self.give, "delivered", answer)
        else:
            self.give("delivered", answer)

    def give(self, count, answer):
        self.last = count
        self.weather.counts["undelivered" if self.gone else count] += 1
        if not self.gone:
            self.transport.write(answer)

    def upstream_lost(self):
        if not self.gone:
            self.transport.close()

    def connection_lost(self, error):
        """A client that closes before it has read all answers by RST; after that, by FIN."""
        self.gone = True
        if error is not None and self.last:
            self.weather.counts[self.last] -= 1
            self.weather.counts[f"unread {self.last}"] += 1
        if self.waiting:  # the answer comes to nobody, if it comes
            self.weather.counts["unanswered"] += 1
            if self.upstream:
                self.loop.call_later(5, self.upstream.abort)
        elif self.upstream:
            self.upstream.abort()


async def main(url):
    host, port = url.removeprefix("http://").rstrip("/").split(":")
    weather, loop, over = Weather(host, int(port)), asyncio.get_running_loop(), asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, over.set)

    async def listen(port=0):
        return await loop.create_server(lambda: Front(weather, loop), "127.0.0.1", port, backlog=1024, reuse_address=True)

    server = await listen()
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}", flush=True)
    while not over.is_set():
        if weather.now == "refuse" and server:
            server.close()
            server = None
        elif weather.now != "refuse" and not server:
            server = await listen(port)
        try:
            await asyncio.wait_for(over.wait(), 0.05)
        except TimeoutError:
            pass
    print(json.dumps(weather.counts), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
