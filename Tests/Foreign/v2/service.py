"""The service: routes, the checks before each operation, and one lock around the state.

Here and in the other modules, numbers in parentheses are sections of the protocol's page, B numbers its readings,
and letters such as S1 or P3 its names of operations.
"""

import json
import random
import re
import threading
import traceback

import decisions
import linking
import partner
import views
from answers import Answers
from browser import Browser
from clients import Clients
from control import Control
from degradation import Degradation
from errors import Refusal, UnusableSession
from headers import device_identifier, device_information, required_device
from http11 import Response
from profiles import Profiles
from sessions import Sessions
from temppass import TempPasses
from throttle import Throttle

FORM, JSON = "application/x-www-form-urlencoded", "application/json"
THROTTLED = ("/api/v2/", "/o/client/register", "/o/client/token")
CORS = [("Access-Control-Allow-Origin", "*"),
        ("Access-Control-Allow-Methods", "POST, GET, OPTIONS, DELETE"),
        ("Access-Control-Allow-Headers", "AP-Device-Identifier, AP-Session-Identifier, AP-SDK-Identifier, "
                                         "X-Device-Info, authorization, content-type")]


class Call:
    """A request, with the client and device that the checks found."""

    def __init__(self, request, sp=None):
        self.request, self.headers, self.form, self.sp = request, request.headers, request.form, sp
        self.named_device = device_identifier(request.headers)
        self.client, self.device, self.information, self.code = None, None, {}, None

    @property
    def owner(self):
        """The key of profiles: application, device and service provider (4)."""
        return (self.client.id, self.device, self.sp)

    def has_content(self, kind):
        return self.headers.get("content-type", "").lower().startswith(kind)

    @property
    def address(self):
        return self.headers.get("x-forwarded-for", self.request.peer).split(",")[0].strip()


class Route:
    """An operation: its path, and what its requests must contain (3.1)."""

    def __init__(self, method, path, action, bearer=True, device=True, content=None, is_page=False):
        names = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path)
        self.method, self.pattern, self.action = method, re.compile(names + r"\Z"), action
        self.bearer, self.device, self.content, self.is_page = bearer, device, content, is_page


class Core:
    """The parts of the service and what they share."""

    def __init__(self, settings, clock, faults, identities, seed):
        self.settings, self.clock, self.faults, self.identities = settings, clock, faults, identities
        self.random = random.Random(seed)
        self.clients = Clients(settings, clock, self.random)
        self.degradation = Degradation(clock, faults)
        self.temp_passes = TempPasses(settings, clock)
        self.profiles = Profiles(settings, clock, faults)
        self.sessions = Sessions(self)


class Service:
    def __init__(self, core, accounts):
        self.core, self.settings, self.lock = core, core.settings, threading.Lock()
        self.answers = Answers(bare=False)
        self.throttle = Throttle(core.settings.rate, core.settings.burst, core.clock)
        self.browser = Browser(core, accounts, self.answers)
        self.views, self.decisions = views.Views(core), decisions.Decisions(core)
        self.partner, self.linking, self.control = partner.Partner(core), linking.Linking(core), Control(core)
        self.routes = self.table()

    def table(self):
        core, browser, api = self.core, self.browser, "/api/v2/{sp}"
        sessions, shown, decided = core.sessions, self.views, self.decisions
        page = {"bearer": False, "device": False, "is_page": True}
        return [
            Route("POST", "/o/client/register", self.register, bearer=False, device=False),
            Route("POST", "/o/client/token", self.token, bearer=False, device=False),
            Route("GET", api + "/configuration/?", self.configuration, device=False),
            Route("POST", api + "/sessions", sessions.create, content=FORM),
            Route("POST", api + "/sessions/sso/{partner}", self.partner.request, content=FORM),
            Route("POST", api + "/sessions/{code}", sessions.resume, device=False, content=FORM),
            Route("GET", api + "/sessions/{code}", sessions.look_up, device=False),
            Route("GET", "/api/v2/authenticate/{sp}/{code}", browser.authenticate, **page),
            Route("GET", api + "/profiles", shown.all),
            Route("GET", api + "/profiles/code/{code}", shown.by_code, device=False),
            Route("POST", api + "/profiles/sso/{partner}", self.partner.profile, content=FORM),
            Route("GET", api + "/profiles/{mvpd}", shown.by_mvpd),
            Route("POST", api + "/decisions/preauthorize/{mvpd}", decided.preauthorize, content=JSON),
            Route("POST", api + "/decisions/authorize/{mvpd}", decided.authorize, content=JSON),
            Route("GET", api + "/logout/{mvpd}", shown.log_out),
            Route("POST", "/api/{sp}/serviceToken", self.linking.create, device=False),
            Route("GET", "/api/{sp}/serviceToken", self.linking.refresh, device=False),
            Route("POST", "/api/{sp}/link", self.linking.link, device=False),
            Route("POST", "/api/{sp}/unlink", self.linking.unlink, device=False),
            Route("GET", "/api/{sp}/list", self.linking.list, device=False),
            Route("GET", "/idp/{mvpd}/sso", browser.provider_entry, **page),
            Route("POST", "/idp/{mvpd}/sso", browser.provider_entry, **page),
            Route("POST", "/idp/{mvpd}/login", browser.provider_login, **page),
            Route("POST", "/sp/saml/SAMLAssertionConsumer", browser.consume, **page),
            Route("GET", "/adobe-services/logout", browser.logout_hop, **page),
            Route("GET", "/sp/landing", browser.land, **page),
            Route("GET", "/sp/session/establish", browser.establish, **page),
            Route("GET", "/sp/session/done", browser.leave, **page),
            Route("GET", "/idp/{mvpd}/logout", browser.logout_hop, **page),
            Route("DELETE", "/reset-tempass/v3/reset", self.control.reset_device, device=False),
            Route("DELETE", "/reset-tempass/v3/reset/generic", self.control.reset_person, device=False),
            Route("GET", "/_test/faults", self.control.counts, bearer=False, device=False),
            Route("POST", "/_test/{order}", self.control.order, bearer=False, device=False),
        ]

    def handle(self, request):
        """Returns the answer, and what the log says about the request. The lock keeps each call atomic."""
        call = Call(request)
        with self.lock:
            try:
                response = self.answered(call)
            except Exception:  # a defect of this service must be visible, not only a status
                print("defect:", request.method, request.path, traceback.format_exc(), flush=True)
                response = self.json(Refusal("internal_server_error").body(), 500)
        return response, {"device": call.named_device, "code": call.code}

    def answered(self, call):
        request = call.request
        if request.method == "OPTIONS":
            return Response(200, headers=CORS)
        matching = [(route, found.groupdict()) for route in self.routes
                    for found in [route.pattern.match(request.path)] if found]
        route, names = next(((route, names) for route, names in matching
                             if route.method == request.method), (None, {}))
        if route is None:
            return self.unknown(matching)
        if request.path.startswith(THROTTLED) and not self.throttle.admits(request):
            page = "<html><head><title>429 Too Many Requests</title></head></html>\n"
            return Response(429, page, "text/html", CORS + [("Server", "openresty")])
        try:
            call.code = names.get("code")
            return self.result(self.performed(call, route, names))
        except Refusal as refusal:
            return self.json(refusal.body(), refusal.status)
        except UnusableSession:
            return self.answers.page("Error", "<p>This code cannot be used to sign in.</p>", status=400)

    def unknown(self, matching):
        status = 405 if matching else 404
        if any(route.is_page for route, _ in matching):
            return self.answers.page("Error", "<p>Method not allowed.</p>", status=status)
        return self.json(Refusal("internal_server_error").body() | {"status": status}, status)

    def performed(self, call, route, names):
        """Runs the checks in the order of 3.3, then the operation."""
        if route.content and not call.has_content(route.content):
            raise Refusal("invalid_header_content_type")
        call.sp = names.pop("sp", None)
        if route.bearer:
            call.client = self.core.clients.caller(call.request, call.sp)
        if route.bearer and call.sp is not None and call.sp not in self.settings.service_providers:
            raise Refusal("invalid_parameter_service_provider")
        if route.device:
            call.device = required_device(call.headers)
            call.information = device_information(call.headers, self.settings.strict)
        return route.action(call, **names)

    def result(self, value):
        """Operations return a response, a JSON value, or a JSON value with its status."""
        if isinstance(value, Response):
            return value
        value, status = value if isinstance(value, tuple) else (value, 200)
        return self.json(value, status)

    @staticmethod
    def json(value, status):
        text = json.dumps(value, separators=(",", ":"))
        return Response(status, text, "application/json;charset=UTF-8", CORS[:1])

    def register(self, call):
        return self.core.clients.register(call.request, is_json=call.has_content(JSON))

    def token(self, call):
        return self.core.clients.token(call.request)

    def configuration(self, call):
        """C lists the integrated providers. The device's headers are optional (3.1)."""
        info = device_information(call.headers, strict=False)
        origin = call.request.origin
        return {"device": info.get("primaryHardwareType", "Unknown"), "clientType": "REST",
                "os": info.get("osName", "Unknown"),
                "requestor": {
                    "id": call.sp, "name": call.sp,
                    "domains": [{"name": domain, "mvpdInitiated": False} for domain in self.settings.domains],
                    "mvpds": [provider.listed(origin) for provider in self.settings.providers.values()
                              if provider.integrated]}}
