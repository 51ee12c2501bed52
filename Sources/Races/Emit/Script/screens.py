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
# user:password or user:password:id-in-tokens, with commas between; none: made-up ones.
ACCOUNTS = [a.split(":") for a in os.environ.get("SCREENRIG_ACCOUNTS", "").split(",") if a]


class Forms(HTMLParser):
    """The forms of a page, with their fields."""

    def __init__(self, page):
        super().__init__()
        self.forms = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = {k: v or "" for k, v in attributes}
        if tag == "form":
            self.forms.append({"action": attributes.get("action", ""), "fields": []})
        elif tag == "input" and self.forms and attributes.get("name"):
            self.forms[-1]["fields"].append(
                (attributes["name"], attributes.get("type", "text").lower(),
                 attributes.get("value", "")))

    def find(self, test):
        return next((f for f in self.forms if any(test(x) for x in f["fields"])), None)


class Screen:
    """A TV or a phone: a client of its own, with a bearer."""

    def __init__(self, household, role):
        self.household, self.role = household, role
        self.id = "case-%s-%s" % (role, "".join(random.choices("0123456789abcdef", k=24)))
        self.address = "100.%d.%d.%d" % tuple(random.randint(1, 250) for _ in range(3))
        self.bearer, self.kept = None, {}

    def forwarded(self):
        """Its address, which a browser on it has as well."""
        return [("X-Forwarded-For", self.address)] if TARGET["forwards"] else []

    def headers(self):
        pairs = [("Accept", "application/json"), ("X-Device-Info", TARGET["info"][self.role])]
        pairs += self.forwarded()
        if self.bearer:
            pairs.append(("Authorization", "Bearer " + self.bearer))
        return pairs + [tuple(pair) for pair in TARGET["headers"]]

    def connection(self, name):
        """A new one for "fresh", else the one kept under that name."""
        if name == "fresh":
            return Wire(BASE)
        if name not in self.kept:
            self.kept[name] = Wire(BASE)
        return self.kept[name]

    def ask(self, method, path, body=b"", kind=None):
        headers = self.headers() + ([("Content-Type", kind)] if kind else [])
        reply = Wire(BASE).ask(method, BASE + path, headers, body)
        if reply.status == 429:
            raise Lost("throttled")
        return reply

    def register(self):
        if self.bearer or not TARGET["bearer"]:
            return
        client = self.ask(*request("register-client", statement=STATEMENT)).document()
        token = self.ask(*request(
            "access-token", client=client.get("client_id", ""),
            secret=client.get("client_secret", ""))).document()
        self.bearer = token.get("access_token")
        if not self.bearer:
            raise Lost("no access token: is SCREENRIG_STATEMENT set?")


def request(step, **values):
    """Method, path, body and its type of a request, with its places filled."""
    method, path, body, kind = TARGET["calls"][step]
    for name, value in values.items():
        place = "PLACEFOR" + name.upper()
        path = path.replace(place, quote(value, safe=""))
        body = body.replace(
            place, json.dumps(value)[1:-1] if "json" in kind else quote(value, safe=""))
    return method, path, body.encode(), kind


def cookies_of(jar):
    return [("Cookie", "; ".join("%s=%s" % pair for pair in jar.items()))] if jar else []


def walk_login(code, provider, account, forwarded):
    """Everything up to the provider's form that brings the assertion back to the service."""
    method, path, body, _ = request("login-start", code=code, provider=provider)
    url, jar = BASE + path, {}
    for _ in range(20):
        headers = [("Accept", "text/html")] + forwarded + cookies_of(jar)
        if method == "POST":
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        reply = Wire(url).ask(method, url, headers, body)
        for line in reply.all("set-cookie"):
            name, _, value = line.split(";", 1)[0].partition("=")
            jar[name.strip()] = value.strip()
        method, body = "GET", b""
        if 300 <= reply.status < 400:
            url = urljoin(url, reply.header("location"))
            continue
        if reply.status != 200:
            raise Lost("the login answered %d at %s" % (reply.status, urlsplit(url).path))
        page = Forms(reply.text())
        form = page.find(lambda field: field[0] == TARGET["names"]["assertion"])
        if form:
            pairs = [(n, v) for n, kind, v in form["fields"] if kind != "submit"]
            return (urljoin(url, form["action"]), urlencode(pairs).encode(),
                    [("Accept", "text/html"),
                     ("Content-Type", "application/x-www-form-urlencoded")]
                    + forwarded + cookies_of(jar))
        form = page.find(lambda field: field[1] == "password")
        if not form:
            raise Lost("a page without a login form at " + urlsplit(url).path)
        pairs = []
        for name, kind, value in form["fields"]:
            if kind == "password":
                pairs.append((name, account[1]))
            elif kind in ("text", "email", "tel"):
                pairs.append((name, account[0]))
            elif kind == "hidden":
                pairs.append((name, value))
        url, method, body = urljoin(url, form["action"]), "POST", urlencode(pairs).encode()
    raise Lost("the login did not end within 20 hops")


def providers():
    if TARGET["mvpds"]:
        return TARGET["mvpds"]
    screen = Screen(0, "first")
    screen.register()
    found = screen.ask(*request("configuration")).document()
    for name in TARGET["names"]["providers"]:
        found = found.get(name, {})
    found = found.get(TARGET["names"]["providerItem"], []) if isinstance(found, dict) else found
    return [m["id"] for m in found if str(m.get("isTempPass", "")).lower() != "true"]
