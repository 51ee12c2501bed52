"""Faults of a connection: refused, reset, closed, stalled, slow, endless, of a wrong length, no HTTP.

Each phase of an exchange has the same three ways to end: `reset` (RST), `close` (FIN) and `stall` (silence).

    accept | TLS hello | request read | in the answer's head | in its body
"""

import os
import socket
import threading
import time

WAYS = ("reset", "close", "stall")
PHASES = ("accept", "tls", "answer", "in-head", "in-body")

# What stands where the length of the body should, and what follows the head.
LENGTHS = {
    "length-short": (lambda size: [f"Content-Length: {max(0, size - 5)}"], None),
    "length-long": (lambda size: [f"Content-Length: {size + 10}"], None),
    "length-negative": (lambda size: ["Content-Length: -5"], None),
    "length-two": (lambda size: [f"Content-Length: {size}", "Content-Length: 3"], None),
    "length-word": (lambda size: ["Content-Length: ten"], None),
    "length-overflow": (lambda size: ["Content-Length: 99999999999999999999999"], None),
    "chunk-garbage": (lambda size: ["Transfer-Encoding: chunked"], b"zz\r\nnonsense\r\n"),
    "chunk-negative": (lambda size: ["Transfer-Encoding: chunked"], b"-5\r\nnonsense\r\n"),
    "chunk-overflow": (lambda size: ["Transfer-Encoding: chunked"], b"FFFFFFFFFFFFFFFFF\r\nnonsense\r\n"),
    "chunk-and-length": (lambda size: ["Transfer-Encoding: chunked", "Content-Length: 3"],
                         b"3\r\nabc\r\n0\r\n\r\n"),
}
OK = b"HTTP/1.1 200 OK\r\n"
JSON = b"Content-Type: application/json\r\n"
# What is sent without an end: a beginning, and what follows it again and again.
ENDLESS = {
    "endless-headers": (OK, b"X-Endless: more and more\r\n" * 256),
    "endless-line": (OK + b"X-Endless: ", b"x" * 8192),
    "endless-continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 256),
    "endless-chunks": (OK + JSON + b"Transfer-Encoding: chunked\r\n\r\n", b"400\r\n" + b" " * 1024 + b"\r\n"),
    "endless-length": (OK + JSON + b"Content-Length: 1000000000000\r\n\r\n", b" " * 8192),
    "endless-body": (OK + JSON + b"Connection: close\r\n\r\n", b" " * 8192),
    "endless-trailers": (OK + JSON + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n",
                         b"X-Endless: more\r\n" * 256),
}
GARBAGE = {
    "garbage": bytes(range(128, 256)) * 8,
    "garbage-ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "garbage-status": b"HTTP/1.1 twohundred OK\r\nContent-Length: 0\r\n\r\n",
    "garbage-zeros": b"HTTP/1.1 200 OK\r\n\0\0\0: \0\r\nContent-Length: 2\r\n\r\n{}",
}
NAMES = ({f"{way}-{phase}" for way in WAYS for phase in PHASES} | set(LENGTHS) | set(ENDLESS) | set(GARBAGE)
         | {"refuse", "half-close", "half-close-after", "drip", "answer-twice", "dies", "tls-plain", "tls-alert",
            "tls-no-close-notify"})


def listen(peer):
    """Sets the listener going. `refuse` leaves the port bound, so that nobody else takes it."""
    if peer.fault != "refuse":
        peer.listener.listen(0 if peer.fault == "stall-accept" else 256)
    if peer.fault == "dies":
        threading.Thread(target=die, args=[peer], daemon=True).start()


def die(peer, after=0.7, back=2.5):
    """Ends the service soon after its first connection, and brings it back 2.5 s later."""
    while peer.began is None:
        time.sleep(0.02)
    time.sleep(after)
    peer.listener.shutdown(socket.SHUT_RDWR)
    peer.listener.close()
    for connection in list(peer.connections):
        try:
            connection.reset()
        except OSError:
            pass
    time.sleep(back)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", peer.port))
    listener.listen(256)
    peer.listener = listener


def end(connection, fault):
    """Ends or stalls the connection as the fault's first word says."""
    {"reset": connection.reset, "close": connection.close, "stall": connection.stall}[fault.split("-")[0]]()


def connected(connection):
    """What happens before the first request; True when that was all."""
    fault = connection.peer.fault
    if fault in ("reset-accept", "close-accept"):
        end(connection, fault)
    elif fault in ("reset-tls", "close-tls", "stall-tls"):
        connection.read()
        end(connection, fault)
    elif fault == "tls-plain":
        connection.read()
        connection.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        connection.close()
    elif fault == "tls-alert":
        connection.read()
        connection.send(bytes.fromhex("15030300020228"))  # fatal, handshake_failure
        connection.close()
    else:
        return False
    return True


def requested(connection):
    """What happens to a request that is never handled; True when that was the connection's end."""
    fault = connection.peer.fault
    if fault in ("reset-answer", "close-answer", "stall-answer"):
        end(connection, fault)
    elif fault == "half-close":
        connection.socket.shutdown(socket.SHUT_WR)
        connection.stall()
    elif fault in GARBAGE:
        connection.send(GARBAGE[fault])
        time.sleep(0.05)
        connection.close()
    elif fault in ENDLESS:
        beginning, more = ENDLESS[fault]
        connection.send(beginning)
        while True:
            connection.send(more)
    else:
        return False
    return True


def answered(connection, response):
    """Sends the answer wrongly. None: not by this fault; else whether the connection goes on."""
    peer, fault = connection.peer, connection.peer.fault
    whole = peer.serialized(response)
    if fault in ("reset-in-head", "close-in-head", "stall-in-head"):
        connection.send(whole[:25])
        time.sleep(0.05)
        end(connection, fault)
        return False
    if fault in ("reset-in-body", "close-in-body", "stall-in-body", "tls-no-close-notify"):
        fields = [f"Content-Length: {len(response.body) + 10}"]
        if fault == "tls-no-close-notify":  # to the connection's end, which an attacker could make
            fields, fault = ["Connection: close"], "close-in-body"
        connection.send(peer.serialized(response, fields))
        time.sleep(0.05)
        end(connection, fault)
        return False
    if fault in LENGTHS and response.status != 204:
        fields, instead = LENGTHS[fault]
        head = peer.serialized(response, fields(len(response.body)))
        connection.send(head if instead is None else head[:len(head) - len(response.body)] + instead)
        return True
    if fault == "half-close-after":
        connection.send(whole)
        connection.socket.shutdown(socket.SHUT_WR)
        connection.stall()
        return False
    if fault == "drip":
        for byte in whole:
            connection.send(bytes([byte]))
            time.sleep(1)
        return True
    if fault == "answer-twice":
        connection.send(whole + whole)
        return True
    return None
