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

    def id(self):
        """By which the server's log may name the request."""
        names = ("adobe-request-id", "x-request-id", "cf-ray", "x-amz-request-id", "x-amzn-requestid")
        return next(filter(None, map(self.header, names)), "")

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


class Button(tuple):
    """Name and value of a button, and what stands on it."""
    text = ""

    def words(self):
        return "%s=%s %s" % (self + (self.text,))


class Page(HTMLParser):
    """The forms of a page, each with its fields and buttons, and where it leads by itself."""

    def __init__(self, text):
        super().__init__()
        self.forms, self.form, self.inside, self.refresh = [], None, "", None
        self.sends_itself, self.addresses, self.button = False, (set(), set()), None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        self.inside = tag
        if tag == "form":
            self.form = {"action": values.get("action", ""), "fields": [], "buttons": [], "choices": [],
                         "method": values.get("method", "get").lower(), "id": values.get("id"),
                         "hint": " ".join(values.get(name, "") for name in ("id", "name", "class", "action"))}
            self.forms.append(self.form)
        elif tag == "body":
            self.read_script(values.get("onload", ""))
        elif tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            self.refresh = self.refresh or re.match(
                r"\s*(\d+)[^;]*;\s*url[\s=]*['\"]?([^'\"]+)", values.get("content", ""), re.I)
        elif tag in ("input", "button") and "disabled" not in values:
            form = next((form for form in self.forms if form["id"] == values["form"]), None) \
                if "form" in values else self.form
            kind = values.get("type", "submit" if tag == "button" else "text").lower()
            pair = Button((values.get("name", ""), values.get("value", "")))
            self.button = pair if tag == "button" else None
            if form and kind in ("submit", "image"):
                form["buttons"].append(pair)
            elif form and kind == "radio":
                form["choices"].append(pair)
            elif form and kind not in ("reset", "button", "checkbox", "file"):
                form["fields"].append((pair[0], pair[1], kind))

    def handle_endtag(self, tag):
        self.inside = ""
        if tag in ("form", "button"):
            self.button = None
        if tag == "form":
            self.form = None

    def handle_data(self, text):
        if self.inside == "script":
            self.read_script(text)
        elif self.button is not None:
            self.button.text = (self.button.text + " " + text).strip()

    def read_script(self, text):
        """Notes the addresses that are written out: outside of functions, and anywhere. Nothing is run."""
        self.sends_itself = self.sends_itself or ".submit()" in text
        outer, inner = text, 1
        while inner:
            outer, inner = re.subn(r"\{[^{}]*\}", "", outer)
        leads = r"\blocation(?:(?:\.href)?\s*=|\.(?:assign|replace)\s*\()\s*"
        for part, found in zip((outer, text), self.addresses):
            for _, address in re.findall(leads + r"""(["'])(?!#)((?:\\.|(?!\1).)+)\1\s*(?:[;)}]|$)""", part, re.M):
                found.add(re.sub(r"\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))", lambda escape: (
                    escape[3] or chr(int(escape[1] or escape[2], 16))), address, flags=re.I))


def pressed(found):
    """The button that a person would press, as a field: the first that does not lead away."""
    away = "cancel|deny|decline|disallow|reject|refuse|back|forgot|reset|register|signup"
    likely = [pair for pair in found["buttons"] if not re.search(away, "%s=%s" % pair, re.I)]
    return (likely or found["buttons"])[:1]


def submitted(found, url, fields):
    """Method, address and fields of the request that sends a form of the page at that address."""
    action, fields = urljoin(url, found["action"] or url), [pair for pair in fields if pair[0]]
    if found["method"] == "post":
        return "POST", action, fields
    return "GET", action.split("?")[0] + "?" + urlencode(fields), []


def onward(page, url, presses=True):
    """The request to which a page leads that asks for nothing to be typed, after the time that it waits; or None.

    Unless somebody presses a button, only a message of a provider goes on by a form."""
    silent = [found for found in page.forms if found["fields"] + found["buttons"] and not re.search(
        "logout|cancel|language|locale|cookie", found["hint"], re.I)
        and all(kind == "hidden" for _, _, kind in found["fields"])]
    posting = [found for found in silent if found["method"] == "post"]
    chosen = [found for found in silent if {"SAMLRequest", "SAMLResponse", "wresult", "id_token"} & {
        name for name, _, _ in found["fields"]}]
    if presses and not chosen:
        chosen = silent if len(silent) == 1 else posting if len(posting) == 1 or page.sends_itself else []
    if chosen:
        fields = [(name, value) for name, value, _ in chosen[0]["fields"]]
        return submitted(chosen[0], url, fields + ([] if page.sends_itself else pressed(chosen[0])))
    # Of several addresses only a browser knows which one it is.
    target = next((address for found in page.addresses if len(found) == 1 for address in found), "")
    # Pages that come again later than this are kept fresh, not left.
    if not target and page.refresh and int(page.refresh[1]) <= 30:
        time.sleep(int(page.refresh[1]))
        target = page.refresh[2]
    target = urljoin(url, target) if target else ""
    return ("GET", target, []) if re.match("https?://", target) else None


def asks_user(name, kind):
    words = "user|login|mail|account|identifier|customer|subscriber"
    return name and "code" not in name and (kind == "email" or kind != "hidden" and re.search(words, name, re.I))
