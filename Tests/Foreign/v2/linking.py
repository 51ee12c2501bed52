"""The vendor's own identity service (8.5): service tokens, and codes that link devices of one user."""

import base64
import hashlib
import json

from errors import Refusal
from headers import device_information, required_device
from identity import SERVICE

ISSUER = "ssoservicetoken"
TOKEN_LIFE, CODE_LIFE, RECENTLY = 3_600_000, 1_800_000, 86_400_000
ERRORS = {"header_missing": (400, "check_headers"), "header_invalid": (401, "check_headers"),
          "token_invalid": (400, "get_new_token"), "token_expired": (401, "get_new_token"),
          "unauthorized": (401, "get_new_token"), "request_null": (400, "check_request_body"),
          "request_invalid": (400, "check_request_body")}


class LinkRefusal(Refusal):
    """The identity service has its own form of errors."""

    def __init__(self, code):
        super().__init__(code, ERRORS[code][0])

    def body(self):
        status, action = ERRORS[self.code]
        message = self.code.replace("_", " ").capitalize() + "."
        return {"status": self.code.upper(), "error": {
            "status": status, "code": self.code, "message": message, "action": action,
            "helpUrl": "https://help.demo.test/errors/" + self.code}}


class Issued:
    def __init__(self, sp, subject, device, expires):
        self.sp, self.subject, self.device, self.expires = sp, subject, device, expires


class Linking:
    def __init__(self, core):
        self.core, self.clock = core, core.clock
        self.tokens = core.identities.issued
        self.codes, self.devices = {}, {}  # code to (sp, subject, end); (sp, subject) to devices

    def create(self, call):
        """Issues a token for the user that the programmer names, or for the user of a linking code."""
        self.identify(call)
        name, code = call.headers.get("x-sso-id"), call.headers.get("x-sso-link")
        if not name and not code:
            raise LinkRefusal("header_missing")
        subject = hashlib.sha256(f"{call.sp}\0{name}".encode()).hexdigest() if name else self.linked(call.sp, code)
        self.note_device(call, subject, "regular" if name else "sso")
        return self.token(call, subject, "CREATED"), 201

    def refresh(self, call):
        token = self.presented(call, leeway=RECENTLY)
        return self.token(call, token.subject, "REFRESHED")

    def link(self, call):
        subject = self.presented(call).subject
        code = self.fresh_code()
        now = self.clock.now()
        self.codes[code] = (call.sp, subject, now + CODE_LIFE)
        return {"status": "CREATED", "code": code, "notBefore": now, "notAfter": now + CODE_LIFE}, 201

    def unlink(self, call):
        """Revokes the tokens of the unlinked devices. The answer leaves unknown devices out."""
        subject = self.presented(call).subject
        devices = self.devices.get((call.sp, subject), {})
        gone = [device for device in wanted_devices(call.request) if devices.pop(device, None)]
        for text, token in list(self.tokens.items()):
            if (token.sp, token.subject) == (call.sp, subject) and token.device in gone:
                del self.tokens[text]
        return {"status": "UNLINKED", "unlinkedDevices": gone}

    def list(self, call):
        token = self.presented(call)
        return {"devices": self.devices.get((call.sp, token.subject), {})}

    # Steps

    @staticmethod
    def identify(call):
        try:
            call.device = required_device(call.headers)
            call.information = device_information(call.headers, strict=False)
        except Refusal:
            missing = "ap-device-identifier" not in call.headers
            raise LinkRefusal("header_missing" if missing else "header_invalid") from None

    def presented(self, call, leeway=0):
        """The token of this service in the call's header."""
        self.identify(call)
        text = call.headers.get(SERVICE)
        if not text:
            raise LinkRefusal("header_missing")
        token = self.tokens.get(text)
        if token is None or token.sp != call.sp:
            raise LinkRefusal("token_invalid")
        if self.clock.now() >= token.expires + leeway:
            raise LinkRefusal("token_expired")
        return token

    def linked(self, sp, code):
        """The user of a linking code, which can be used only once."""
        place, subject, ends = self.codes.pop(code, (None, None, 0))
        if place != sp or self.clock.now() >= ends:
            raise LinkRefusal("header_invalid")
        return subject

    def note_device(self, call, subject, kind):
        info = call.information
        self.devices.setdefault((call.sp, subject), {})[call.device] = {
            "deviceType": info.get("primaryHardwareType", "Unknown"), "model": info.get("model"),
            "os": info.get("osName"), "osVersion": info.get("osVersion"),
            "lastSeen": self.clock.now(), "type": kind}

    def token(self, call, subject, status):
        now = self.clock.now()
        claims = {"iss": ISSUER, "sub": subject, "aud": "adobe", "iat": now // 1000,
                  "exp": (now + TOKEN_LIFE) // 1000}
        parts = [json.dumps({"alg": "RS256", "kid": "1"}).encode(), json.dumps(claims).encode(),
                 self.core.clients.bytes(256)]
        text = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
        self.tokens[text] = Issued(call.sp, subject, call.device, now + TOKEN_LIFE)
        return {"status": status, "serviceToken": text, "notBefore": now, "notAfter": now + TOKEN_LIFE}

    def fresh_code(self):
        while True:
            code = f"{self.core.random.randrange(10 ** 6):06}"
            if code not in self.codes:
                return code


def wanted_devices(request):
    if not request.body:
        raise LinkRefusal("request_null")
    try:
        devices = json.loads(request.body)["devices"]
    except (ValueError, KeyError, TypeError):
        raise LinkRefusal("request_invalid") from None
    if not isinstance(devices, list) or not all(isinstance(each, str) for each in devices):
        raise LinkRefusal("request_invalid")
    return devices
