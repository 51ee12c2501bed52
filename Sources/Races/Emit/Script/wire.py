def now():
    """Nanoseconds on one monotonic clock, for all threads."""
    return time.perf_counter_ns()


EPOCH = time.time_ns() - now()


def utc(instant):
    whole, rest = divmod(EPOCH + instant, 1_000_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + ".%06dZ" % (rest // 1000)


def resolved(cell):
    """With the values of ${NAME} and ${file:PATH} in it, as a rig's accounts file may have them."""
    def value(found):
        try:
            if not found[1]:
                return os.environ[found[2]]
            with open(found[2], encoding="utf-8") as file:
                return file.read().strip()
        except (KeyError, OSError, UnicodeDecodeError):
            print("SCREENRIG_ACCOUNTS: %s cannot be read" % found[0], file=sys.stderr)
            sys.exit(2)
    return re.sub(r"\$\{(file:)?([^}]*)\}", value, cell) if cell else cell


def read_accounts():
    """Of SCREENRIG_ACCOUNTS, each as user, password, id in tokens and provider, "" where it does not say; the program ends where it
    holds none that can be read."""
    given = os.environ.get("SCREENRIG_ACCOUNTS", "")
    if os.path.isfile(given):
        with open(given, newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        found = [tuple(resolved(row.get(name)) for name in ("user", "password", "user-id", "mvpd"))
                 for row in rows]
        wrong = "it needs a first line with the columns user and password, and values in both"
    else:
        entries = [entry.split(":", 2) for entry in given.split(",") if entry]
        found = [tuple(entry + [None] * 4)[:4] for entry in entries]
        wrong = "it is neither a file that is there nor user:password[:id-in-tokens],..."
    for number, (user, password, _, _) in enumerate(found, 1):
        if not user or password is None:
            print("SCREENRIG_ACCOUNTS, account %d: %s" % (number, wrong), file=sys.stderr)
            sys.exit(2)
    return [(user, password, shown or user, mvpd or "") for user, password, shown, mvpd in found]


class Lost(Exception):
    """No answer, or none that tells anything: the trial does not count."""


class Reply:
    def __init__(self, status, headers, body, first):
        self.status, self.headers, self.body, self.first = status, headers, body, first

    def all(self, name):
        return [value for key, value in self.headers if key == name]

    def header(self, name):
        return (self.all(name) or [""])[0]

    def text(self):
        return self.body.decode("utf-8", "replace")

    def document(self):
        try:
            return json.loads(self.text())
        except ValueError:
            return {}


class Wire:
    """One connection. A request leaves in two writes: all but its last byte, then that byte."""

    def __init__(self, url):
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        self.socket = socket.create_connection((parts.hostname, port), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if secure:
            context = ssl.create_default_context(cafile=os.environ.get("SCREENRIG_CA"))
            self.socket = context.wrap_socket(self.socket, server_hostname=parts.hostname)
        self.rest, self.buffer = b"", b""

    def hold(self, method, url, headers, body=b""):
        parts = urlsplit(url)
        target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
        head = ["%s %s HTTP/1.1" % (method, target), "Host: " + parts.netloc]
        head += ["%s: %s" % pair for pair in headers]
        if body or method == "POST":
            head.append("Content-Length: %d" % len(body))
        data = ("\r\n".join(head) + "\r\n\r\n").encode() + body
        self.method, self.rest = method, data[-1:]
        self.socket.sendall(data[:-1])

    def release(self):
        """Lets the last byte go; the instant is taken before it leaves."""
        sent = now()
        self.socket.sendall(self.rest)
        return sent

    def answered_early(self):
        self.socket.setblocking(False)
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK)) if not isinstance(
                self.socket, ssl.SSLSocket) else False
        except (BlockingIOError, ValueError):
            return False
        finally:
            self.socket.settimeout(10)

    def _more(self):
        data = self.socket.recv(65536)
        if not data:
            raise Lost("the connection was closed")
        self.buffer += data

    def _line(self):
        while b"\r\n" not in self.buffer:
            self._more()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line.decode("latin-1")

    def _bytes(self, count):
        while len(self.buffer) < count:
            self._more()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def read(self):
        if not self.buffer:
            self._more()
        first = now()
        status = int(self._line().split(" ", 2)[1])
        headers = []
        while True:
            line = self._line()
            if not line:
                break
            name, _, value = line.partition(":")
            headers.append((name.strip().lower(), value.strip()))
        if 100 <= status < 200:
            return self.read()
        reply = Reply(status, headers, b"", first)
        if status in (204, 304):
            return reply
        if "chunked" in reply.header("transfer-encoding").lower():
            while True:
                size = int(self._line().split(";")[0], 16)
                reply.body += self._bytes(size)
                self._line()
                if size == 0:
                    break
        elif reply.header("content-length"):
            reply.body = self._bytes(int(reply.header("content-length")))
        return reply

    def ask(self, method, url, headers, body=b""):
        self.hold(method, url, headers, body)
        self.release()
        return self.read()
