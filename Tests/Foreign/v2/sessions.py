"""Sessions and their codes (5): S1, S2, S3, and the session behind a partner request's fallback."""

import re
import string
from urllib.parse import quote, urlsplit

from degradation import AUTHN_ALL
from errors import Refusal

CODE_LETTERS = string.ascii_uppercase + string.digits
PARAMETERS = ("mvpd", "domainName", "redirectUrl")


class Session:
    def __init__(self, code, name, owner, begins, ends, device_record):
        self.code, self.id, self.owner = code, name, owner
        self.not_before, self.not_after, self.device_record = begins, ends, device_record
        self.values, self.identity, self.flow = {}, None, None
        self.is_superseded, self.is_complete, self.signed_in_at = False, False, 0

    @property
    def sp(self):
        return self.owner[2]

    @property
    def missing(self):
        return [name for name in PARAMETERS if not self.values.get(name)]

    def times(self):
        """The times of a session are strings, all others are numbers (B6)."""
        return {"notBefore": str(self.not_before), "notAfter": str(self.not_after)}


class Sessions:
    def __init__(self, core):
        self.core, self.settings, self.clock, self.faults = core, core.settings, core.clock, core.faults
        self.by_code, self.pending = {}, {}

    # Operations

    def create(self, call):
        """S1 opens a session, unless the device needs no login."""
        values = self.checked(call.form)
        identity = self.core.identities.of(call.headers, call.device)
        self.core.profiles.link_own(call.owner, identity)
        reason = self.reason(call.owner, values.get("mvpd"), identity)
        if reason is None and self.says_authorize_too_early(call.owner, values.get("mvpd")):
            reason = "authenticated"
        if reason:
            return self.authorize(call.owner[2], values["mvpd"], reason, self.core.clients.unique())
        session = self.open(call, values)
        session.identity = identity
        return self.next_step(session, "resume")

    def resume(self, call, code):
        """S2 completes the parameters. It looks at the profiles of the session's device, not of the caller's."""
        values = self.checked(call.form)
        session = self.usable(call.sp, code)
        if self.faults.activates("session-hijack"):
            session.owner = (call.client.id, call.named_device or session.owner[1], session.sp)
        session.values.update(values)
        reason = self.reason(session.owner, session.values.get("mvpd"))
        if reason:
            session.is_complete = True
            return self.authorize(session.sp, session.values["mvpd"], reason, session.id)
        return self.next_step(session, "retry")

    def look_up(self, call, code):
        """S3 shows a session to the second screen."""
        session = self.usable(call.sp, code)
        if session.values.get("mvpd"):
            self.settings.provider(session.values["mvpd"])
        value = {"existingParameters": {**session.values, "serviceProvider": session.sp}}
        if session.missing:
            value["missingParameters"] = session.missing
        return {**value, "device": session.device_record, **session.times()}

    # Steps

    def checked(self, form):
        """The checked parameters. Blank ones count as missing."""
        values = {name: form[name].strip() for name in PARAMETERS if form.get(name, "").strip()}
        if "redirectUrl" in values:
            check_redirect(values["redirectUrl"], self.settings)
        if "domainName" in values and not self.settings.has_domain(host_of_domain(values["domainName"])):
            raise Refusal("invalid_parameter_redirect_url")
        if "mvpd" in values:
            self.settings.provider(values["mvpd"])
        return values

    def reason(self, owner, mvpd, identity=None):
        """The reason why no login is needed; None if one is needed."""
        if not mvpd:
            return None
        provider = self.settings.provider(mvpd)
        if self.core.degradation.standing(owner[2], mvpd, AUTHN_ALL):
            return "degraded"
        if provider.temp_pass:
            return "temporary"
        if self.core.profiles.own(owner, mvpd):
            return "authenticated"
        return "authenticatedSSO" if self.core.profiles.shared(owner, provider, identity) else None

    def says_authorize_too_early(self, owner, mvpd):
        return (owner, mvpd) in self.core.profiles.regular and self.faults.activates("premature-authorize")

    def open(self, call, values):
        """Opens a session. It supersedes a pending one of the same device, but no completed one (B40, B41)."""
        previous = self.pending.get(call.owner)
        if previous and not previous.is_complete and not self.faults.activates("superseded-code-lives"):
            previous.is_superseded = True
        now = self.clock.now()
        session = Session(self.fresh_code(call.owner), self.core.clients.unique(), call.owner, now,
                          now + self.settings.code_life, device_record(call))
        session.values = values
        self.by_code[session.code] = self.pending[call.owner] = session
        call.code = session.code
        return session

    def fresh_code(self, owner):
        """A code that was never issued before, because clients may still poll an old one (B24)."""
        if self.faults.activates("code-twice"):
            other = [session for holder, session in self.pending.items()
                     if holder != owner and not session.is_complete and not self.is_over(session)]
            if other:
                return other[-1].code
        while True:
            code = "".join(self.core.random.choice(CODE_LETTERS) for _ in range(7))
            if code not in self.by_code:
                return code

    def next_step(self, session, incomplete, reason="none"):
        """Tells the client to complete the parameters, or to open the login page in a browser."""
        sp, values = session.sp, session.values
        value = {"actionName": "authenticate", "actionType": "interactive", "reasonType": reason,
                 "url": f"/api/v2/authenticate/{quoted(sp)}/{session.code}"}
        if session.missing:
            value.update(actionName=incomplete, actionType="direct", missingParameters=session.missing,
                         url=f"/api/v2/{quoted(sp)}/sessions/{session.code}")
        value.update(code=session.code, sessionId=session.id, serviceProvider=sp, **session.times())
        if values.get("mvpd"):
            value["mvpd"] = values["mvpd"]
        return value

    @staticmethod
    def authorize(sp, mvpd, reason, name):
        """Tells the client to authorize at once. There is nothing to poll, hence no code (5.2)."""
        return {"actionName": "authorize", "actionType": "direct", "reasonType": reason,
                "url": f"/api/v2/{quoted(sp)}/decisions/authorize/{quoted(mvpd)}",
                "sessionId": name, "mvpd": mvpd, "serviceProvider": sp}

    # Codes

    def found(self, sp, code):
        """The session of a code in upper or lower case (B20)."""
        if not re.fullmatch("[A-Za-z0-9]{6,7}", code):
            raise Refusal("invalid_parameter_code")
        session = self.by_code.get(code.upper())
        if session is None or session.sp != sp or session.is_superseded:
            raise Refusal("invalid_authentication_session")
        return session

    def usable(self, sp, code):
        """The session of a code, if it still waits for its login."""
        session = self.found(sp, code)
        spent = session.is_complete and not self.faults.activates("code-signs-twice")
        if spent or self.is_over(session):
            raise Refusal("invalid_authentication_session")
        return session

    def is_over(self, session):
        return self.clock.now() >= session.not_after and not self.faults.activates("expired-code-accepted")


def check_redirect(text, settings):
    """Refuses a URL that is not absolute, or a web URL whose host is not registered (B19)."""
    parts = split(text) if re.fullmatch("[!-~]+", text) else None
    web = parts is not None and parts.scheme in ("http", "https")
    if parts is None or not parts.scheme or (web and not settings.has_domain(parts.hostname or "")):
        raise Refusal("invalid_parameter_redirect_url")


def split(text):
    try:
        return urlsplit(text)
    except ValueError:
        return None


def host_of_domain(text):
    """The host of `domainName`. Real clients also send it with a scheme (18)."""
    parts = split(text if "://" in text else "https://" + text)
    return (parts.hostname or "") if parts else ""


def quoted(text):
    return quote(text, safe="")


def device_record(call):
    """The description of the streaming device for the second screen. Unknown members are null (5.3)."""
    info, agent = call.information, call.headers.get("user-agent")
    version = (str(info.get("version", "")).replace(",", ".").split(".") + ["", "", ""])[:3]
    members = dict(zip(("major", "minor", "patch"), (number(part) for part in version)))
    return {
        "type": info.get("primaryHardwareType"), "model": info.get("model"),
        "version": {**members, "profile": None},
        "hardware": {"name": info.get("model"), "vendor": info.get("vendor"),
                     "version": info.get("version"), "manufacturer": info.get("manufacturer")},
        "operatingSystem": {"name": info.get("osName"), "family": info.get("osFamily"),
                            "vendor": info.get("osVendor"), "version": info.get("osVersion")},
        "browser": {"name": info.get("browserName"), "vendor": info.get("browserVendor"),
                    "version": info.get("browserVersion"), "userAgent": info.get("userAgent", agent),
                    "originalUserAgent": agent},
        "display": {"width": info.get("displayWidth"), "height": info.get("displayHeight"),
                    "ppi": info.get("displayPpi"), "name": None, "vendor": None, "version": None,
                    "diagonalSize": info.get("diagonalScreenSize")},
        "applicationId": info.get("applicationId"),
        "connection": {"ipAddress": info.get("connectionIp", call.address),
                       "port": str(info["connectionPort"]) if "connectionPort" in info else None,
                       "secure": info.get("connectionSecure"), "type": info.get("connectionType")}}


def number(text):
    return int(text) if text.isdecimal() else None
