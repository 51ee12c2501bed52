#!/usr/bin/env python3
"""Signs test users of `screenrig serve --provider` in at service providers that nobody here wrote.

    check.py --screenrig PATH [--work DIR]

python3-saml (over libxmlsec), pysaml2 (over the program xmlsec1, where it is there) and Authlib in a Flask site are installed
by pip into a virtual environment of this machine's temporary directory. One line for each check; exit code 0 when all hold, 1 when
one does not. Where pip cannot install them, the line is "SKIPPED reason", with exit code 77.
"""
import argparse
import base64
import html
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from python_packages import installed

PACKAGES = ["python3-saml==1.16.0", "lxml==6.1.3", "xmlsec==1.3.17", "pysaml2==7.5.5", "Authlib==1.9.9", "Flask==3.1.3",
            "requests==2.34.2"]
ENTITY, CONSUMER, HOME = "http://sp.test/metadata", "http://sp.test/acs", "http://sp.test/home"
CALLBACK = "http://127.0.0.1/callback"
USERS = ["viewer-{n}:password=pw-{n},to=999,lockout=3", "denied-{n}:denied=100%", "shut-{n}:locked=100%",
         "half-{n}:locked=50%", "broken-{n}:errors=100%", "slow-{n}:latency=700ms"]


class Provider:
    """One `screenrig serve --provider`."""

    def __init__(self, screenrig, work, *options):
        self.process = subprocess.Popen(
            [screenrig, "serve", "--provider", "--port", "0", *options], stdout=subprocess.PIPE, text=True, cwd=work)
        self.base = self.process.stdout.readline().strip()
        self.said = [self.process.stdout.readline()]
        while "</md:EntityDescriptor>" not in self.said[-1]:
            if not self.said[-1]:
                raise RuntimeError("the provider ended: " + "".join(self.said))
            self.said.append(self.process.stdout.readline())

    @property
    def printed_metadata(self):
        text = "".join(self.said)
        return text[text.index("<?xml"):]

    def counters(self):
        return requests.get(self.base + "/counters", timeout=10).json()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        rest = self.process.stdout.read()
        self.process.wait(20)
        return rest


def page_fields(text):
    found = {}
    for tag in re.findall(r"<input[^>]*>", text):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if "name" in attributes:
            found[attributes["name"]] = html.unescape(attributes.get("value", ""))
    return found


def sign_in(session, page, base, user, password):
    """What the provider answers to a password typed into its page."""
    return session.post(base + "/login", allow_redirects=False, timeout=20, data={
        "flow": page_fields(page.text)["flow"], "username": user, "password": password})


# ---- python3-saml

def saml_settings(metadata, **security):
    found = IdPMetadata.parse(metadata)
    return IdPMetadata.merge_settings({
        "strict": True,
        "sp": {"entityId": ENTITY, "assertionConsumerService": {"url": CONSUMER}},
        "security": {"wantMessagesSigned": True, "wantAssertionsSigned": True, **security}}, found)


def saml_request(settings, form=None):
    return SAMLAuth({"https": "off", "http_host": "sp.test", "script_name": "/acs", "get_data": {},
                     "post_data": form or {}}, settings)


def saml_login(provider, settings, user, password, post=False):
    """The form that comes back to the service provider, the page it came on, and the id of the request."""
    asked = saml_request(settings)
    address = asked.login(return_to=HOME)
    session = requests.Session()
    if post:
        page = session.post(provider.base + "/saml/sso", timeout=20, data={
            "SAMLRequest": base64.b64encode(asked.get_last_request_xml().encode()).decode(), "RelayState": HOME})
    else:
        page = session.get(address, timeout=20)
    answer = sign_in(session, page, provider.base, user, password)
    return page_fields(answer.text), answer, asked.get_last_request_id()


def saml_read(settings, form, request_id):
    auth = saml_request(settings, form)
    auth.process_response(request_id=request_id)
    return auth


def check_python3_saml(provider):
    metadata = requests.get(provider.base + "/saml/metadata", timeout=10).text
    assert metadata.strip() == provider.printed_metadata.strip(), "the printed metadata is another"
    settings = saml_settings(metadata)
    for binding in (False, True):
        form, answer, request_id = saml_login(provider, settings, "viewer-7", "pw-7", post=binding)
        auth = saml_read(settings, form, request_id)
        assert auth.get_errors() == [], (auth.get_errors(), auth.get_last_error_reason())
        assert auth.get_nameid() == "viewer-7" and auth.get_attributes()["mail"] == ["viewer-7@demo.test"]
        assert form["RelayState"] == HOME, form
        told(f"python3-saml signs viewer-7 in by HTTP-{'POST' if binding else 'Redirect'}, response and assertion signed")
    # Each must be refused, or the checks above say nothing.
    wrong = dict(settings, idp=dict(settings["idp"], x509cert=other_certificate()))
    assert "invalid_response" in saml_read(wrong, form, request_id).get_errors()
    told("python3-saml refuses it under another certificate")
    xml = base64.b64decode(form["SAMLResponse"]).decode()
    for before, after in ((">viewer-7<", ">viewer-8<"), ("viewer-7@demo.test", "admin@demo.test"), ("Success", "success")):
        assert before in xml
        forged = dict(form, SAMLResponse=base64.b64encode(xml.replace(before, after).encode()).decode())
        assert saml_read(settings, forged, request_id).get_errors(), before
    told("python3-saml refuses a response with another user, attribute or status")
    assert saml_read(settings, form, "ONELOGIN_other").get_errors()
    told("python3-saml refuses it as an answer to another request")
    strange = "viewer <&>\"'  \u00e4\t1"
    for user, name in ((strange, strange),):
        form, answer, request_id = saml_login(provider, settings, user, "pw")
        auth = saml_read(settings, form, request_id)
        assert auth.get_errors() == [] and auth.get_nameid() == name, (auth.get_last_error_reason(), auth.get_nameid())
    told("python3-saml verifies a user whose name has every sign that XML escapes")


def check_profiles(provider):
    settings = saml_settings(provider.printed_metadata)
    form, answer, request_id = saml_login(provider, settings, "denied-1", "pw-1")
    auth = saml_read(settings, form, request_id)
    assert auth.get_errors() and "RequestDenied" in auth.get_last_error_reason(), auth.get_last_error_reason()
    told("a denied user comes back with the status RequestDenied")
    form, answer, _ = saml_login(provider, settings, "shut-1", "pw-1")
    assert answer.status_code == 200 and "locked" in answer.text and "SAMLResponse" not in form
    told("a locked user is told so on the page")
    locked = ["locked" in saml_login(provider, settings, f"half-{n}", f"pw-{n}")[1].text for n in range(60)]
    again = ["locked" in saml_login(provider, settings, f"half-{n}", f"pw-{n}")[1].text for n in range(60)]
    assert locked == again and 15 <= sum(locked) <= 45, sum(locked)
    told(f"locked=50% locks {sum(locked)} of 60 users, the same each time")
    for number in range(3):
        answer = saml_login(provider, settings, "viewer-20", "wrong")[1]
        assert "is not right" in answer.text
    answer = saml_login(provider, settings, "viewer-20", "pw-20")[1]
    assert "locked" in answer.text
    told("lockout=3: after three wrong passwords the right one is refused")
    assert saml_login(provider, settings, "broken-1", "pw-1")[1].status_code == 500
    assert "is not right" in saml_login(provider, settings, "viewer-1000", "pw-1000")[1].text
    began = time.monotonic()
    assert "SAMLResponse" in saml_login(provider, settings, "slow-1", "pw-1")[0]
    assert time.monotonic() - began >= 0.7
    told("errors, numbers beyond the rule and latency do as the rules say")


def check_registered(provider):
    settings = saml_settings(provider.printed_metadata)
    form, _, request_id = saml_login(provider, settings, "viewer-1", "pw-1")
    assert saml_read(settings, form, request_id).get_errors() == []
    for field, value in (("entityId", "http://other.test"), ("acs", "http://evil.test/acs")):
        other = saml_settings(provider.printed_metadata)
        if field == "acs":
            other["sp"]["assertionConsumerService"]["url"] = value
        else:
            other["sp"][field] = value
        answer = requests.get(saml_request(other).login(), timeout=10)
        assert answer.status_code == 400 and "regist" in answer.text, answer.text
    told("with --sp only the registered service provider is answered, and only where it is registered")


def check_pysaml2(provider):
    program = shutil.which("xmlsec1")
    if not program:
        told("pysaml2: skipped: it verifies with the program xmlsec1, which is not here (apt-get install xmlsec1)")
        return
    from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
    from saml2.client import Saml2Client
    from saml2.config import SPConfig

    def client(metadata):
        config = SPConfig()
        config.load({
            "entityid": ENTITY, "xmlsec_binary": program, "allow_unknown_attributes": True,
            "metadata": {"inline": [metadata]},
            "service": {"sp": {
                "endpoints": {"assertion_consumer_service": [(CONSUMER, BINDING_HTTP_POST)]},
                "authn_requests_signed": False, "want_assertions_signed": True, "want_response_signed": True}}})
        return Saml2Client(config=config)

    good = client(provider.printed_metadata)
    for binding in (BINDING_HTTP_REDIRECT, BINDING_HTTP_POST):
        request_id, info = good.prepare_for_authenticate(relay_state=HOME, binding=binding)
        session = requests.Session()
        if binding == BINDING_HTTP_REDIRECT:
            page = session.get(dict(info["headers"])["Location"], timeout=20)
        else:
            action = re.search(r'action="([^"]*)"', info["data"]).group(1)
            page = session.post(html.unescape(action), data=page_fields(info["data"]), timeout=20)
        form = page_fields(sign_in(session, page, provider.base, "viewer-8", "pw-8").text)
        read = good.parse_authn_request_response(form["SAMLResponse"], BINDING_HTTP_POST, {request_id: HOME})
        assert read.get_subject().text == "viewer-8", read
        told(f"pysaml2 signs viewer-8 in by {binding.rsplit(':')[-1]}")
    other = provider.printed_metadata.replace(
        re.search(r"X509Certificate>([^<]*)<", provider.printed_metadata).group(1), other_certificate())
    try:
        client(other).parse_authn_request_response(form["SAMLResponse"], BINDING_HTTP_POST, {request_id: HOME})
    except Exception as error:
        told(f"pysaml2 refuses it under another certificate: {type(error).__name__}")
    else:
        raise AssertionError("pysaml2 takes a response under another certificate")


# ---- OpenID Connect

def site(provider, client_id, secret, **more):
    """A Flask site whose login is Authlib's."""
    app = flask.Flask("site")
    app.secret_key = "of this check"
    oauth = OAuth(app)
    oauth.register(
        "idp", client_id=client_id, client_secret=secret,
        server_metadata_url=provider.base + "/.well-known/openid-configuration",
        client_kwargs={"scope": "openid profile email", **more})

    @app.get("/login")
    def login():
        return oauth.idp.authorize_redirect(CALLBACK)

    @app.get("/callback")
    def callback():
        token = oauth.idp.authorize_access_token()
        return {"claims": token["userinfo"], "userinfo": oauth.idp.userinfo(token=token)}

    return app, oauth


def openid_login(provider, app, user, password):
    browser = app.test_client()
    start = browser.get("/login").headers["Location"]
    session = requests.Session()
    answer = sign_in(session, session.get(start, timeout=20), provider.base, user, password)
    return browser, answer


def check_authlib(provider):
    for client_id, secret, more in (("web", "hush", {}), ("web", "hush", {"code_challenge_method": "S256"}),
                                    ("spa", None, {"code_challenge_method": "S256",
                                                   "token_endpoint_auth_method": "none"})):
        app, _ = site(provider, client_id, secret, **more)
        browser, answer = openid_login(provider, app, "viewer-3", "pw-3")
        assert answer.status_code == 302, answer.text
        back = urlsplit(answer.headers["Location"])
        told_by_site = browser.get(f"{back.path}?{back.query}").json
        claims = told_by_site["claims"]
        assert claims["sub"] == "viewer-3" and claims["iss"] == provider.base and claims["aud"] == client_id, claims
        assert told_by_site["userinfo"]["email"] == "viewer-3@demo.test"
        told(f"Authlib signs viewer-3 in: client '{client_id}', "
             f"{'PKCE, ' if more else ''}{'a secret' if secret else 'no secret'}, id token and userinfo agree")
    # The same code again, and the wrong ones.
    app, oauth = site(provider, "web", "hush", code_challenge_method="S256")
    browser, answer = openid_login(provider, app, "viewer-3", "pw-3")
    code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]

    def redeem(**fields):
        return requests.post(provider.base + "/openid/token", timeout=10, auth=("web", fields.pop("secret", "hush")), data={
            "grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, **fields})

    assert redeem(secret="wrong", code_verifier="x" * 43).status_code == 401
    assert redeem(code_verifier="x" * 43).json() == {"error": "invalid_grant"}
    assert redeem(code_verifier="x" * 43).json() == {"error": "invalid_grant"}
    told("a wrong secret, a wrong verifier and a spent code get no token")
    assert requests.get(provider.base + "/openid/userinfo", timeout=10,
                        headers={"Authorization": "Bearer x.y"}).status_code == 401
    app, oauth = site(provider, "web", "hush")
    browser, answer = openid_login(provider, app, "denied-1", "pw-1")
    assert "error=access_denied" in answer.headers["Location"] and "state=" in answer.headers["Location"]
    told("a denied user comes back with access_denied")
    # Another provider's key under the same key id.
    browser, answer = openid_login(provider, app, "viewer-4", "pw-4")
    with app.app_context():
        keys = oauth.idp.fetch_jwk_set()
        modulus = keys["keys"][0]["n"]
        keys["keys"][0]["n"] = ("B" if modulus[0] != "B" else "C") + modulus[1:]
    back = urlsplit(answer.headers["Location"])
    app.testing = True
    try:
        browser.get(f"{back.path}?{back.query}")
    except Exception as error:
        told(f"Authlib refuses an id token under another key: {type(error).__name__}")
    else:
        raise AssertionError("Authlib takes an id token under another key")


# ---- All of it

def other_certificate():
    """A certificate of another key, as Base64 without lines."""
    folder = tempfile.mkdtemp()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=other", "-days", "2", "-keyout",
                    f"{folder}/key.pem", "-out", f"{folder}/cert.pem"], check=True, capture_output=True)
    lines = pathlib.Path(folder, "cert.pem").read_text().splitlines()
    shutil.rmtree(folder)
    return "".join(lines[1:-1])


def told(words):
    print(f"ok: {words}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenrig", required=True)
    parser.add_argument("--work", default=".")
    options = parser.parse_args()
    usual = [part for rule in USERS + ["viewer <&>\"'  \u00e4\t1:password=pw"] for part in ("--users", rule)]
    clients = ["--client", f"web:hush={CALLBACK}", "--client", f"spa={CALLBACK}"]
    provider = Provider(options.screenrig, options.work, *usual, *clients)
    registered = Provider(options.screenrig, options.work, "--sp", f"{ENTITY}={CONSUMER}")
    failed = False
    try:
        for check, one in ((check_python3_saml, provider), (check_profiles, provider), (check_registered, registered),
                           (check_pysaml2, provider), (check_authlib, provider)):
            try:
                check(one)
            except Exception:
                failed = True
                print(f"FAILED {check.__name__}\n{traceback.format_exc()}", flush=True)
        counters = provider.counters()
    finally:
        last = provider.stop()
        registered.stop()
    for group in ("logins", "saml", "openid"):
        line = f"{group}: " + ", ".join(f"{count} {name}" for name, count in counters[group].items())
        if line not in last:
            failed = True
            print(f"FAILED the last lines do not say '{line}': {last}")
    told(f"counters: {counters}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if "SERVICE_PROVIDERS_INSTALLED" not in os.environ:
        python = str(installed("service-providers", PACKAGES, "the service providers", imports="xmlsec, onelogin.saml2.auth", code=77))
        os.execve(python, [python, __file__, *sys.argv[1:]], dict(os.environ, SERVICE_PROVIDERS_INSTALLED="1"))
    import flask
    import requests
    from authlib.integrations.flask_client import OAuth
    from onelogin.saml2.auth import OneLogin_Saml2_Auth as SAMLAuth
    from onelogin.saml2.idp_metadata_parser import OneLogin_Saml2_IdPMetadataParser as IdPMetadata
    main()
