"""The client's side of the protocol for check.py: screens that send, a browser that signs in, and rules for shapes.

Nothing here is shared with the server. Both were written from the page.
"""

import base64
import hashlib
import hmac
import html
import http.client
import json
import os
import random
import re
import subprocess
import sys
import time
from urllib.parse import quote, urlencode, urljoin, urlsplit

HERE = os.path.dirname(os.path.abspath(__file__))
SP, DONE = "DEMOTV", "https://demo.test/done"
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
INFORMATION = {"model": "AppleTV", "version": "11,1", "osName": "tvOS", "osVersion": "17.4", "connectionType": "WiFi"}


class Failed(Exception):
    """What was expected did not come."""


def expect(holds, what):
    if not holds:
        raise Failed(what)


# Shapes


def millis(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 1_500_000_000_000


def millis_text(value):
    return isinstance(value, str) and value.isdigit() and millis(int(value))


def text(value):
    return isinstance(value, str) and value != ""


def base64_text(value):
    return text(value) and base64.b64encode(base64.b64decode(value)).decode() == value


def uuid_text(value):
    return text(value) and re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value) is not None


def one_of(*values):
    return lambda value: value in values


def matches(rule, value):
    """Whether a value has a shape. A rule is a function, a dictionary (a name that ends in ? may be absent, no other
    name may be there), a list of one rule for each member, or the value itself."""
    if callable(rule):
        return rule(value)
    if isinstance(rule, list):
        return isinstance(value, list) and all(matches(rule[0], each) for each in value)
    if not isinstance(rule, dict):
        return type(value) is type(rule) and value == rule
    if not isinstance(value, dict):
        return False
    known = {name.rstrip("?"): name for name in rule}
    if any(name not in known for name in value):
        return False
    return all(name.endswith("?") if bare not in value else matches(rule[name], value[bare])
               for bare, name in known.items())


def shaped(rule, value, what):
    expect(matches(rule, value), f"{what} has another shape: {json.dumps(value)[:700]}")
    return value


ERROR = {"action": text, "status": lambda value: isinstance(value, int), "code": text, "message": text,
         "details?": text, "helpUrl?": text, "trace?": text}
TIMES_IN_TEXT = {"notBefore": millis_text, "notAfter": millis_text}
CODE = {"code": lambda value: re.fullmatch("[A-Z0-9]{7}", value) is not None, **TIMES_IN_TEXT}
SESSION = {"actionName": text, "actionType": text, "reasonType": text, "url": text, "sessionId": uuid_text,
           "serviceProvider": SP, "mvpd?": text}
TOKEN = {"notBefore": millis, "notAfter": millis, "serializedToken": base64_text}
DECISION = {"resource": text, "serviceProvider": SP, "mvpd": text, "source": text}
ATTRIBUTE = {"value": lambda value: value is not None, "state": one_of("plain", "enc")}


def is_attributes(value):
    return isinstance(value, dict) and "userID" in value and all(matches(ATTRIBUTE, each) for each in value.values())


PROFILE = {"notBefore": millis, "notAfter": millis, "issuer": text, "type": text, "attributes": is_attributes}


# Requests


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read().decode()

    @property
    def json(self):
        expect(self.headers["Content-Type"] == "application/json;charset=UTF-8",
               f"Content-Type {self.headers['Content-Type']} where JSON is due")
        return json.loads(self.body)

    def ok(self, status=200):
        expect(self.status == status, f"{self.status} instead of {status}: {self.body[:300]}")
        return self.json

    def refused(self, status, code, action="none"):
        expect(self.status == status, f"{self.status} instead of {status} {code}: {self.body[:300]}")
        checked_error(self.json, status, code, action)

    def page(self, status):
        expect(self.status == status, f"{self.status} instead of {status}: {self.body[:300]}")
        expect(self.headers["Content-Type"].startswith("text/html"), "a page is due")
        return self.body


def checked_error(value, status, code, action="none"):
    shaped({**ERROR, "status": status, "code": code, "action": action}, value, f"error {code}")


def send(url, method, target, headers=(), body=None):
    """One request on a connection of its own."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    try:
        connection.request(method, target, body, dict(headers))
        return Answer(connection.getresponse())
    finally:
        connection.close()


def statement(**claims):
    parts = (json.dumps({"alg": "RS256"}), json.dumps(claims), "signature")
    return ".".join(url64(part.encode()) for part in parts)


def url64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def base64_of(value):
    return base64.b64encode((value if isinstance(value, str) else json.dumps(value)).encode()).decode()


class Server:
    """server.py in a process of its own."""

    def __init__(self, *options):
        command = [sys.executable, os.path.join(HERE, "server.py"), "--port", "0", "--seed", "1", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        expect(self.url.startswith("http://"), f"no URL from {' '.join(options)}: {self.url}")
        self.count = 0

    def end(self):
        """Ends it, and returns what it printed beside its URL."""
        # A test process may have a signal blocked, and whoever it starts inherits that.
        self.process.kill()
        return self.process.communicate()[0]

    def order(self, name, /, **value):
        answer = send(self.url, "POST", "/_test/" + name, {"Content-Type": JSON}, json.dumps(value))
        expect(answer.status == 204, f"order {name}: {answer.status} {answer.body}")

    def wait(self, seconds):
        """The server's clock goes on; nobody sleeps."""
        self.order("clock", advance=seconds)

    def screen(self, **options):
        return Screen(self, **options)

    def unique(self, prefix):
        self.count += 1
        return f"{prefix}-{self.count}"


class Screen:
    """A registered application on a device, by itself or in the same home as another."""

    def __init__(self, server, device=None, claims=None, client=None, **headers):
        self.server, self.device = server, device or server.unique("device")
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.client = client or self.register(claims or {})
        self.renew()

    def register(self, claims):
        body = json.dumps({"software_statement": statement(**claims)})
        answer = send(self.server.url, "POST", "/o/client/register", {"Content-Type": JSON}, body)
        expect(answer.status == 201, f"register: {answer.status} {answer.body}")
        return json.loads(answer.body)

    def renew(self):
        form = urlencode({"client_id": self.client["client_id"], "client_secret": self.client["client_secret"],
                          "grant_type": "client_credentials"})
        answer = send(self.server.url, "POST", "/o/client/token", {"Content-Type": FORM}, form)
        expect(answer.status == 201, f"token: {answer.status} {answer.body}")
        self.bearer = json.loads(answer.body)["access_token"]

    def call(self, method, path, body=None, kind=None, bare=False, root=f"/api/v2/{SP}", **headers):
        """A call below the service provider. `bare` leaves the device's headers out; None leaves one out."""
        sent = {"Authorization": "Bearer " + self.bearer}
        if not bare:
            sent["AP-Device-Identifier"] = "fingerprint " + base64_of(self.device)
            sent["X-Device-Info"] = base64_of(INFORMATION)
        if kind:
            sent["Content-Type"] = kind
        sent.update(self.headers)
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        sent = {name: value for name, value in sent.items() if value is not None}
        return send(self.server.url, method, root + path, sent, body)

    # Operations

    def session(self, mvpd="demo-1", domainName="demo.test", redirectUrl=DONE, **headers):
        values = {"mvpd": mvpd, "domainName": domainName, "redirectUrl": redirectUrl}
        return self.call("POST", "/sessions", form(values), FORM, **headers)

    def resume(self, code, bare=True, **values):
        return self.call("POST", "/sessions/" + code, form(values), FORM, bare=bare)

    def look_up(self, code):
        return self.call("GET", "/sessions/" + code, bare=True)

    def profiles(self, mvpd=None, **headers):
        return self.call("GET", "/profiles" + (f"/{mvpd}" if mvpd else ""), **headers)

    def poll(self, code, **headers):
        return self.call("GET", "/profiles/code/" + code, bare=True, **headers)

    def preauthorize(self, mvpd, *resources, **headers):
        body = json.dumps({"resources": resources})
        return self.call("POST", "/decisions/preauthorize/" + mvpd, body, JSON, **headers)

    def authorize(self, mvpd, *resources, **headers):
        body = json.dumps({"resources": resources})
        return self.call("POST", "/decisions/authorize/" + mvpd, body, JSON, **headers)

    def log_out(self, mvpd, redirect=DONE, **headers):
        answer = self.call("GET", f"/logout/{mvpd}?redirectUrl={quote(redirect, safe='')}", **headers).ok()
        return answer["logouts"][mvpd]

    def partner_session(self, domainName="demo.test", redirectUrl=DONE, **headers):
        values = {"domainName": domainName, "redirectUrl": redirectUrl}
        return self.call("POST", "/sessions/sso/Apple", form(values), FORM, **headers)

    def partner_profile(self, response, **headers):
        body = "SAMLResponse=" + quote(base64_of(response), safe="")
        return self.call("POST", "/profiles/sso/Apple", body, FORM, **headers)

    # What is asked often

    def code(self, mvpd="demo-1", **headers):
        session = self.session(mvpd, **headers).ok()
        expect("code" in session, f"a code is due: {session}")
        return session["code"]

    def sign_in(self, mvpd="demo-1", user=None, **headers):
        """A code, a login in a browser with it, and the code."""
        code = self.code(mvpd, **headers)
        sign_in(self.server, code, user or "viewer of " + self.device)
        return code

    def shown(self, mvpd=None, **headers):
        """The profiles of a call for all or for one provider."""
        return self.profiles(mvpd, **headers).ok()["profiles"]

    def polled(self, code, **headers):
        return self.poll(code, **headers).ok()["profiles"]

    def decision(self, mvpd="demo-1", resource="c1", **headers):
        decisions = self.authorize(mvpd, resource, **headers).ok()["decisions"]
        expect(len(decisions) == 1, f"{len(decisions)} decisions for one resource")
        return decisions[0]


def form(values):
    return urlencode({name: value for name, value in values.items() if value is not None})


# The browser


class BrowserLogin:
    """A browser's way from a code's page to the provider's login page, and on with a user's answer."""

    def __init__(self, server, code):
        self.server = server
        self.first = send(server.url, "GET", f"/api/v2/authenticate/{SP}/{code}")
        expect(self.first.status in (200, 302), f"the code's page: {self.first.status} {self.first.body[:200]}")
        self.login_page = self.follow(self.first).page(200)

    def follow(self, answer):
        """Goes where an answer leads: by its Location, or by the form on its page."""
        if answer.status == 302:
            address = urlsplit(urljoin(self.server.url, answer.headers["Location"]))
            return send(self.server.url, "GET", f"{address.path}?{address.query}")
        return self.submit(answer.body)

    def submit(self, page, **typed):
        found = re.search(r"<form[^>]*method='post'[^>]*action='([^']*)'(.*?)</form>", page, re.S)
        expect(found, "no form to submit: " + page[:200])
        fields = dict(re.findall(r"<input type='hidden' name='([^']*)' value='([^']*)'", found.group(2)))
        values = {name: html.unescape(value) for name, value in fields.items()}
        target = urlsplit(urljoin(self.server.url, html.unescape(found.group(1))))
        return send(self.server.url, "POST", target.path, {"Content-Type": FORM}, urlencode({**values, **typed}))

    def answer(self, user, password="secret-word"):
        """Types a user and a password. Returns the address at which the browser ends, or the page it is shown."""
        page = self.submit(self.login_page, username=user, password=password)
        if "SAMLResponse" not in page.body:
            return page.body
        back = self.submit(page.body)
        expect(back.status == 302, f"the assertion: {back.status}")
        return back.headers["Location"]


def sign_in(server, code, user):
    arrived = BrowserLogin(server, code).answer(user)
    expect(arrived == DONE, f"the browser ends at {arrived}")


def no_page(server, code):
    send(server.url, "GET", f"/api/v2/authenticate/{SP}/{code}").page(400)


# What platforms and identity services send


def partner_status(access="granted", mapping_id="mso-demo-1", ends=None):
    provider = {"id": mapping_id} if mapping_id else {}
    if ends is not None:
        provider["expirationDate"] = str(int((time.time() + ends) * 1000))
    return {"AP_Partner_Framework_Status": base64_of(
        {"frameworkPermissionInfo": {"accessStatus": access}, "frameworkProviderInfo": provider})}


def saml(issuer="mso-demo-1", subject="ann", number=0):
    return (f'<samlp:Response ID="_{number}">\n\t<saml:Issuer>{issuer}</saml:Issuer>'
            f"<saml:NameID>{subject}</saml:NameID></samlp:Response>")


class Signer:
    """An outside identity service with a key pair. The pair is made anew, small, and by seed: it protects nothing."""

    def __init__(self, seed=1, bits=512):
        chance = random.Random(seed)
        p, q = self.prime(chance, bits), self.prime(chance, bits)
        self.n, self.e = p * q, 65537
        self.d = pow(self.e, -1, (p - 1) * (q - 1))
        self.secret = chance.getrandbits(256).to_bytes(32, "big")

    @staticmethod
    def prime(chance, bits):
        while True:
            number = chance.getrandbits(bits) | 1 << (bits - 1) | 1
            if number % 65537 != 1 and all(pow(base, number - 1, number) == 1 for base in (2, 3, 5, 7)):
                return number

    @property
    def keys(self):
        size = (self.n.bit_length() + 7) // 8
        return {"keys": [{"kty": "RSA", "kid": "k1", "e": "AQAB", "n": url64(self.n.to_bytes(size, "big"))},
                         {"kty": "oct", "k": url64(self.secret)}]}

    def service_token(self, subject, life=36_000_000, **claims):
        """AD-Service-Token: RS256 with a kid."""
        signed = self.unsigned({"alg": "RS256", "kid": "k1"}, subject, life, {"aud": "Adobe", **claims})
        size = (self.n.bit_length() + 7) // 8
        digest = (bytes.fromhex("3031300d060960864801650304020105000420")
                  + hashlib.sha256(signed.encode()).digest())
        block = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
        signature = pow(int.from_bytes(block, "big"), self.d, self.n).to_bytes(size, "big")
        return {"AD_Service_Token": f"{signed}.{url64(signature)}"}

    def subject_token(self, subject, life=36_000_000):
        """Adobe-Subject-Token, as in the sample: HS256."""
        signed = self.unsigned({"alg": "HS256"}, subject, life, {"aud": "adobe"})
        signature = hmac.new(self.secret, signed.encode(), hashlib.sha256).digest()
        return {"Adobe_Subject_Token": f"{signed}.{url64(signature)}"}

    @staticmethod
    def unsigned(head, subject, life, claims):
        now = int(time.time())
        claims = {"sub": subject, "iss": "identity.test", "iat": now, "exp": now + life, **claims}
        claims = {name: value for name, value in claims.items() if value is not None}
        return f"{url64(json.dumps(head).encode())}.{url64(json.dumps(claims).encode())}"


def roku(user):
    return {"X_Roku_Reserved_Roku_Connect_Token": "roku-of-" + user}
