"""Faults of HTTP/2, over sockets and a few frames (RFC 9113): the client's preface is read, its requests are not."""

import struct
import time

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
PREFACE = 24
INTERNAL_ERROR, REFUSED_STREAM = 2, 7
STATUS_200 = b"\x88"  # HPACK, static table
NAMES = {"h2-close", "h2-reset", "h2-stall", "h2-garbage", "h2-http1", "h2-goaway", "h2-goaway-kept", "h2-rst",
         "h2-rst-refused", "h2-settings-flood", "h2-ping-flood", "h2-window-0", "h2-endless-body",
         "h2-continuation-flood", "h2-frame-size", "h2-hpack-garbage", "h2-stall-in-body"}


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def settings(**values):
    numbers = {"window": 4, "streams": 3}
    return frame(SETTINGS, 0, 0, b"".join(
        struct.pack(">HI", numbers[name], value) for name, value in values.items()))


def connected(connection):
    """Plays the fault, when it is one of these; True when that was the connection's end."""
    fault = connection.peer.fault
    if fault not in NAMES:
        return False
    while len(connection.buffer) < PREFACE:
        if not connection.read():
            return True
    connection.buffer = connection.buffer[PREFACE:]
    if fault == "h2-close":
        connection.close()
    elif fault == "h2-reset":
        connection.reset()
    elif fault == "h2-garbage":
        connection.send(bytes(range(128, 256)) * 8)
        connection.stall()
    elif fault == "h2-http1":
        connection.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        connection.close()
    elif fault == "h2-frame-size":
        connection.send(settings() + b"\xff\xff\xff\x00\x00\x00\x00\x00\x01" + b"x" * 100_000)
        connection.stall()
    elif fault in ("h2-settings-flood", "h2-ping-flood"):
        flood = settings(streams=100) if fault == "h2-settings-flood" else frame(PING, 0, 0, b"12345678")
        connection.send(settings())
        while True:
            connection.send(flood * 64)
    else:
        connection.send(settings(window=0) if fault == "h2-window-0" else settings())
        converse(connection, fault)
    return True


def frames(connection):
    """Kind, flags and stream of each frame that the client sends."""
    while True:
        while len(connection.buffer) < 9 or len(connection.buffer) < 9 + int.from_bytes(connection.buffer[:3]):
            if not connection.read():
                return
        length = int.from_bytes(connection.buffer[:3])
        kind, flags = connection.buffer[3], connection.buffer[4]
        stream = int.from_bytes(connection.buffer[5:9]) & 0x7FFF_FFFF
        connection.buffer = connection.buffer[9 + length:]
        yield kind, flags, stream


def converse(connection, fault):
    for kind, flags, stream in frames(connection):
        if kind == SETTINGS and not flags & ACK:
            connection.send(frame(SETTINGS, ACK, 0))
        if kind != HEADERS:
            continue
        if fault == "h2-goaway":
            connection.send(frame(GOAWAY, 0, 0, struct.pack(">II", 0, 0)))
            time.sleep(0.05)
            return connection.close()
        if fault == "h2-goaway-kept":  # says that it will answer this one, and does not
            connection.send(frame(GOAWAY, 0, 0, struct.pack(">II", stream, 0)))
        elif fault in ("h2-rst", "h2-rst-refused"):
            code = INTERNAL_ERROR if fault == "h2-rst" else REFUSED_STREAM
            connection.send(frame(RST_STREAM, 0, stream, struct.pack(">I", code)))
        elif fault == "h2-hpack-garbage":
            connection.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, b"\xff" * 200))
        elif fault == "h2-stall-in-body":
            connection.send(frame(HEADERS, END_HEADERS, stream, STATUS_200) + frame(DATA, 0, stream, b"{"))
        elif fault == "h2-endless-body":
            connection.send(frame(HEADERS, END_HEADERS, stream, STATUS_200))
            while True:
                connection.send(frame(DATA, 0, stream, b" " * 16_000))
        elif fault == "h2-continuation-flood":
            connection.send(frame(HEADERS, 0, stream, STATUS_200))
            while True:  # literal without indexing: name "x", value of 100 bytes
                connection.send(frame(CONTINUATION, 0, stream, (b"\x00\x01x\x64" + b"y" * 100) * 100))
