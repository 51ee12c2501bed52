"""What clients stand on: HTTP, documents in JSON or XML, and a browser that keeps cookies and fills in forms."""

import http.client
import json
import xml.etree.ElementTree as tree
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit


class Failure(Exception):
    """Something that a client of this style cannot go on from."""


def expect(condition, *words):
    if not condition:
        raise Failure(" ".join(str(each) for each in words))


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __str__(self):
        return f"{self.status} {self.body[:200]!r}"

    @property
    def document(self):
        """The body as dictionaries and texts; lists of XML by their repeated names."""
        if self.headers.get("content-type", "").startswith("application/json"):
            return json.loads(self.body)
        return plain(tree.fromstring(self.body))


def plain(element):
    if len(element) == 0:
        return element.text or ""
    found = {}
    for child in element:
        name, value = child.tag.rpartition("}")[2], plain(child)
        if name in found:
            value = (found[name] if isinstance(found[name], list) else [found[name]]) + [value]
        found[name] = value
    return found


def ask(method, url, headers=(), body=None):
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    try:
        target = parts.path + ("?" + parts.query if parts.query else "")
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in dict(headers).items():
            connection.putheader(name, value)
        data = body.encode() if isinstance(body, str) else body
        if data is not None:
            connection.putheader("Content-Length", str(len(data)))
        connection.endheaders(data)
        reply = connection.getresponse()
        text = reply.read()
        fields = {}
        for name, value in reply.getheaders():
            fields.setdefault(name.lower(), value)
        cookies = [value for name, value in reply.getheaders() if name.lower() == "set-cookie"]
        fields["set-cookie"] = cookies
        return Reply(reply.status, fields, text)
    finally:
        connection.close()


class Forms(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.forms = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.forms.append((values.get("action", ""), values.get("method", "get").lower(), {}))
        elif tag == "input" and self.forms and values.get("name"):
            self.forms[-1][2][values["name"]] = values.get("value", "")


class Browser:
    """Follows redirects, fills in the login and posts what posts itself, until it is sent to `end`."""

    def __init__(self, end, user):
        self.end, self.user, self.cookies = end, user, {}

    def go(self, url):
        method, body = "GET", None
        for _ in range(12):
            headers = {"User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64)",
                       "Accept": "text/html,*/*;q=0.8"}
            if self.cookies:
                headers["Cookie"] = "; ".join(f"{a}={b}" for a, b in self.cookies.items())
            if body is not None:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
            reply = ask(method, url, headers, body)
            for cookie in reply.headers["set-cookie"]:
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            method, body = "GET", None
            if reply.status in (302, 303):
                url = urljoin(url, reply.headers["location"])
                if url.startswith(self.end):
                    return
                continue
            expect(reply.status == 200, "a browser got", reply)
            forms = [form for form in Forms(reply.body.decode()).forms if form[1] == "post"
                     and ("SAMLResponse" in form[2] or "SAMLRequest" in form[2]
                          or "password" in form[2])]
            expect(forms, "a page without a login:", reply)
            action, method, fields = forms[0]
            if "password" in fields:
                fields = fields | {"username": self.user, "password": "right"}
            method, body = method.upper(), urlencode(fields)
            url = urljoin(url, action)
        raise Failure("a browser was sent on 12 times")
