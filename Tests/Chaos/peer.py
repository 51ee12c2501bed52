#!/usr/bin/env python3
"""A sign-in service with one fault: the sockets, TLS and HTTP of Tests/Foreign's service gone wrong on purpose.

    python3 Tests/Chaos/peer.py reset-in-body                # prints its URL first, then serves until it is ended
    python3 Tests/Chaos/peer.py stall-answer --at poll       # polls only; all else is served as it should be
    python3 Tests/Chaos/peer.py --list

One thread for each connection, plain sockets: each fault is a few lines that read in the order in which they happen.
Faults of a connection are in wire_faults.py, those of an answer in answer_faults.py, those of HTTP/2 in http2_faults.py.
"""

import argparse
import os
import re
import signal
import socket
import ssl
import struct
import sys
import threading
import time
from email.utils import formatdate

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "Foreign")]

import answer_faults
import http11
import http2_faults
import server
import service as foreign
import wire_faults
from accounts import Accounts
from answers import Answers

# Which requests a fault is about: a pattern of `METHOD path`.
PLACES = {
    "all": r".",
    "register": r"POST /o/client/register",
    "code": r"POST /reggie/",
    "login": r"\w+ /idp/",
    "authenticate": r"GET /api/v1/authenticate\?",
    "poll": r"GET /api/v1/tokens/authn",
}


class Request(http11.Request):
    scheme = "http"

    @property
    def origin(self):
        return f"{self.scheme}://" + self.headers.get("host", "localhost")


class Connection:
    """One client's connection, read and written blockingly."""

    def __init__(self, peer, sock):
        self.peer, self.socket, self.buffer = peer, sock, b""

    def read(self):
        """More bytes; False at the client's end."""
        data = self.socket.recv(65536)
        self.buffer += data
        return bool(data)

    def request(self):
        """The next request, its head and body read; None at the client's end."""
        while b"\r\n\r\n" not in self.buffer:
            if not self.read():
                return None
        head, _, rest = self.buffer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        length = int(headers.get("content-length", "0"))
        while len(rest) < length:
            data = self.socket.recv(65536)
            if not data:
                return None
            rest += data
        self.buffer = rest[length:]
        method, target, _ = lines[0].split(" ", 2)
        request = Request(method, target, headers, rest[:length])
        request.scheme, request.target = self.peer.scheme, target
        return request

    def send(self, data):
        self.socket.sendall(data)

    def reset(self):
        """RST instead of FIN: what the client has not read is lost."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self):
        """FIN, without TLS's close_notify."""
        os.close(self.socket.detach())

    def stall(self):
        """Nothing more is said; what comes is read until the client gives up."""
        while self.read():
            self.buffer = b""


class Peer:
    def __init__(self, fault, place, certificate=None):
        self.fault, self.place = fault, re.compile(PLACES[place])
        self.service = foreign.Service(server.arguments([]), Accounts(), Answers(False))
        self.lock, self.began, self.jump_ms = threading.Lock(), None, 0
        self.scheme, self.context = "http", None
        if certificate:
            self.scheme, self.context = "https", ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate)
        self.connections = set()
        foreign.now = lambda: int(time.time() * 1000) + self.jump_ms

    def listen(self, host, port=0):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((host, port))
        self.port = self.listener.getsockname()[1]
        wire_faults.listen(self)
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def serve(self):
        while True:
            if self.fault in ("refuse", "stall-accept"):
                signal.pause()
            try:
                sock, _ = self.listener.accept()
            except OSError:  # taken away by a fault, which puts another one in its place
                time.sleep(0.05)
                continue
            threading.Thread(target=self.converse, args=[sock], daemon=True).start()

    def converse(self, sock):
        connection = Connection(self, sock)
        self.connections.add(connection)
        try:
            self.began = self.began or time.monotonic()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if wire_faults.connected(connection) or http2_faults.connected(connection):
                return
            if self.context:
                connection.socket = self.context.wrap_socket(
                    sock, server_side=True, suppress_ragged_eofs=True)
            while (request := connection.request()) is not None:
                if not self.answer(connection, request):
                    return
        except (OSError, ValueError):  # the client went, or sent what is no HTTP
            pass
        finally:
            self.connections.discard(connection)
            connection.socket.close()

    def answer(self, connection, request):
        """Answers one request; False when that was this connection's last."""
        is_struck = self.place.match(f"{request.method} {request.target}") is not None
        if is_struck and wire_faults.requested(connection):
            return False
        with self.lock:
            response = (is_struck and answer_faults.instead(self, request)) or self.service.handle(request)
        if is_struck:
            response = answer_faults.changed(self, request, response)
            verdict = wire_faults.answered(connection, response)
            if verdict is not None:
                return verdict
        connection.send(self.serialized(response))
        return True

    def serialized(self, response, fields=None):
        """Head and body; `fields` replaces the fields that say how long the body is."""
        status = response.status
        lines = [f"HTTP/1.1 {status} {http11.REASONS.get(status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in response.headers]
        if fields is not None:
            lines += fields
        elif status != 204:
            lines.append(f"Content-Length: {len(response.body)}")
        lines.append("Date: " + formatdate(time.time() + self.jump_ms / 1000, usegmt=True))
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + response.body


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = {"none"} | wire_faults.NAMES | answer_faults.NAMES | http2_faults.NAMES
    parser.add_argument("fault", choices=sorted(names), nargs="?", default="none", metavar="FAULT")
    parser.add_argument("--at", choices=sorted(PLACES), default="all")
    parser.add_argument("--certificate", metavar="PEM", help="serve TLS with this certificate and key")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--list", action="store_true", help="the names of all faults")
    options = parser.parse_args()
    if options.list:
        return print("\n".join(sorted(names)))
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: os._exit(0))
    peer = Peer(options.fault, options.at, options.certificate)
    print(peer.listen(options.host), flush=True)
    peer.serve()


if __name__ == "__main__":
    main()
