BASE, TIMES = os.environ.get("SCREENRIG_TARGET", TARGET["base"]), 50
for word in sys.argv[1:]:
    if re.match("https?://", word):
        BASE = word
    elif word.isdigit() and int(word):
        TIMES = int(word)
    else:
        print("%r is neither an address such as http://127.0.0.1:8080 nor a number of trials"
              % word, file=sys.stderr)
        sys.exit(2)
BASE = BASE.rstrip("/")
STATEMENT = os.environ.get("SCREENRIG_STATEMENT", TARGET["demoStatement"])
# None: made-up ones.
ACCOUNTS = read_accounts()
REJECTED = {}


class Screen:
    """A TV, which has a client of its own and a bearer, or a phone, which may have."""

    def __init__(self, household, role, mark):
        self.household, self.role, self.mark = household, role, mark
        self.id = "case-%s-%s" % (role, "".join(random.choices("0123456789abcdef", k=24)))
        # 198.18.0.0/15 is set aside for tests (RFC 2544).
        self.address = "198.%d.%d.%d" % tuple(random.randint(*ends) for ends in ((18, 19), (0, 255), (1, 254)))
        self.bearer, self.kept = None, {}
        self.signs = TARGET["bearer"] and not (role == "second" and TARGET["barePhones"])

    def marks(self):
        """Whose request it is, its address and its kind; those of a browser on it have them as well."""
        address = [("X-Forwarded-For", self.address)] if TARGET["forwards"] else []
        agent = TARGET["agents"][self.role]
        return [("X-Screenrig", self.mark)] + address + ([("User-Agent", agent)] if agent else [])

    def connection(self, name):
        """A new one for "fresh", else the one kept under that name."""
        if name == "fresh":
            return Wire(BASE)
        if name not in self.kept:
            self.kept[name] = Wire(BASE)
        return self.kept[name]

    def request(self, step, **values):
        """Method, address, headers and body of a request, with its places filled."""
        method, path, headers, body = TARGET["calls"][step]
        values.update(device=self.id, info=TARGET["info"][self.role], bearer=self.bearer or "")
        headers = [tuple(pair) for pair in headers
                   if self.signs or pair[0] != "Authorization"
                   if values["info"] or pair[0] != "X-Device-Info"]
        kind = dict(headers).get("Content-Type", "")
        for name, value in values.items():
            place = "PLACEFOR" + name.upper()
            path = path.replace(place, quote(value, safe=""))
            body = body.replace(
                place, json.dumps(value)[1:-1] if "json" in kind else quote(value, safe=""))
            # A header may have it as it is, or as Base64.
            headers = [(key, text.replace(place, value).replace(coded(place), coded(value)))
                       for key, text in headers]
        if step != "login-start":
            headers += [tuple(pair) for pair in TARGET["headers"]]
        return method, BASE + path, headers + self.marks(), body.encode()

    def ask(self, step, **values):
        reply = Wire(BASE).ask(*self.request(step, **values))
        if reply.status == 429:
            raise Lost("throttled")
        return reply

    def register(self):
        if self.bearer or not self.signs:
            return
        client = self.ask("register-client", statement=STATEMENT).document()
        token = self.ask(
            "access-token", client=client.get("client_id", ""),
            secret=client.get("client_secret", "")).document()
        self.bearer = token.get("access_token")
        if not self.bearer:
            raise Lost("no access token: is SCREENRIG_STATEMENT set?")

    def complete(self, code, provider):
        """Names the provider to the session of a code, where the login itself does not."""
        if "resume-session" not in TARGET["calls"]:
            return
        self.register()
        reply = self.ask("resume-session", code=code, provider=provider)
        if reply.status != 200 or not dig(reply.document(), TARGET["names"]["code"]):
            raise Lost("resume-session answered %d, and asks for no login" % reply.status)


def coded(text):
    return base64.b64encode(text.encode()).decode()


def dig(document, path):
    """What stands at a path of names: "*" is the first entry of a map or list, "#" its name."""
    for name in path:
        if name == "#":
            return next(iter(document), None) if isinstance(document, dict) else None
        if name == "*":
            found = document.values() if isinstance(document, dict) else document or []
            document = next(iter(found), None)
        else:
            document = document.get(name) if isinstance(document, dict) else None
    return document


def cookies_of(jar):
    return [("Cookie", "; ".join("%s=%s" % pair for pair in jar.items()))] if jar else []


def brings_answer(url, body):
    """Whether a request brings a provider's answer to the service (docs/races.md)."""
    parts = urlsplit(url)
    names = {pair.split("=")[0] for pair in parts.query.split("&") + body.decode().split("&")}
    return (parts.path.endswith("SAMLAssertionConsumer") or {"code", "state"} <= names
            or bool(names & {TARGET["names"]["assertion"], "SAMLart", "id_token", "wresult"}))


def asks(found, typed):
    """What a form asks for: the password, or the user alone where a login has two steps."""
    texts = [(name, kind) for name, _, kind in found["fields"] if kind != "hidden"]
    if any(kind == "password" for _, kind in texts):
        return "password"
    if len(texts) != 1 or "search" in texts[0] or re.search("search|newsletter", found["hint"], re.I):
        return ""
    name = texts[0][0]
    # Whom else should the first page of a login ask for.
    lone = found["method"] == "post" and name not in ("", "q", "query") and not typed
    return "user" if lone or asks_user(*texts[0]) else ""


def walk_login(screen, code, provider, account):
    """Everything up to the request that brings the provider's answer back to the service: method, address, headers, body."""
    marks, jar, typed = screen.marks(), {}, ""
    method, url, _, body = screen.request("login-start", code=code, provider=provider)
    for hop in range(20):
        headers = [("Accept", "text/html")] + marks + cookies_of(jar)
        if method == "POST":
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        if hop and brings_answer(url, body):
            return method, url, headers, body
        reply = Wire(url).ask(method, url, headers, body)
        for line in reply.all("set-cookie"):
            name, _, value = line.split(";", 1)[0].partition("=")
            jar[name.strip()] = value.strip()
        if 300 <= reply.status < 400:
            url = urljoin(url, reply.header("location"))
            # These two keep the method and the body.
            if reply.status not in (307, 308):
                method, body = "GET", b""
            continue
        page = Page(reply.text())
        forms = {asks(found, typed): found for found in reversed(page.forms)}
        if reply.status >= 400 and "password" not in forms:
            raise Lost("the login answered %d at %s" % (reply.status, urlsplit(url).path))
        asked = next((word for word in ("password", "user") if word in forms), None)
        if not asked:
            following = onward(page, url)
            if not following:
                raise Lost("a page without a login form at " + urlsplit(url).path)
        elif typed in (asked, "password"):
            # Providers lock accounts: a rejected one is not tried for long (Trial.account).
            REJECTED[account] = REJECTED.get(account, 0) + 1
            raise Lost("the provider's login page came back after the " + typed)
        else:
            form, typed = forms[asked], asked
            following = submitted(form, url, [
                (name, {"hidden": value, "password": account[1]}.get(kind, account[0]))
                for name, value, kind in form["fields"]] + pressed(form))
        method, url, fields = following
        body = urlencode(fields).encode()
    raise Lost("the login did not end within 20 hops")


def providers():
    """Those to sign in with, and those of temporary passes."""
    if TARGET["mvpds"] and "configuration" not in TARGET["calls"]:
        return TARGET["mvpds"], []
    screen = Screen(0, "first", CASE["name"])
    screen.register()
    found = dig(screen.ask("configuration").document(), TARGET["names"]["providers"])
    found = found.get(TARGET["names"]["providerItem"], []) if isinstance(found, dict) else found
    passes = [m["id"] for m in found or [] if str(m.get("isTempPass", "")).lower() == "true"]
    return TARGET["mvpds"] or [m["id"] for m in found or [] if m["id"] not in passes], passes
