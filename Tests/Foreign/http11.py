"""HTTP/1.1 on asyncio: keep-alive, pipelining, bodies by length or in chunks. Handlers are plain functions."""

import asyncio
import time
from email.utils import formatdate
from urllib.parse import parse_qsl, unquote

REASONS = {
    200: "OK", 201: "Created", 204: "No Content", 302: "Found", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    410: "Gone", 412: "Precondition Failed", 500: "Internal Server Error",
    503: "Service Unavailable",
}
LARGEST_HEAD, LARGEST_BODY = 64 * 1024, 1024 * 1024


class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.headers, self.body = method, headers, body
        path, _, query = target.partition("?")
        if path.startswith("http://") or path.startswith("https://"):
            path = "/" + path.split("/", 3)[3] if path.count("/") > 2 else "/"
        self.path = unquote(path)
        self.values = dict(parse_qsl(query, keep_blank_values=True))
        self.form = {}
        if headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            self.form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
            self.values.update(self.form)  # the body wins over the query

    def cookie(self, name):
        for part in self.headers.get("cookie", "").split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                return value
        return None

    @property
    def origin(self):
        return "http://" + self.headers.get("host", "localhost")


class Response:
    def __init__(self, status, body=b"", content_type=None, headers=()):
        self.status, self.headers = status, list(headers)
        self.body = body.encode() if isinstance(body, str) else body
        if content_type:
            self.headers.append(("Content-Type", content_type))


class Malformed(Exception):
    pass


class Connection(asyncio.Protocol):
    """One client's connection. Requests are answered in the order in which they came."""

    def __init__(self, handle, dated, closes_kept):
        self.handle, self.dated, self.buffer, self.continued = handle, dated, b"", False
        self.closes_kept, self.is_kept = closes_kept, False

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.buffer += data
        while not self.transport.is_closing():
            try:
                request = self.next_request()
            except Malformed:
                self.send(Response(400), "close", False)
                return
            if request is None:
                return
            if self.is_kept and self.closes_kept(request):
                self.transport.close()
                return
            self.is_kept = True
            try:
                response = self.handle(request)
            except Exception as error:  # a defect of this server must not look like silence
                print("defect:", repr(error), request.method, request.path, flush=True)
                response = Response(500)
            self.send(response, request.headers.get("connection", "").lower(),
                      request.method == "HEAD")

    def next_request(self):
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self.buffer) > LARGEST_HEAD:
                raise Malformed
            return None
        lines = self.buffer[:end].decode("latin-1").split("\r\n")
        parts = lines[0].split(" ")
        if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
            raise Malformed
        headers = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon:
                raise Malformed
            headers[name.strip().lower()] = value.strip()
        chunked = headers.get("transfer-encoding", "").lower().endswith("chunked")
        try:
            length = int(headers.get("content-length", "0"))
        except ValueError:
            raise Malformed from None
        if length < 0 or length > LARGEST_BODY:
            raise Malformed
        start = end + 4
        waits = headers.get("expect", "").lower() == "100-continue" and not self.continued
        if waits and (chunked or len(self.buffer) < start + length):
            self.continued = True
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if chunked:
            body, rest = self.chunks(start)
            if body is None:
                return None
        elif len(self.buffer) < start + length:
            return None
        else:
            body, rest = self.buffer[start:start + length], start + length
        self.buffer, self.continued = self.buffer[rest:], False
        return Request(parts[0], parts[1], headers, body)

    def chunks(self, at):
        body = b""
        while True:
            line = self.buffer.find(b"\r\n", at)
            if line < 0:
                return None, 0
            try:
                size = int(self.buffer[at:line].split(b";")[0], 16)
            except ValueError:
                raise Malformed from None
            if len(body) + size > LARGEST_BODY:
                raise Malformed
            if len(self.buffer) < line + 2 + size + 2:
                return None, 0
            body += self.buffer[line + 2:line + 2 + size]
            at = line + 2 + size + 2
            if size == 0:
                return body, at

    def send(self, response, connection, head_only):
        status = response.status
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in response.headers]
        if status != 204:
            lines.append(f"Content-Length: {len(response.body)}")
        if self.dated:
            lines.append("Date: " + today())
        if connection == "close":
            lines.append("Connection: close")
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        self.transport.write(head if head_only or status == 204 else head + response.body)
        if connection == "close":
            self.transport.close()


_day = (0, "")


def today():
    global _day
    now = int(time.time())
    if _day[0] != now:
        _day = (now, formatdate(now, usegmt=True))
    return _day[1]


async def serve(handle, host, port, dated, started, closes_kept=lambda request: False):
    """`closes_kept`: whether a kept connection is closed under this request, as by a keep-alive timeout."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(handle, dated, closes_kept), host, port, backlog=1024)
    address = server.sockets[0].getsockname()
    started(f"http://{host}:{address[1]}")
    async with server:
        await server.serve_forever()
