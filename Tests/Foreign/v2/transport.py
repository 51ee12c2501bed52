"""HTTP/1.1 with one thread for each connection, and the log of requests."""

import http
import http.server
import json
import random
import socketserver
import sys
import threading
import traceback
from email.utils import formatdate

from http11 import LARGEST_BODY, Request, Response


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, address, service, clock, log, close_kept=0):
        """`close_kept`: in percent, how often a kept connection is closed under a GET, as by a keep-alive timeout."""
        super().__init__(address, Handler)
        self.close_kept = close_kept
        self.service, self.clock, self.log = service, clock, log

    def server_bind(self):
        """Binds without looking up the host's name, which can take seconds."""
        socketserver.TCPServer.server_bind(self)

    @property
    def url(self):
        return f"http://{self.server_address[0]}:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        """Ignores clients that close their connection early. Anything else is a defect of this server."""
        if not isinstance(sys.exc_info()[1], OSError):
            print("defect:", traceback.format_exc(), flush=True)


class Unreadable(Exception):
    pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    is_kept = False

    def serve(self):
        if self.is_kept and self.command == "GET" and random.uniform(0, 100) < self.server.close_kept:
            self.close_connection = True
            return
        self.is_kept = True
        try:
            body = self.chunks() if self.is_chunked() else self.rfile.read(self.length())
        except (ValueError, Unreadable):
            self.close_connection = True
            self.send(Response(400))
            return
        headers = {name.lower(): value.strip() for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body)
        request.peer = self.client_address[0]
        begun = self.server.clock.now()
        response, about = self.server.service.handle(request)
        self.server.log.add(begun, request, response.status, about)
        self.send(response)

    def __getattr__(self, name):
        """Hands every method to the service, which knows the methods of each path."""
        if name.startswith("do_"):
            return self.serve
        raise AttributeError(name)

    def is_chunked(self):
        return self.headers.get("Transfer-Encoding", "").lower().endswith("chunked")

    def length(self):
        length = int(self.headers.get("Content-Length", "0"))
        if not 0 <= length <= LARGEST_BODY:
            raise Unreadable
        return length

    def chunks(self):
        body = b""
        while True:
            size = int(self.rfile.readline(64).split(b";")[0], 16)
            if size < 0 or len(body) + size > LARGEST_BODY:
                raise Unreadable
            body += self.rfile.read(size)
            if self.rfile.readline(64).strip():
                raise Unreadable
            if size == 0:
                return body

    def send(self, response):
        try:
            reason = http.HTTPStatus(response.status).phrase
        except ValueError:
            reason = "Status"
        lines = [f"HTTP/1.1 {response.status} {reason}"]
        lines += [f"{name}: {value}" for name, value in response.headers]
        if response.status != 204:
            lines.append(f"Content-Length: {len(response.body)}")
        lines.append("Date: " + formatdate(self.server.clock.now() / 1000, usegmt=True))
        if self.close_connection:
            lines.append("Connection: close")
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        bodiless = self.command == "HEAD" or response.status == 204
        try:
            self.wfile.write(head if bodiless else head + response.body)
        except OSError:
            self.close_connection = True

    def log_message(self, *arguments):
        """Nothing goes to standard error. The log is a file, if one is wanted."""


class Log:
    """One line of JSON for each request. It leaves out the query, which may contain secrets."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.file = open(path, "a", buffering=1, encoding="utf-8") if path else None

    def add(self, time, request, status, about):
        if self.file is None:
            return
        line = json.dumps({"time": time, "method": request.method, "path": request.path, "status": status,
                           "device": about.get("device"), "code": about.get("code")})
        with self.lock:
            self.file.write(line + "\n")
