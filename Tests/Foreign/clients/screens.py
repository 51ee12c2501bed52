"""A first and a second screen as most observed ones are. Each style is a first screen that does one thing its own
way, in a file of its own."""

import base64
import hashlib
import json
import time
from urllib.parse import quote, urlencode

from wire import Browser, ask, expect

REQUESTOR, DOMAIN = "DEMOTV", "adobe.com"
BACK = "https://login.example.test/done"


def base64url(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


class TV:
    """Registers, shows a code, polls, plays, signs out. JSON by `Accept`, R1 with its fields in a form."""

    resources = ["news"]
    user_agent = "okhttp/4.11.0"

    def __init__(self, base, name):
        self.base, self.name, self.bearer = base, name, None
        self.device = hashlib.md5(name.encode()).hexdigest()

    # How this style writes requests

    def headers(self, method, path):
        return {"User-Agent": self.user_agent, "Accept": "application/json",
                "Authorization": "Bearer " + self.bearer}

    def path(self, path):
        return path

    def parameters(self, path):
        return {"requestor": REQUESTOR, "deviceId": self.device}

    def code_fields(self):
        return {"deviceId": self.device, "ttl": "1800"}

    # What it asks

    def register(self):
        statement = ".".join([base64url({"alg": "RS256"}), base64url(
            {"software_id": "foreign-" + self.name, "software_name": self.name}), "c2lnbmF0dXJl"])
        client = ask("POST", self.base + "/o/client/register", {"Content-Type": "application/json"},
                     json.dumps({"software_statement": statement}))
        expect(client.status == 201, "registration", client)
        form = urlencode({"client_id": client.document["client_id"],
                          "client_secret": client.document["client_secret"],
                          "grant_type": "client_credentials"})
        token = ask("POST", self.base + "/o/client/token",
                    {"Content-Type": "application/x-www-form-urlencoded"}, form)
        expect(token.status in (200, 201), "access token", token)
        self.bearer = token.document["access_token"]
        expect(self.bearer.count(".") == 2, "the access token is no JWT:", self.bearer)

    def get(self, path, method="GET", **more):
        query = urlencode(self.parameters(path) | more)
        return ask(method, f"{self.base}{self.path(path)}?{query}", self.headers(method, path))

    def new_code(self):
        path = f"/reggie/v1/{REQUESTOR}/regcode"
        headers = self.headers("POST", path) | {"Content-Type": "application/x-www-form-urlencoded"}
        return ask("POST", self.base + self.path(path), headers, urlencode(self.code_fields()))

    def poll(self, code):
        return self.get("/api/v1/tokens/authn")

    def sign_in(self, phone):
        self.register()
        self.expect_state(403, "before anybody signed in")
        issued = self.new_code()
        expect(issued.status == 201, "registration code", issued)
        self.check_code(issued.document)
        code = issued.document["code"]
        answer = self.poll(code)
        expect(answer.status == 404, "a poll before the login", answer)
        user = phone.sign_in(code)
        for _ in range(50):
            answer = self.poll(code)
            if answer.status != 404:
                break
            time.sleep(0.1)
        expect(answer.status == 200, "poll", answer)
        token = answer.document
        expect(token["requestor"] == REQUESTOR and token["userId"], "token", token)
        expect(int(token["expires"]) > time.time() * 1000, "a token that is over", token)
        self.expect_state(200, "after the login")
        self.play()
        gone = self.get("/api/v1/logout", method="DELETE")
        expect(gone.status == 204, "logout", gone)
        self.expect_state(403, "after the logout")
        return user

    def expect_state(self, status, when):
        state = self.get("/api/v1/checkauthn")
        expect(state.status == status, when, state)

    def check_code(self, record):
        expect(record["requestor"] == REQUESTOR, "record", record)
        expect(int(record["expires"]) - int(record["generated"]) == 1_800_000, "life", record)

    def play(self):
        decided = self.get("/api/v1/preauthorize", resource=",".join(self.resources))
        expect(decided.status == 200, "preauthorize", decided)
        items = self.decisions(decided.document)
        expect(len(items) == len(self.resources), "as many decisions as resources:", decided)
        expect(all(str(each["authorized"]).lower() == "true" for each in items), decided)
        for resource in self.resources:
            for path in ("/api/v1/authorize", "/api/v1/tokens/authz", "/api/v1/tokens/media"):
                answer = self.get(path, resource=resource)
                expect(answer.status == 200, path, answer)
                got = answer.document["resource"]
                expect(got.strip() == resource.strip(), f"{path}: {got!r} for {resource!r}")

    @staticmethod
    def decisions(document):
        items = document.get("resources", document.get("resource"))
        return items if isinstance(items, list) else [items]


class Phone:
    """A second screen as all observed ones are: no client, no access token, no device information."""

    headers = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)",
               "Accept": "application/json"}

    def __init__(self, base, name):
        self.base, self.user = base, "viewer-" + name

    def get(self, path):
        return ask("GET", self.base + path, self.headers)

    def sign_in(self, code):
        record = self.get(f"/reggie/v1/{REQUESTOR}/regcode/{code.lower()}")
        expect(record.status == 200 and record.document["code"] == code, "look-up", record)
        offer = self.get(f"/api/v1/config/{REQUESTOR}")
        expect(offer.status == 200, "configuration", offer)
        mvpds = offer.document["requestor"]["mvpds"]
        mvpd = next(each["id"] for each in mvpds if not each.get("isTempPass"))
        query = (f"reg_code={code}&requestor_id={REQUESTOR}&mso_id={quote(mvpd, safe='')}"
                 f"&domain_name={DOMAIN}&noflash=true&no_iframe=true"
                 f"&redirect_url={quote(BACK, safe='')}")
        Browser(BACK, self.user).go(f"{self.base}/api/v1/authenticate?{query}")
        done = self.get(f"/api/v1/checkauthn/{code}?requestor={REQUESTOR}")
        expect(done.status == 200, "the phone's check", done)
        return self.user
