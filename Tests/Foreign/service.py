"""The sign-in service: registration, codes, tokens, authorizations. Written from the protocol's page alone."""

import base64
import json
import re
import secrets
import string
import time
from urllib.parse import quote, unquote, urlencode

import login
from http11 import Response

CODE_LETTERS = string.ascii_uppercase + string.digits
HOUR = 3600 * 1000


def now():
    return int(time.time() * 1000)


class Code:
    def __init__(self, requestor, device, expires, record):
        self.requestor, self.device, self.expires, self.record = requestor, device, expires, record
        self.device_user, self.app = None, None
        self.token = None  # of the sign-in that spent it
        self.gone = False

    @property
    def lives(self):
        return not self.gone and now() < self.expires


class Token:
    """A device's sign-in, with the authorizations under it."""

    def __init__(self, requestor, device, mvpd, user, lifetime):
        self.requestor, self.device, self.mvpd, self.user = requestor, device, mvpd, user
        self.device_user, self.app = None, None
        self.expires = now() + lifetime
        self.granted, self.updated = {}, now() // 1000
        self.visible_from, self.reads, self.ended = 0, 0, False
        self.trial_ends = None  # of a free preview, from its first authorization on


class Service:
    def __init__(self, options, accounts, answers):
        self.options, self.accounts, self.answers = options, accounts, answers
        self.provider = login.Provider(accounts, answers)
        self.clients, self.bearers, self.codes = {}, {}, {}
        self.newest_code, self.tokens, self.flows, self.relays = {}, {}, {}, {}
        self.signed_in_before = []  # (mvpd, user), for the fault wrong-user
        self.routes = [(method, re.compile(pattern + r"\Z"), action, access)
                       for method, pattern, action, access in self.table()]

    @property
    def nobody(self):
        return "User not Authenticated" if "words" in self.options.shape else "User not authenticated"

    def table(self):
        requestor, code = r"(?P<requestor>[^/]+)", r"(?P<code>[^/]+?)"
        suffix = r"(?:\.json|\.xml)?"
        open_to_all, bearer, optional = "open", "bearer", "optional"
        return [
            ("POST", r"/o/client/register", self.register, open_to_all),
            ("POST", r"/o/client/token", self.token, open_to_all),
            ("POST", rf"/reggie/v1/{requestor}/regcode{suffix}", self.new_code, bearer),
            ("GET", rf"/reggie/v1/{requestor}/regcode/{code}{suffix}", self.look_up, optional),
            ("DELETE", rf"/reggie/v1/{requestor}/regcode/{code}{suffix}", self.delete_code, bearer),
            ("GET", rf"/api/v1/config/{requestor}{suffix}", self.configuration, optional),
            ("GET", rf"/adobe-services/config/{requestor}{suffix}", self.configuration, optional),
            ("GET", r"/api/v1/authenticate", self.authenticate, open_to_all),
            ("GET", rf"/api/v1/authenticate/{code}{suffix}", self.token_of_code, bearer),
            ("GET", r"/adobe-services/authenticate/saml", self.second_hop, open_to_all),
            ("GET", r"/idp/(?P<mvpd>[^/]+)/sso", self.provider_entry, open_to_all),
            ("POST", r"/idp/(?P<mvpd>[^/]+)/sso", self.provider_entry, open_to_all),
            ("POST", r"/idp/(?P<mvpd>[^/]+)/login", self.provider_login, open_to_all),
            ("POST", r"/sp/saml/SAMLAssertionConsumer", self.consume, open_to_all),
            ("POST", r"/sp/arrive", self.arrive, open_to_all),
            ("GET", r"/sp/callback", self.call_back, open_to_all),
            ("GET", r"/sp/landing", self.land, open_to_all),
            ("GET", r"/sp/session/establish", self.establish, open_to_all),
            ("GET", r"/sp/session/done", self.leave, open_to_all),
            ("GET", rf"/api/v1/checkauthn{suffix}", self.check_device, bearer),
            ("GET", rf"/api/v1/checkauthn/{code}{suffix}", self.check_code, optional),
            ("GET", rf"/api/v1/tokens/authn{suffix}", self.authentication, bearer),
            ("POST", r"/api/v1/authenticate/freepreview", self.free_preview, bearer),
            ("GET", rf"/api/v1/preauthorize{suffix}", self.preauthorize, bearer),
            ("GET", rf"/api/v1/preauthorize/{code}{suffix}", self.preauthorize_code, optional),
            ("GET", rf"/api/v1/authorize{suffix}", self.authorize, bearer),
            ("GET", rf"/api/v1/tokens/authz{suffix}", self.authorization, bearer),
            ("GET", rf"/api/v1/tokens/media{suffix}", self.media, bearer),
            ("GET", rf"/api/v1/mediatoken{suffix}", self.media, bearer),
            ("GET", rf"/api/v1/tokens/usermetadata{suffix}", self.metadata, bearer),
            ("DELETE", rf"/api/v1/logout{suffix}", self.logout, bearer),
            ("GET", r"/api/v1/logout", self.browser_logout, open_to_all),
            ("GET", r"/adobe-services/logout", self.logout_hop, open_to_all),
            ("GET", r"/idp/(?P<mvpd>[^/]+)/logout", self.logout_hop, open_to_all),
        ]

    def handle(self, request):
        method_matters = False
        for method, pattern, action, access in self.routes:
            found = pattern.match(request.path)
            if not found:
                continue
            if method != request.method:
                method_matters = True
                continue
            if access != "open":
                refusal = self.refusal(request, required=access == "bearer")
                if refusal:
                    return refusal
            refusal = self.device_information_refusal(request)
            return refusal or action(request, **found.groupdict())
        if method_matters:
            return self.answers.error(request, 405, "Method Not Allowed")
        return self.answers.error(request, 404, "Not Found")

    # What each request must bring

    def refusal(self, request, required):
        header = request.headers.get("authorization", "")
        presented = header[7:].strip() if header[:7].lower() == "bearer " else None
        presented = presented or request.values.get("access_token")
        if presented is None and not header and not required:
            return None
        if self.bearers.get(presented, 0) > now():
            return None
        return Response(401, '{"error":"access_denied"}', "application/json")

    def device_information_refusal(self, request):
        sent = request.headers.get("x-device-info") or request.values.get("device_info")
        if not sent:
            return None
        text = unquote(sent).replace("-", "+").replace("_", "/")
        try:
            value = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), validate=True))
            if isinstance(value["model"], str) and isinstance(value["osName"], str):
                return None
        except (ValueError, KeyError, TypeError):
            pass
        return self.answers.error(request, 400, "invalid_device_info")

    def missing(self, request, *names):
        """The answer to a request without one of these, or with a requestor that nobody registered."""
        for name in names:
            if not request.values.get(name):
                return self.answers.error(request, 400, f"Required '{name}' is not present")
        requestor = request.values.get("requestor") or request.values.get("requestor_id")
        if requestor is not None and requestor not in self.options.requestor:
            return self.answers.error(request, 400, "invalid_requestor")
        return None

    # Clients

    def register(self, request):
        try:
            statement = json.loads(request.body)["software_statement"]
        except (ValueError, KeyError, TypeError):
            return oauth_error("invalid_request")
        if not isinstance(statement, str) or statement.count(".") != 2:
            return oauth_error("invalid_software_statement")
        client, secret = secrets.token_hex(16), secrets.token_hex(24)
        self.clients[client] = secret
        return plain_json(201, {
            "client_id": client, "client_secret": secret, "client_id_issued_at": now() // 1000,
            "redirect_uris": ["demo://done"], "grant_types": ["client_credentials"],
            "scopes": ["api:client:v1"]})

    def token(self, request):
        values = request.values
        if not values.get("client_id") or not values.get("client_secret"):
            return oauth_error("invalid_request")
        if values.get("grant_type") != "client_credentials":
            return oauth_error("unsupported_grant_type")
        if self.clients.get(values["client_id"]) != values["client_secret"]:
            return oauth_error("invalid_client")
        bearer = ".".join([url64(json.dumps({"alg": "RS256", "typ": "JWT"}).encode()),
                           url64(secrets.token_bytes(184)), url64(secrets.token_bytes(256))])
        lifetime = self.options.bearer_seconds
        self.bearers[bearer] = now() + lifetime * 1000
        return plain_json(201, {
            "id": secrets.token_hex(16), "access_token": bearer, "created_at": now(),
            "expires_in": lifetime, "token_type": "bearer"})

    # Codes

    def new_code(self, request, requestor):
        values = request.values
        refusal = self.missing(request, "deviceId")
        if refusal:
            return refusal
        if requestor not in self.options.requestor:
            return self.answers.error(request, 400, "invalid_requestor")
        ttl = values.get("ttl", "1800")
        if not ttl.isdigit() or not 1 <= int(ttl) <= 36000:
            return self.answers.error(request, 400, "invalid 'ttl'")
        text = self.fresh_code()
        generated = now()
        expires = generated + (int(self.options.faults.value("code-life")) or int(ttl) * 1000)
        device = values["deviceId"]
        record = {"id": self.record_id(), "code": text, "requestor": requestor}
        if values.get("mvpd"):
            record["mvpd"] = values["mvpd"]
        elif "info" in self.options.shape:
            record["mvpd"] = None
        if self.options.faults.strikes("other-requestor"):
            record["requestor"] = "OTHER"
        named = "somebody-else" if self.options.faults.strikes("other-device") else device
        record |= {"generated": generated, "expires": expires, "info": self.info(request, named)}
        code = Code(requestor, device, expires, record)
        code.device_user, code.app = values.get("deviceUser"), values.get("appId")
        if device != "dummy":
            previous = self.codes.get(self.newest_code.get((requestor, device)))
            if previous and previous.token is None:
                previous.gone = True
            self.newest_code[requestor, device] = text
        self.codes[text] = code
        return self.record(request, 201, record)

    def fresh_code(self):
        while True:
            text = "".join(secrets.choice(CODE_LETTERS) for _ in range(6 if "code" in self.options.shape else 7))
            if text not in self.codes or not self.codes[text].lives:
                return text

    def record_id(self):
        digits = secrets.token_hex(20)
        if "id" in self.options.shape:  # 8-8-4-4-4-12, as recorded
            cuts = (0, 8, 16, 20, 24, 28, 40)
        else:
            digits = digits[:12] + "4" + digits[13:16] + "a" + digits[17:32]
            cuts = (0, 8, 12, 16, 20, 32)
        return "-".join(digits[a:b] for a, b in zip(cuts, cuts[1:]))

    def info(self, request, device):
        values = request.values
        deprecated = ("deviceType", "deviceUser", "appId", "appVersion", "registrationURL")
        info = {"deviceId": base64.b64encode(device.encode()).decode()}
        if "info" in self.options.shape:  # the older one, without deviceInfo
            return info | {name: values.get(name) for name in deprecated}
        agent = request.headers.get("user-agent", "")
        sent = request.headers.get("x-device-info") or values.get("device_info")
        told = json.loads(base64.b64decode(unquote(sent) + "==")) if sent else {
            "model": agent, "osName": "Linux"}
        normal = {"model": told["model"], "type": told.get("primaryHardwareType", "Unknown"),
                  "operatingSystem": {"name": told["osName"]}}
        info |= {
            "deviceInfo": base64.b64encode(json.dumps(normal).encode()).decode(),
            "userAgent": agent, "originalUserAgent": agent, "authorizationType": "OAUTH2",
            "sourceApplicationInformation": {"id": "app-1", "name": "foreign", "version": "1"}}
        if "echo" in self.options.shape:
            info |= {name: values[name] for name in deprecated if values.get(name)}
        return info | {name: values[name] for name in deprecated if values.get(name)}

    def record(self, request, status, record):
        xml = dict(record)
        xml.setdefault("mvpd", None)
        xml["info"] = {key: value for key, value in record["info"].items()
                       if not isinstance(value, dict)}
        name = 'ns2:regcode xmlns:ns2="model.mvc.reggie.pass.adobe.com"'
        return self.answers.body(request, status, record, name, xml)

    def living_code(self, text, requestor):
        code = self.codes.get(text.upper())
        return code if code and code.lives and code.requestor == requestor else None

    def look_up(self, request, requestor, code):
        found = self.living_code(code, requestor)
        if not found:
            return self.answers.error(request, 404, "Not Found")
        return self.record(request, 200, found.record)

    def delete_code(self, request, requestor, code):
        found = self.living_code(code, requestor)
        if not found:
            return self.answers.error(request, 404, "Not Found")
        found.gone = True
        return self.answers.empty(204)

    def configuration(self, request, requestor):
        if requestor not in self.options.requestor:
            return self.answers.error(request, 404, "Not Found")
        mvpds = [{"id": name, "displayName": name, "logoUrl": f"{request.origin}/logo/{name}.png"}
                 for name in self.mvpds]
        mvpds += [{"id": self.options.temp_pass, "displayName": "Free preview",
                   "logoUrl": f"{request.origin}/logo/free.png", "isTempPass": True}]
        if self.answers.bare:
            mvpds = [each | {"iFrameRequired": False, "iFrameWidth": 1, "iFrameHeight": 1}
                     for each in mvpds]
        domains = [{"name": name, "mvpdInitiated": False} for name in self.options.domain]
        value = {"requestor": {"id": requestor, "name": requestor, "domains": domains,
                               "mvpds": mvpds}}
        xml = {"requestor": value["requestor"] | {
            "domains": {"domain": domains}, "mvpds": {"mvpd": mvpds}}}
        name = 'ns2:config xmlns:ns2="config.pass.adobe.com"' if self.answers.bare else "config"
        return self.answers.body(request, 200, value, name, xml)

    @property
    def mvpds(self):
        return list(dict.fromkeys(self.options.mvpd + self.accounts.mvpds))

    # The second screen's browser

    def authenticate(self, request):
        refusal = self.missing(
            request, "reg_code", "requestor_id", "mso_id", "domain_name", "redirect_url")
        if refusal:
            return refusal
        values = request.values
        code = self.living_code(values["reg_code"], values["requestor_id"])
        if not code or code.token is not None:
            return self.answers.error(request, 400, "Registration code not found")
        if values["mso_id"] not in self.mvpds:
            return self.answers.error(request, 400, "unknown_integration")
        if values["domain_name"] not in self.options.domain:
            return self.answers.error(request, 400, "Invalid 'domain_name'")
        flow = login.Flow(code, values["mso_id"], values["redirect_url"])
        ticket = secrets.token_urlsafe(18)
        self.flows[ticket] = self.relays[flow.relay] = flow
        if self.options.faults.strikes("early-token"):
            self.store(Token(code.requestor, code.device, flow.mvpd, "u-early", self.options.token_ms))
        query = urlencode({"noflash": "true", "mso_id": flow.mvpd, "requestor_id": code.requestor,
                           "no_iframe": "true", "domain_name": values["domain_name"],
                           "redirect_url": flow.redirect})
        return self.answers.redirect(
            f"/adobe-services/authenticate/saml?{query}",
            [("Set-Cookie", f"AP_FLOW={ticket}; Path=/; HttpOnly")])

    def second_hop(self, request):
        flow = self.flows.get(request.cookie("AP_FLOW") or "")
        if not flow:
            return self.answers.error(request, 400, "No authentication is in progress")
        shape = next((each for each in ("form", "meta") if each in self.options.shape), "redirect")
        return login.hop_two(self.answers, shape, request, flow)

    def provider_entry(self, request, mvpd):
        return self.provider.entry(request, mvpd)

    def provider_login(self, request, mvpd):
        return self.provider.login(request, mvpd, self.lead_back)

    def lead_back(self, request, assertion, relay):
        if "direct" in self.options.shape:
            return self.finish(request, assertion, relay)
        if "oidc" in self.options.shape:
            return self.answers.redirect(
                "/sp/callback?" + urlencode({"state": relay, "code": assertion}))
        if "own" in self.options.shape:
            return self.provider.post_back(
                request, assertion, relay, "/sp/arrive", ("ticket", "back"))
        if "hosted" in self.options.shape:
            return login.detour(self.answers, self.finish(request, assertion, relay))
        if "hops" in self.options.shape:
            return self.answers.redirect(
                "/sp/landing?" + urlencode({"ticket": assertion, "back": relay}))
        if "page" in self.options.shape:
            return login.last_page(self.answers, self.finish(request, assertion, relay))
        return self.provider.post_back(request, assertion, relay)

    def land(self, request):
        return login.detour(self.answers, self.finish(
            request, request.values.get("ticket"), request.values.get("back", "")))

    def establish(self, request):
        return login.pause(self.answers, "/sp/session/done", request.values.get("to", "/"))

    def leave(self, request):
        return self.answers.redirect(request.values.get("to", "/"))

    def consume(self, request):
        return self.finish(
            request, request.form.get("SAMLResponse"), request.form.get("RelayState", ""))

    def arrive(self, request):
        return self.finish(request, request.form.get("ticket"), request.form.get("back", ""))

    def call_back(self, request):
        return self.finish(request, request.values.get("code"), request.values.get("state", ""))

    def finish(self, request, assertion, relay):
        if not assertion:
            return self.answers.error(request, 503, "No SAML message")
        flow = self.relays.get(relay)
        if not flow:
            return self.answers.error(request, 400, "Unknown RelayState")
        accepted = self.provider.accepted(assertion)
        code = flow.code
        if (accepted and accepted[0] == flow.mvpd and accepted[2] == flow.request
                and code.lives and code.token is None):
            self.sign_in(code, flow.mvpd, accepted[1])
            return self.answers.redirect(flow.redirect)
        mark = "&" if "?" in flow.redirect else "?"
        return self.answers.redirect(flow.redirect + mark + "error=access_denied")

    def sign_in(self, code, mvpd, user):
        faults = self.options.faults
        shown = (mvpd, user)
        if faults.strikes("wrong-user"):
            others = [each for each in self.signed_in_before if each != shown]
            shown = others[-1] if others else shown
        self.signed_in_before = self.signed_in_before[-50:] + [(mvpd, user)]
        token = Token(code.requestor, code.device, mvpd, shown[1], self.options.token_ms)
        token.device_user, token.app = code.device_user, code.app
        token.visible_from = now() + faults.value("late-visibility")
        code.token = token
        if not faults.strikes("never-delivered"):
            self.store(token)

    def store(self, token):
        previous = self.tokens.get((token.requestor, token.device))
        if previous:
            previous.ended = True
        self.tokens[token.requestor, token.device] = token

    def check_code(self, request, code):
        refusal = self.missing(request, "requestor")
        if refusal:
            return refusal
        found = self.living_code(code, request.values["requestor"])
        recorded = "recorded" in self.options.shape
        if found and found.token and (
                recorded or not found.token.ended and found.token.expires > now()):
            return self.answers.empty(200)
        return self.answers.error(request, 403, "Forbidden")

    # The first screen

    def find(self, request):
        """The device's sign-in, though it may have run out; None when it has none."""
        values = request.values
        token = self.tokens.get((values.get("requestor"), values.get("deviceId")))
        if token is None or token.visible_from > now():
            return None
        if any(sent is not None and kept is not None and sent != kept for sent, kept in (
                (values.get("deviceUser"), token.device_user), (values.get("appId"), token.app))):
            return None
        return token

    def living(self, request):
        token = self.find(request)
        if token is None or token.expires <= now() and not self.options.faults.strikes("outlives-expiry"):
            return None
        token.reads += 1
        if token.reads == 3 and self.options.faults.strikes("lost-session"):
            token.ended = True
            del self.tokens[token.requestor, token.device]
            return None
        return token

    def overloaded(self):
        return Response(503) if self.options.faults.strikes("busy") else None

    def check_device(self, request):
        refusal = self.missing(request, "requestor", "deviceId") or self.overloaded()
        if refusal:
            return refusal
        token = self.find(request)
        if self.living(request):
            return self.answers.empty(200)
        expired = token is not None and token.expires <= now()
        message = "Authentication token expired" if expired else "Authentication token not found"
        return self.answers.error(request, 403, message)

    def authentication(self, request):
        refusal = self.missing(request, "requestor", "deviceId") or self.overloaded()
        if refusal:
            return refusal
        token = self.find(request)
        if token is not None and token.expires <= now():
            return self.answers.error(request, 410, "Gone")
        found = self.living(request)
        others = [each for each in self.tokens.values() if each is not found]
        if found and others and self.options.faults.strikes("crossed-poll"):
            found = self.options.faults.random.choice(others)
        return self.token_answer(request, found)

    def token_of_code(self, request, code):
        refusal = self.missing(request, "requestor")
        if refusal:
            return refusal
        found = self.living_code(code, request.values["requestor"])
        token = found.token if found else None
        stored = token and self.tokens.get((token.requestor, token.device)) is token
        if not stored or token.visible_from > now() or token.expires <= now():
            token = None
        return self.token_answer(request, token)

    def token_answer(self, request, token):
        if token is None:
            return self.answers.error(request, 404, "Not Found")
        life = self.options.token_ms
        dead = self.options.faults.strikes("expired-token")
        value = {"mvpd": token.mvpd, "requestor": token.requestor, "userId": token.user,
                 "expires": self.answers.expiry(token.expires - (life + HOUR if dead else 0))}
        return self.answers.body(request, 200, value, "authentication")

    def metadata(self, request):
        refusal = self.missing(request, "requestor", "deviceId")
        if refusal:
            return refusal
        token = self.living(request)
        if token is None:
            return self.answers.error(request, 412, self.nobody)
        if self.options.no_metadata:
            return self.answers.error(request, 404, "Not Found")
        data = {"userID": token.user, "householdID": "h-" + token.user[2:],
                "zip": url64(secrets.token_bytes(256)), "hba_status": "false",
                "maxRating": {"MPAA": "PG-13"}, "mvpd": token.mvpd}
        value = {"updated": token.updated, "encrypted": ["zip"], "data": data}
        return self.answers.body(request, 200, value, "metadata")

    def resource(self, request):
        sent = request.values["resource"]
        return sent.strip() if "trim" in self.options.shape else sent

    def preauthorize(self, request):
        refusal = self.missing(request, "requestor", "deviceId", "resource")
        return refusal or self.decisions(request, self.living(request))

    def preauthorize_code(self, request, code):
        refusal = self.missing(request, "requestor", "resource")
        if refusal:
            return refusal
        found = self.living_code(code, request.values["requestor"])
        token = found.token if found else None
        alive = token and not token.ended and token.expires > now()
        return self.decisions(request, token if alive else None)

    def decisions(self, request, token):
        if token is None:
            return self.answers.error(request, 412, self.nobody)
        wanted = resources(request.values["resource"])
        if len(wanted) > 5:
            return self.answers.error(request, 403, "too_many_resources")
        items = [{"id": each, "authorized": each not in self.options.deny} for each in wanted]
        return self.answers.body(request, 200, {"resources": items}, "resources",
                                 {"resource": items},
                                 [("Adobe-Response-Confidence", "full")])

    def authorize(self, request):
        refusal = self.missing(request, "requestor", "deviceId", "resource")
        if refusal:
            return refusal
        token, resource = self.living(request), self.resource(request)
        if token is None:
            return self.answers.error(request, 403, self.nobody)
        if resource.strip() in self.options.deny:
            return self.answers.error(request, 403, "noAuthz", "Not part of your package.")
        if token.mvpd == self.options.temp_pass:
            token.trial_ends = token.trial_ends or now() + self.options.trial_ms
            if now() >= token.trial_ends:
                return self.answers.error(request, 403, "User not authorized", "Preview is over.")
        if token.granted.get(resource, 0) <= now():
            token.granted[resource] = now() + 24 * HOUR
        return self.authorized(request, token, resource)

    def authorized(self, request, token, resource):
        value = {"resource": resource, "mvpd": token.mvpd, "requestor": token.requestor,
                 "expires": self.answers.expiry(token.granted[resource])}
        return self.answers.body(request, 200, value, "authorization")

    def authorization(self, request):
        refusal = self.missing(request, "requestor", "deviceId", "resource")
        if refusal:
            return refusal
        token, resource = self.living(request), self.resource(request)
        if token is None:
            return self.answers.error(request, 412, self.nobody)
        if resource not in token.granted:
            return self.answers.error(request, 404, "Not Found")
        if token.granted[resource] <= now():
            return self.answers.error(request, 410, "Gone")
        return self.authorized(request, token, resource)

    def media(self, request):
        refusal = self.missing(request, "requestor", "deviceId", "resource")
        if refusal:
            return refusal
        token, resource = self.living(request), self.resource(request)
        if token is None:
            return self.answers.error(request, 403, self.nobody)
        if token.granted.get(resource, 0) <= now():
            return self.answers.error(request, 403, "User not authorized")
        inside = (f"<signatureInfo>{url64(secrets.token_bytes(256))}</signatureInfo>"
                  f"<shortAuthorizationToken><sessionGUID>{secrets.token_hex(16)}</sessionGUID>"
                  f"<requestorID>{token.requestor}</requestorID><ttl>420000</ttl>"
                  f"<issueTime>{now()}</issueTime><mvpdId>{token.mvpd}</mvpdId>"
                  "</shortAuthorizationToken>")
        value = {"mvpdId": token.mvpd, "expires": self.answers.expiry(now() + 420_000),
                 "serializedToken": base64.b64encode(inside.encode()).decode(),
                 "userId": token.user, "requestor": token.requestor, "resource": resource}
        return self.answers.body(request, 200, value, "play")

    def free_preview(self, request):
        refusal = self.missing(request, "requestor_id", "deviceId", "mso_id", "domain_name")
        if refusal:
            return refusal
        values = request.values
        if values["mso_id"] != self.options.temp_pass:
            return self.answers.error(request, 400, "unknown_integration")
        if values["domain_name"] not in self.options.domain:
            return self.answers.error(request, 400, "Invalid 'domain_name'")
        previous = self.tokens.get((values["requestor_id"], values["deviceId"]))
        token = Token(values["requestor_id"], values["deviceId"], values["mso_id"],
                      "u-" + secrets.token_hex(7), self.options.token_ms)
        token.device_user, token.app = values.get("deviceUser"), values.get("appId")
        if previous and previous.mvpd == token.mvpd:
            token.user, token.trial_ends = previous.user, previous.trial_ends
        self.store(token)
        return self.answers.empty(204)

    def logout(self, request):
        refusal = self.missing(request, "requestor", "deviceId")
        if refusal:
            return refusal
        token = self.find(request) or self.tokens.get(
            (request.values["requestor"], request.values["deviceId"]))
        if not token and self.options.faults.planted.get("lost-logout"):
            return self.answers.error(request, 404, "Not Found")
        if token:
            token.ended = True
            self.tokens.pop((token.requestor, token.device), None)
        return self.answers.empty(204)

    def browser_logout(self, request):
        refusal = self.missing(request, "requestor", "deviceId", "redirect_url")
        if refusal:
            return refusal
        values = request.values
        token = self.find(request)
        mvpd = token.mvpd if token else self.mvpds[0]
        self.logout(request)
        query = urlencode({"noflash": "true", "mso_id": mvpd, "requestor_id": values["requestor"],
                           "redirect_url": values["redirect_url"]})
        return self.answers.redirect(f"/adobe-services/logout?{query}")

    def logout_hop(self, request, mvpd=None):
        target = request.values.get("redirect_url", "/")
        chosen = request.values.get("mso_id")
        if mvpd is None and chosen in self.mvpds:
            target = (f"{request.origin}/idp/{quote(chosen, safe='')}/logout?"
                      + urlencode({"redirect_url": target}))
        return self.answers.redirect(target)


def resources(text):
    """A list by commas; a comma inside of an MRSS fragment divides nothing."""
    if "<" not in text:
        return [each.strip() for each in text.split(",") if each.strip()]
    return [each.strip() for each in re.findall(r"<rss.*?</rss>|[^<,]+", text, re.S) if each.strip()]


def plain_json(status, value):
    return Response(status, json.dumps(value), "application/json;charset=utf-8")


def oauth_error(name):
    return plain_json(400, {"error": name})


def url64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
