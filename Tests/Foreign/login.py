"""The browser's way: N1, the hops to the provider, its login page, and the way back with an assertion."""

import base64
import hashlib
import hmac
import html
import re
import secrets
import zlib
from urllib.parse import quote, urlencode

from http11 import Response


class Flow:
    """One browser on its way from N1 to the assertion consumer."""

    def __init__(self, code, mvpd, redirect):
        self.code, self.mvpd, self.redirect = code, mvpd, redirect
        self.relay, self.request = secrets.token_urlsafe(18), "_" + secrets.token_hex(16)


class Provider:
    """The pay-TV providers: a login page each, and assertions that are signed and count once."""

    def __init__(self, accounts, answers):
        self.accounts, self.answers = accounts, answers
        self.key, self.consumed = secrets.token_bytes(32), set()

    def entry(self, request, mvpd):
        """The single sign-on address. SAML by redirect (deflated) or by POST (not deflated)."""
        message = decoded(request.values.get("SAMLRequest", ""), deflated=request.method == "GET")
        found = re.search(r'\bID="([^"]+)"', message or "")
        if not found:
            return self.answers.page("Error", "<p>No authentication request.</p>", status=400)
        return self.login_page(mvpd, found.group(1), request.values.get("RelayState", ""))

    def login_page(self, mvpd, asked, relay, complaint=""):
        hidden = hidden_fields({"state": asked, "RelayState": relay})
        note = f"<p role='alert'>{html.escape(complaint)}</p>" if complaint else ""
        form = (f"<h1>Sign in with {html.escape(mvpd)}</h1>{note}"
                f"<form id='search' action='/idp/search'><input name='q'></form>"
                f"<form id='signin' method='post' action='/idp/{quote(mvpd, safe='')}/login'>{hidden}"
                "<label>User <input type='text' name='username' autocomplete='username'></label>"
                "<label>Password <input type='password' name='password'></label>"
                "<button type='submit' name='go' value='1'>Sign in</button></form>")
        return self.answers.page("Sign in", form)

    def login(self, request, mvpd, lead_back=None):
        """`lead_back`: how the browser of a viewer who signed in gets back to the service; a form, if not told."""
        form = request.form
        login = form.get("username", "").strip()
        user = self.accounts.user(mvpd, login, form.get("password", ""))
        if user is None:
            return self.login_page(mvpd, form.get("state", ""), form.get("RelayState", ""),
                                   "The user or the password is not right.")
        return (lead_back or self.post_back)(
            request, self.assertion(mvpd, user, form.get("state", "")), form.get("RelayState", ""))

    def post_back(self, request, assertion, relay, action="/sp/saml/SAMLAssertionConsumer",
                  names=("SAMLResponse", "RelayState")):
        return posting_form(self.answers, action, dict(zip(names, (assertion, relay))))

    def assertion(self, mvpd, user, asked):
        body = (f'<samlp:Response ID="_{secrets.token_hex(16)}" InResponseTo="{asked}">'
                f"<saml:Issuer>{html.escape(mvpd)}</saml:Issuer>"
                f"<saml:NameID>{html.escape(user)}</saml:NameID></samlp:Response>")
        return base64.b64encode(f"{body}<!--{self.seal(body)}-->".encode()).decode()

    def seal(self, body):
        return hmac.new(self.key, body.encode(), hashlib.sha256).hexdigest()

    def accepted(self, text):
        """(mvpd, user, request id) of an assertion of ours that was not used before; else None."""
        message = decoded(text, deflated=False) or ""
        body, _, seal = message.partition("<!--")
        if not hmac.compare_digest(seal.removesuffix("-->"), self.seal(body)) or body in self.consumed:
            return None
        self.consumed.add(body)
        parts = [re.search(pattern, body) for pattern in (
            r"<saml:Issuer>(.*)</saml:Issuer>", r"<saml:NameID>(.*)</saml:NameID>",
            r'InResponseTo="([^"]*)"')]
        return tuple(html.unescape(part.group(1)) for part in parts)


def hop_two(answers, shape, request, flow):
    """What `/adobe-services/authenticate/...` answers: 302, a form that posts itself, or a meta refresh."""
    address = f"{request.origin}/idp/{quote(flow.mvpd, safe='')}/sso"
    message = (f'<samlp:AuthnRequest ID="{flow.request}" '
               'ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" '
               f'AssertionConsumerServiceURL="{request.origin}/sp/saml/SAMLAssertionConsumer"/>')
    if shape == "form":
        fields = {"SAMLRequest": base64.b64encode(message.encode()).decode(),
                  "RelayState": flow.relay}
        return posting_form(answers, address, fields)
    squeezed = zlib.compressobj(wbits=-15)
    raw = squeezed.compress(message.encode()) + squeezed.flush()
    query = urlencode({"SAMLRequest": base64.b64encode(raw).decode(), "RelayState": flow.relay})
    target = f"{address}?{query}"
    if shape == "meta":
        refresh = f'<meta http-equiv="refresh" content="0; url={html.escape(target)}">'
        return answers.page("One moment", "<p>You are being forwarded.</p>", head=refresh)
    return answers.redirect(target)


def detour(answers, answer):
    """The same way as `answer` leads, by two more addresses of the service."""
    return answers.redirect("/sp/session/establish?" + urlencode({"to": dict(answer.headers)["Location"]}))


def pause(answers, address, to):
    """A page that leads on after 4 s: longer than a TV waits between two polls."""
    target = f"{address}?{urlencode({'to': to})}"
    refresh = f'<meta http-equiv="refresh" content="4; url={html.escape(target)}">'
    return answers.page("One moment", "<p>Your session is being set up.</p>", head=refresh)


def last_page(answers, answer):
    """The end of a login that leads nowhere."""
    if "error=" in dict(answer.headers).get("Location", "error="):
        return answers.page("Sign in", "<p>You could not be signed in.</p>")
    return answers.page("Signed in", "<h1>You are signed in</h1><p>Go back to your TV.</p>")


def posting_form(answers, action, fields):
    form = (f"<form method='post' action='{html.escape(action)}'>{hidden_fields(fields)}"
            "<noscript><input type='submit' value='Continue'></noscript></form>")
    return answers.page("One moment", form, onload="document.forms[0].submit()")


def hidden_fields(fields):
    return "".join(f"<input type='hidden' name='{name}' value='{html.escape(value)}'>"
                   for name, value in fields.items())


def decoded(text, deflated):
    try:
        raw = base64.b64decode(text, validate=True)
        return (zlib.decompress(raw, wbits=-15) if deflated else raw).decode()
    except (ValueError, zlib.error):
        return None
