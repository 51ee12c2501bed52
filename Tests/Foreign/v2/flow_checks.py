"""Each flow of the page, walked by an independent client against a service without faults. Run by check.py.

A function with the mark @flow is one check. It runs on a server with the usual options, unless it names its own.
"""

import json
import os
import tempfile
import threading
import time
from urllib.parse import urlencode, urlsplit

from client import (CODE, DECISION, DONE, FORM, INFORMATION, JSON, PROFILE, SESSION, SP, TIMES_IN_TEXT, TOKEN,
                    BrowserLogin, Failed, Signer, base64_of, base64_text, checked_error, expect, millis, no_page,
                    one_of, partner_status, roku, saml, send, shaped, sign_in, statement, text)

ALL = []
USUAL = ("--not-integrated", "demo-9", "--picker", "demo-8", "--no-sso", "demo-7", "--no-logout", "demo-6",
         "--form", "demo-5", "--identity-keys", "KEYS", "--profile-life", "10000", "--decision-life", "1000",
         "--window", "600", "--deny", "gone", "--deny", "rated=authorization_denied_by_parental_controls",
         "--deny", "slow=network_received_error")
SIGNER = Signer()
AUTHENTICATION, APPLICATION = "authentication", "application-registration"


def flow(*options):
    def mark(function):
        ALL.append((function, options or USUAL))
        return function
    return mark


def key_file():
    """A file with the keys of the outside identity service, for --identity-keys."""
    file = tempfile.NamedTemporaryFile("w", suffix=".json", delete=False)
    with file:
        json.dump(SIGNER.keys, file)
    return file.name


def steps(session, name, kind, reason, **more):
    """A session's answer that says `name`, with exactly the fields that belong to it."""
    rule = {**SESSION, "actionName": name, "actionType": kind, "reasonType": reason, **more}
    return shaped(rule, session, f"session answer {name}")


# Registration and what every call must bring (3, 4)


@flow()
def registration(server):
    answer = send(server.url, "POST", "/o/client/register", {"Content-Type": JSON},
                  json.dumps({"software_statement": statement(), "redirect_uri": "demo://done"}))
    expect(answer.status == 201, f"D1 answers {answer.status}")
    client = shaped({"client_id": text, "client_secret": text,
                     "client_id_issued_at": lambda value: abs(value - time.time()) < 86400,
                     "redirect_uris": [text], "grant_types": ["client_credentials"], "scopes": ["api:client:v2"]},
                    json.loads(answer.body), "D1")
    query = urlencode({"client_id": client["client_id"], "client_secret": client["client_secret"],
                       "grant_type": "client_credentials"})
    for target, headers, body in (("", {"Content-Type": FORM}, query), ("?" + query, {}, None)):
        answer = send(server.url, "POST", "/o/client/token" + target, headers, body)
        expect(answer.status == 201, f"D2 answers {answer.status}")
        shaped({"id": text, "access_token": lambda value: value.count(".") == 2, "created_at": millis,
                "expires_in": 21600, "token_type": "bearer"}, json.loads(answer.body), "D2")


@flow()
def registration_refused(server):
    for body, error in (("{}", "invalid_request"), ("no json", "invalid_request"),
                        (json.dumps({"software_statement": "nothing"}), "invalid_software_statement"),
                        (json.dumps({"software_statement": statement(), "redirect_uri": "x"}),
                         "invalid_redirect_uri")):
        oauth_refused(send(server.url, "POST", "/o/client/register", {"Content-Type": JSON}, body), error)
    known = server.screen().client
    for client, secret, grant, error in (
            ("", "", "client_credentials", "invalid_request"),
            (known["client_id"], "wrong", "client_credentials", "invalid_client"),
            (known["client_id"], known["client_secret"], "password", "unsupported_grant_type")):
        body = urlencode({"client_id": client, "client_secret": secret, "grant_type": grant})
        oauth_refused(send(server.url, "POST", "/o/client/token", {"Content-Type": FORM}, body), error)


def oauth_refused(answer, error):
    expect((answer.status, json.loads(answer.body)) == (400, {"error": error}), f"{error}: {answer.body}")


@flow()
def bearers(server):
    screen = server.screen()
    code = "invalid_access_token_client_application"
    for header in (None, "Bearer nonsense", "Basic abc"):
        screen.call("GET", "/profiles", Authorization=header).refused(401, code, APPLICATION)
    server.screen(claims={"scopes": ["api:client:v1"]}).profiles().refused(401, code, APPLICATION)
    server.screen(claims={"serviceProviders": ["OTHER"]}).profiles().refused(
        401, "invalid_access_token_service_provider", APPLICATION)
    server.wait(21601)
    screen.profiles().refused(401, code, APPLICATION)
    screen.renew()
    screen.profiles().ok()
    server.order("revoke", client_id=screen.client["client_id"])
    screen.profiles().refused(401, code, APPLICATION)


@flow()
def required_headers(server):
    screen = server.screen()
    wrong = (None, "fingerprint", "fingerprint ", "fingerprint !!", "hash " + base64_of("x"))
    for call in (screen.profiles, screen.session, screen.partner_session,
                 lambda **headers: screen.authorize("demo-1", "c1", **headers),
                 lambda **headers: screen.call("GET", "/logout/demo-1?redirectUrl=" + DONE, **headers)):
        for value in wrong:
            call(AP_Device_Identifier=value).refused(400, "invalid_header_device_identifier")
        call(X_Device_Info="{").refused(400, "invalid_header_device_info")
        expect(call(X_Device_Info=None).status != 400, "X-Device-Info is optional to a lenient service")
    code = screen.code()
    screen.poll(code, AP_Device_Identifier="nonsense", X_Device_Info="{").ok()
    screen.profiles(AP_Device_Identifier="fingerprint /w==").ok()
    screen.profiles(X_Device_Info="%7B%7D").refused(400, "invalid_header_device_info")


@flow("--strict")
def strict_headers(server):
    screen = server.screen()
    screen.profiles().ok()
    for value in (None, base64_of({"model": "x"})):
        screen.profiles(X_Device_Info=value).refused(400, "invalid_header_device_info")


@flow()
def methods_and_paths(server):
    screen = server.screen()
    for method, path in (("PUT", "/profiles"), ("GET", "/sessions"), ("DELETE", "/sessions/ABCDEFG")):
        screen.call(method, path).refused(405, "internal_server_error")
    expect(screen.call("GET", "/nothing/here/at/all").status == 404, "an unknown path")
    send(server.url, "POST", f"/api/v2/authenticate/{SP}/ABCDEFG").page(405)
    answer = send(server.url, "OPTIONS", f"/api/v2/{SP}/profiles")
    expect(answer.status == 200 and "AP-Device-Identifier" in answer.headers["Access-Control-Allow-Headers"], "CORS")
    other = {"Authorization": "Bearer " + screen.bearer, "AP-Device-Identifier": "fingerprint eA=="}
    send(server.url, "GET", "/api/v2/NOBODY/profiles", other).refused(400, "invalid_parameter_service_provider")


@flow("--rate", "0.01")
def throttle(server):
    """Eleven at once pass, as a leaky bucket lets them (13, rest-v1 14); then one for each 100 s."""
    home = {"X-Forwarded-For": "10.0.0.1"}
    answers = [send(server.url, "GET", f"/api/v2/{SP}/profiles", home) for _ in range(12)]
    expect([answer.status for answer in answers] == [401] * 11 + [429], "the twelfth is refused")
    answers[-1].page(429)
    expect(answers[-1].headers["Server"] == "openresty" and answers[-1].headers["Retry-After"] is None, "429's headers")
    neighbour = send(server.url, "GET", f"/api/v2/{SP}/profiles", {"X-Forwarded-For": "10.0.0.2"})
    expect(neighbour.status == 401, "another home has a bucket of its own")
    server.wait(100)
    again = [send(server.url, "GET", f"/api/v2/authenticate/{SP}/ABCDEFG", home).status for _ in range(2)]
    expect(again == [400, 429], f"one more after a while: {again}")


@flow()
def configuration(server):
    boolean = {name + "?": True for name in (
        "isTempPass", "isProxy", "enablePlatformServices", "displayInPlatformPicker")}
    provider = {"id": text, "displayName": text, "logoUrl": text, **boolean,
                "boardingStatus?": one_of("SUPPORTED", "PICKER"), "platformMappingId?": text}
    screen = server.screen()
    for path in ("/configuration", "/configuration/"):
        value = shaped({"device": text, "clientType": text, "os": text, "requestor": {
            "id": SP, "name": text, "domains": [{"name": text, "mvpdInitiated": False}], "mvpds": [provider]}},
            screen.call("GET", path, bare=True).ok(), "configuration")
    known = {each["id"]: each for each in value["requestor"]["mvpds"]}
    expect("demo-9" not in known and known["TempPass"]["isTempPass"], "what is integrated is listed")
    expect((known["demo-8"]["boardingStatus"], known["demo-1"]["boardingStatus"]) == ("PICKER", "SUPPORTED"),
           "boarding status")
    expect("platformMappingId" not in known["demo-7"], "no platform services")


@flow()
def integrations(server):
    screen = server.screen()
    code = screen.code()
    for mvpd, error in (("nobody", "invalid_parameter_mvpd"), ("demo-9", "invalid_integration")):
        screen.session(mvpd).refused(400, error)
        screen.resume(code, mvpd=mvpd).refused(400, error)
        screen.profiles(mvpd).refused(400, error)
        screen.authorize(mvpd, "c1").refused(400, error)
        screen.preauthorize(mvpd, "c1").refused(400, error)
        screen.call("GET", f"/logout/{mvpd}?redirectUrl={DONE}").refused(400, error)
    screen.sign_in("demo-2")
    server.order("integration", mvpd="demo-2", integrated=False)
    screen.authorize("demo-2", "c1").refused(400, "invalid_integration")
    expect(screen.shown() == {}, "a disabled integration shows no profile")
    server.order("integration", mvpd="demo-2", integrated=True)
    expect("demo-2" in screen.shown(), "an integration that is enabled again has its profiles back")


# Sessions (5)


@flow()
def session_complete(server):
    value = steps(server.screen().session().ok(), "authenticate", "interactive", "none", mvpd="demo-1", **CODE)
    expect(value["url"] == f"/api/v2/authenticate/{SP}/{value['code']}", "url")
    expect(int(value["notAfter"]) - int(value["notBefore"]) == 1_800_000, "life of a code")


@flow()
def session_completed_by_phone(server):
    tv, phone = server.screen(), server.screen()
    first = steps(tv.session(None, None, None).ok(), "resume", "direct", "none", **CODE,
                  missingParameters=lambda value: value == ["mvpd", "domainName", "redirectUrl"])
    code = first["code"]
    expect(first["url"] == f"/api/v2/{SP}/sessions/{code}", "url")
    expect(tv.look_up(code).ok()["missingParameters"] == ["mvpd", "domainName", "redirectUrl"], "S3's missing")
    no_page(server, code)
    second = steps(phone.resume(code, mvpd="demo-2").ok(), "retry", "direct", "none", mvpd="demo-2", **CODE,
                   missingParameters=lambda value: value == ["domainName", "redirectUrl"])
    third = steps(phone.resume(code.lower(), domainName="https://www.demo.test", redirectUrl=DONE).ok(),
                  "authenticate", "interactive", "none", mvpd="demo-2", **CODE)
    for name in ("code", "sessionId", "notBefore", "notAfter"):
        expect(first[name] == second[name] == third[name], f"{name} changes")
    sign_in(server, code, "ann")
    expect(list(tv.polled(code)) == list(phone.polled(code)) == list(tv.shown()) == ["demo-2"], "profiles")
    expect(phone.shown() == {}, "the phone has no profile of its own")


@flow()
def session_by_code(server):
    tv = server.screen()
    code = tv.code("demo-3")
    value = shaped({"existingParameters": {"mvpd": "demo-3", "domainName": "demo.test", "redirectUrl": DONE,
                                           "serviceProvider": SP},
                    "device": lambda device: isinstance(device, dict), **TIMES_IN_TEXT},
                   server.screen().look_up(code).ok(), "S3")
    names = {"type", "model", "version", "hardware", "operatingSystem", "browser", "display", "applicationId",
             "connection"}
    expect(set(value["device"]) == names and value["device"]["model"] == "AppleTV", "the streaming device")


@flow()
def session_parameters(server):
    screen = server.screen()
    for values in ({"redirectUrl": "demo.test"}, {"redirectUrl": "https://elsewhere.test/"},
                   {"redirectUrl": "https://notdemo.test/"}, {"domainName": "elsewhere.test"}):
        screen.session(**values).refused(400, "invalid_parameter_redirect_url")
    for values in ({"redirectUrl": "demo://done"}, {"redirectUrl": "https://www.demo.test/x"},
                   {"domainName": "http://demo.test"}):
        screen.session(**values).ok()
    expect(screen.call("POST", "/sessions", "", JSON).status == 400, "another Content-Type")
    for code, error in (("ABC", "invalid_parameter_code"), ("ABC-EFG", "invalid_parameter_code"),
                        ("ABCDEFGH", "invalid_parameter_code"), ("ABCDEF", "invalid_authentication_session")):
        screen.poll(code).refused(400, error)
        screen.look_up(code).refused(400, error)
        screen.resume(code).refused(400, error)


@flow()
def session_ends(server):
    """A newer code of the device ends the older one, the clock ends any, and a login completes it (5.5)."""
    tv = server.screen()
    old = tv.code()
    way = BrowserLogin(server, old)
    newer = tv.code()
    over(server, tv, old)
    expect(way.answer("ann") == DONE and tv.shown() == {}, "a superseded code signs nobody in")
    way = BrowserLogin(server, newer)
    server.wait(1801)
    over(server, tv, newer)
    expect(way.answer("ann") == DONE and tv.shown() == {}, "a login after the code's end signs nobody in")
    tv.session("demo-2").ok()
    code = tv.sign_in("demo-1")
    no_page(server, code)
    tv.resume(code).refused(400, "invalid_authentication_session")
    tv.look_up(code).refused(400, "invalid_authentication_session")
    tv.code("demo-2")
    expect("demo-1" in tv.polled(code), "a newer code leaves a completed one alone")
    server.wait(2000)
    expect("demo-1" in tv.polled(code), "a completed code may be polled after its end")
    tv.log_out("demo-1")
    tv.poll(code).refused(400, "invalid_authentication_session")


def over(server, screen, code):
    for answer in (screen.poll(code), screen.look_up(code), screen.resume(code)):
        answer.refused(400, "invalid_authentication_session")
    no_page(server, code)


@flow("--code-after-expiry", "refuse", "--code-life", "60")
def old_codes_refused(server):
    tv = server.screen()
    code = tv.sign_in()
    expect("demo-1" in tv.polled(code), "a completed code")
    server.wait(60)
    tv.poll(code).refused(400, "invalid_authentication_session")
    expect("demo-1" in tv.shown(), "the profile does not depend on its code")


@flow()
def session_of_signed_in_device(server):
    tv = server.screen()
    tv.sign_in("demo-1")
    value = steps(tv.session("demo-1").ok(), "authorize", "direct", "authenticated", mvpd="demo-1")
    expect(value["url"] == f"/api/v2/{SP}/decisions/authorize/demo-1", "url")
    expect(tv.session("demo-2").ok()["actionName"] == "authenticate", "another provider")
    code = tv.session(None).ok()["code"]
    steps(server.screen().resume(code, mvpd="demo-1").ok(), "authorize", "direct", "authenticated", mvpd="demo-1")
    expect("demo-1" in tv.polled(code), "the waiting device learns of its profile")
    tv.resume(code).refused(400, "invalid_authentication_session")


# The browser (5.4)


@flow()
def browser(server):
    tv = server.screen()
    code = tv.code()
    way = BrowserLogin(server, code)
    expect(way.first.status == 302 and "/idp/demo-1/" in way.first.headers["Location"], "straight to the provider")
    expect(way.first.headers["Set-Cookie"] is None, "no cookie")
    expect("error" not in way.answer("", "") and tv.polled(code) == {}, "a refused login shows the page again")
    later = BrowserLogin(server, code)
    way.answer("ann")
    expect(tv.polled(code) == {}, "of two browsers the one that began last counts")
    expect(later.answer("bob") == DONE and "demo-1" in tv.polled(code), "the code stays good until a login")
    form = BrowserLogin(server, server.screen().code("demo-5"))
    expect(form.first.status == 200 and form.answer("ann") == DONE, "a page that posts itself")
    for bad in ("ABC", "ABCDEFG", server.screen().session(None).ok()["code"]):
        no_page(server, bad)
    send(server.url, "GET", f"/api/v2/authenticate/NOBODY/{code}").page(400)


@flow("--accounts", "ACCOUNTS")
def accounts(server):
    tv = server.screen()
    code = tv.code("cable")
    expect("<form" in BrowserLogin(server, code).answer("ann", "wrong") and tv.polled(code) == {}, "a wrong password")
    expect(BrowserLogin(server, code).answer("ann", "right-word") == DONE, "the right one")
    expect(tv.polled(code)["cable"]["attributes"]["userID"]["value"] == "u-ann", "the account's user id")


@flow()
def switched_provider(server):
    """The session's provider is the one whose login finished (B44)."""
    tv = server.screen()
    code = tv.code("demo-1")
    way = BrowserLogin(server, code)
    tv.resume(code, mvpd="demo-2").ok()
    way.answer("ann")
    expect(list(tv.polled(code)) == ["demo-1"], "provider of the finished login")


# Profiles (6)


@flow()
def profiles(server):
    tv = server.screen()
    expect(tv.profiles().ok() == {"profiles": {}} and tv.profiles("demo-1").ok() == {"profiles": {}}, "none yet")
    code = tv.sign_in("demo-1", "ann")
    views = [tv.profiles().ok(), tv.profiles("demo-1").ok(), tv.poll(code).ok()]
    for view in views:
        shaped({"profiles": {"demo-1": {**PROFILE, "issuer": "demo-1", "type": "regular"}}}, view, "profiles")
    expect(views[0] == views[1] == views[2], "the three views agree")
    expect(views[0]["profiles"]["demo-1"]["attributes"]["zip"]["state"] == "enc", "an encrypted attribute")
    tv.sign_in("demo-2", "bob")
    expect(set(tv.shown()) == {"demo-1", "demo-2"} and set(tv.shown("demo-2")) == {"demo-2"}, "two providers")
    other = server.screen(device=tv.device)
    expect(other.shown() == {}, "another application on the device")
    expect(server.screen(client=tv.client).shown() == {}, "another device")


@flow()
def profiles_expire(server):
    tv = server.screen()
    tv.sign_in("demo-1")
    ends = tv.shown()["demo-1"]["notAfter"]
    server.wait(9800)
    expect(tv.shown()["demo-1"]["notAfter"] == ends, "a life is not prolonged")
    server.wait(200)
    expect(tv.shown() == tv.shown("demo-1") == {}, "an expired profile")
    tv.authorize("demo-1", "c1").refused(403, "authenticated_profile_expired", AUTHENTICATION)
    expect(tv.session("demo-1").ok()["actionName"] == "authenticate", "to be signed in again")


# Decisions (7)


@flow()
def decisions(server):
    tv = server.screen()
    tv.authorize("demo-1", "c1").refused(403, "authenticated_profile_missing", AUTHENTICATION)
    tv.sign_in("demo-1")
    value = tv.preauthorize("demo-1", "c1", "ungated", "gone", "rated", "slow").ok()["decisions"]
    expect([each["resource"] for each in value] == ["c1", "gone", "rated", "slow"], "what is not gated is left out")
    shaped({**DECISION, "mvpd": "demo-1", "source": "mvpd", "authorized": True}, value[0], "Z1 permit")
    for each, status_code, action in zip(value[1:], (
            "preauthorization_denied_by_mvpd", "authorization_denied_by_parental_controls",
            "network_received_error"), ("none", "none", "retry")):
        shaped({**DECISION, "authorized": False, "error": lambda error: True}, each, "Z1 deny")
        checked_error(each["error"], 403, status_code, action)
    permit = shaped({**DECISION, "source": "mvpd", "authorized": True, "token": TOKEN, "notBefore": millis,
                     "notAfter": millis}, tv.decision("demo-1", "<rss>c1, c2</rss> "), "Z2 permit")
    expect(permit["resource"] == "<rss>c1, c2</rss> ", "the resource is echoed as it was sent")
    expect(permit["token"]["notAfter"] - permit["token"]["notBefore"] == 300_000, "life of a media token")
    denied = shaped({**DECISION, "authorized": False, "error": lambda error: True, "notBefore?": millis,
                     "notAfter?": millis}, tv.decision("demo-1", "gone"), "Z2 deny")
    checked_error(denied["error"], 403, "authorization_denied_by_mvpd")
    tv.authorize("demo-2", "c1").refused(403, "authenticated_profile_missing", AUTHENTICATION)
    server.order("invalidate", mvpd="demo-1", device=tv.device)
    tv.authorize("demo-1", "c1").refused(403, "authenticated_profile_invalidated", AUTHENTICATION)


@flow()
def decision_limits(server):
    tv = server.screen()
    tv.authorize("demo-1", "c1", "c2").refused(403, "too_many_resources", "configuration")
    tv.sign_in("demo-1")
    expect(len(tv.preauthorize("demo-1", *map(str, range(11))).ok()["decisions"]) == 11, "eleven were seen")
    tv.preauthorize("demo-1", *map(str, range(12))).refused(403, "too_many_resources", "configuration")
    tv.authorize("demo-1").refused(400, "invalid_parameter_resources")
    for body in ("", "[]", '{"resources": "c1"}', '{"resources": [1]}'):
        for path in ("authorize", "preauthorize"):
            tv.call("POST", f"/decisions/{path}/demo-1", body, JSON).refused(400, "invalid_parameter_resources")


@flow()
def decisions_are_kept(server):
    tv = server.screen()
    tv.sign_in("demo-1")
    first, second = tv.decision(), tv.decision()
    expect(first["notAfter"] == second["notAfter"], "the provider's permit is kept")
    expect(first["token"]["serializedToken"] != second["token"]["serializedToken"], "each media token is new")
    server.wait(900)
    late = tv.decision()
    expect(late["token"]["notAfter"] == late["notAfter"] == first["notAfter"], "a token ends with its decision")
    server.wait(100)
    expect(tv.decision()["notAfter"] > first["notAfter"], "then the provider is asked again")


# Logout (9)


@flow()
def logout(server):
    tv = server.screen()
    code = tv.sign_in("demo-1")
    tv.sign_in("demo-6")
    value = shaped({"actionName": "logout", "actionType": "interactive", "mvpd": "demo-1", "url": text},
                   tv.log_out("demo-1"), "logout")
    expect(list(tv.shown()) == ["demo-6"] and tv.polled(code) == {}, "the named profile ends at once")
    tv.authorize("demo-1", "c1").refused(403, "authenticated_profile_missing", AUTHENTICATION)
    address = urlsplit(value["url"])
    hop = send(server.url, "GET", f"{address.path}?{address.query}")
    hop = send(server.url, "GET", hop.headers["Location"][len(server.url):])
    expect(hop.headers["Location"] == DONE, "the browser's part ends at the application")
    shaped({"actionName": "invalid", "actionType": "none", "mvpd": "demo-1"}, tv.log_out("demo-1"), "again")
    shaped({"actionName": "complete", "actionType": "none", "mvpd": "demo-6"}, tv.log_out("demo-6"), "no endpoint")
    tv.call("GET", "/logout/demo-1").refused(400, "invalid_parameter_redirect_url")


# Single sign-on by identity (8.1, 8.2)


@flow()
def platform_identity(server):
    """Roku: all of a user's devices."""
    tv, bedroom, neighbour = (server.screen(**roku(user)) for user in ("smith", "smith", "jones"))
    code = tv.sign_in("demo-1", "ann")
    own = tv.shown()["demo-1"]
    expect(own["type"] == "regular" and tv.polled(code)["demo-1"]["type"] == "regular", "the first one's own")
    shared = shaped({**PROFILE, "type": "platformSSO", "issuer": "demo-1"}, bedroom.shown()["demo-1"], "shared")
    expect((shared["notAfter"], shared["attributes"]["userID"]) == (own["notAfter"], own["attributes"]["userID"]),
           "one login, one end")
    steps(bedroom.session("demo-1").ok(), "authorize", "direct", "authenticatedSSO", mvpd="demo-1")
    expect(bedroom.decision("demo-1")["authorized"], "a permit for the shared login")
    expect(bedroom.shown(X_Roku_Reserved_Roku_Connect_Token=None) == {}, "without the identity")
    expect(neighbour.shown() == {} and neighbour.session("demo-1").ok()["actionName"] == "authenticate", "another user")
    ended = bedroom.log_out("demo-1")
    expect(ended["actionName"] == "logout" and ended["url"].startswith("/adobe-services/"), "single logout")
    expect(tv.shown() == bedroom.shown() == {}, "a single logout ends all")


@flow()
def platform_identity_limits(server):
    tv, bedroom = server.screen(), server.screen(**roku("brown"))
    tv.sign_in("demo-1", "ann")
    expect(bedroom.shown() == {}, "not shared yet")
    tv.shown(**roku("brown"))
    expect("demo-1" in bedroom.shown(), "shared from when the identity is first sent")
    tv.shown(**roku("green"))
    expect(server.screen(**roku("green")).shown() == {}, "and with nobody else")
    bedroom.log_out("demo-1", X_Roku_Reserved_Roku_Connect_Token=None)
    expect(bedroom.shown() == {} and "demo-1" in tv.shown(), "a logout without the identity ends one device's view")
    bedroom.sign_in("demo-7", "ann")
    expect(server.screen(**roku("brown")).shown("demo-7") == {}, "single sign-on switched off")


@flow()
def logins_under_one_identity(server):
    """The last login is shown to others. A single logout ends all of them (B48)."""
    first, second, third = (server.screen(**roku("miller")) for _ in range(3))
    without = {"X_Roku_Reserved_Roku_Connect_Token": None}
    first.sign_in("demo-1", "ann")
    second.sign_in("demo-1", "bob", **without)
    second.shown()
    expect(user(third) == user(second) != user(first), "the last login is shared")
    second.log_out("demo-1", **without)
    expect(user(third) == user(first), "then the login that is left")
    second.sign_in("demo-1", "bob", **without)
    second.shown()
    third.log_out("demo-1")
    expect(first.shown() == second.shown() == third.shown() == {}, "one logout ends both logins")


def user(screen):
    return screen.shown()["demo-1"]["attributes"]["userID"]["value"]


@flow()
def service_token(server):
    ann, bob = SIGNER.service_token("ann"), SIGNER.service_token("bob")
    tv, phone = server.screen(**ann), server.screen(**SIGNER.service_token("ann", number=2))
    tv.sign_in("demo-1", "ann")
    expect(phone.shown()["demo-1"]["type"] == "serviceTokenSSO", "another device of the same user")
    expect(phone.decision()["authorized"], "its permit")
    expect(server.screen(**bob).shown() == {}, "another user")
    signed = ann["AD_Service_Token"]
    expired = SIGNER.service_token("ann", life=-1)["AD_Service_Token"]
    stranger = Signer(seed=2).service_token("ann")["AD_Service_Token"]
    for token in (None, expired, stranger, signed.rpartition(".")[0] + ".", signed[:-8] + "AAAAAAAA", "x.y.z",
                  SIGNER.service_token("ann", aud="other")["AD_Service_Token"],
                  SIGNER.service_token("ann", exp=None)["AD_Service_Token"],
                  SIGNER.service_token("ann", iss="other.test")["AD_Service_Token"],
                  SIGNER.subject_token("ann")["Adobe_Subject_Token"]):
        expect(phone.shown(AD_Service_Token=token) == {}, f"a token that counts as absent: {token}")
    expect(phone.profiles(**roku("ann")).status == 400, "two identities at once")
    tv.log_out("demo-1")
    expect(phone.shown() == {}, "single logout from the first device")


@flow()
def subject_token(server):
    first = server.screen(**SIGNER.subject_token("u1"))
    second = server.screen(device=first.device, **SIGNER.subject_token("u1"))
    first.sign_in("demo-1", "ann")
    expect(second.shown()["demo-1"]["type"] == "platformSSO", "another application on the device")
    expect(server.screen(**SIGNER.subject_token("u1")).shown() == {}, "another device")


@flow()
def identity_service(server):
    """The vendor's own (8.5): a token by the programmer's id, a code that links another device to it."""
    tv, phone = server.screen(), server.screen()
    rule = {"status": text, "serviceToken": text, "notBefore": millis, "notAfter": millis}
    created = at(tv, "POST", "serviceToken", X_SSO_ID="ann").ok(201)
    token = shaped({**rule, "status": "CREATED"}, created, "serviceToken")
    carried = {"AD_Service_Token": token["serviceToken"]}
    tv.sign_in("demo-1", "ann", **carried)
    link = shaped({"status": text, "code": lambda code: len(code) == 6 and code.isdigit(), "notBefore": millis,
                   "notAfter": millis}, at(tv, "POST", "link", **carried).ok(201), "link")
    linked = at(phone, "POST", "serviceToken", X_SSO_LINK=link["code"]).ok(201)
    phone.headers["AD-Service-Token"] = linked["serviceToken"]
    expect(phone.shown()["demo-1"]["type"] == "serviceTokenSSO", "the linked device sees the login")
    refused_link(at(phone, "POST", "serviceToken", X_SSO_LINK=link["code"]), 401, "header_invalid")
    refused_link(at(phone, "POST", "serviceToken"), 400, "header_missing")
    refused_link(at(phone, "GET", "list", AD_Service_Token="x.y.z"), 400, "token_invalid")
    refused_link(at(phone, "POST", "unlink"), 400, "request_null")
    device = {name: text for name in ("deviceType", "model", "os", "osVersion")}
    shaped({"devices": {tv.device: {**device, "lastSeen": millis, "type": "regular"},
                        phone.device: {**device, "lastSeen": millis, "type": "sso"}}},
           at(tv, "GET", "list", **carried).ok(), "list")
    server.wait(3601)
    expect(phone.shown() == {}, "a token that is over")
    refused_link(at(phone, "POST", "link"), 401, "token_expired")
    phone.headers["AD-Service-Token"] = at(phone, "GET", "serviceToken").ok()["serviceToken"]
    expect("demo-1" in phone.shown(), "refreshed")
    carried = {"AD_Service_Token": at(tv, "GET", "serviceToken", **carried).ok()["serviceToken"]}
    gone = at(tv, "POST", "unlink", json.dumps({"devices": [phone.device, "unknown"]}), **carried).ok()
    expect(gone["unlinkedDevices"] == [phone.device] and phone.shown() == {}, "unlinked")


def at(screen, method, name, body=None, **headers):
    return screen.call(method, name, body, root=f"/api/{SP}/", **headers)


def refused_link(answer, status, code):
    expect(answer.status == status, f"{answer.status} instead of {status} {code}: {answer.body}")
    error = {"status": status, "code": code, "message": text, "action": text, "helpUrl": text}
    shaped({"status": code.upper(), "error": error}, answer.json, "error " + code)


# Partner single sign-on (8.3)


@flow()
def partner_sessions(server):
    app, granted = server.screen(), partner_status(ends=36_000_000)
    rule = {"authenticationRequest": {"type": "saml", "request": base64_text, "attributesNames": [text]}}
    value = steps(app.partner_session(**granted).ok(), "partner_profile", "direct", "none", mvpd="demo-1", **rule)
    expect(value["url"] == f"/api/v2/{SP}/profiles/sso/Apple", "url")
    for status, mvpd in ((partner_status("denied"), "demo-1"), (partner_status("restricted", None), None),
                         (partner_status(mapping_id="nobody"), None), (partner_status(ends=-1), "demo-1"),
                         ({"AP_Partner_Framework_Status": "!"}, None), ({}, None)):
        answer = app.partner_session(**status).ok()
        if mvpd:
            steps(answer, "authenticate", "interactive", "pfs_fallback", mvpd=mvpd, **CODE)
        else:
            steps(answer, "resume", "direct", "pfs_fallback", missingParameters=lambda value: value == ["mvpd"], **CODE)
    for mapping in ("mso-demo-7", "mso-demo-8"):
        steps(app.partner_session(**partner_status(mapping_id=mapping)).ok(), "authenticate", "interactive",
              "configuration_fallback", **CODE)
    value = steps(app.partner_session(None, None, **granted).ok(), "resume", "direct", "missing_parameters_fallback",
                  missingParameters=lambda value: value == ["domainName", "redirectUrl"], **CODE)
    app.resume(value["code"], domainName="demo.test", redirectUrl=DONE).ok()
    sign_in(server, value["code"], "ann")
    steps(app.partner_session(**granted).ok(), "authorize", "direct", "authenticated", mvpd="demo-1")
    app.call("POST", "/sessions/sso/Other", "", FORM).refused(400, "invalid_parameter_partner")


@flow()
def partner_profiles(server):
    app, granted = server.screen(), partner_status(ends=36_000_000)
    value = app.partner_profile(saml(number=1), **granted).ok(201)
    shaped({"profiles": {"demo-1": {**PROFILE, "issuer": "Apple", "type": "appleSSO"}}}, value, "X2")
    app.partner_profile(saml(number=1), **granted).refused(400, "invalid_parameter_saml_response")
    expect(app.shown(**granted)["demo-1"]["type"] == "appleSSO", "seen with the user's permission")
    expect(app.decision(**granted)["authorized"], "permitted with it")
    for status in ({}, partner_status("denied"), partner_status(mapping_id="mso-demo-2"), partner_status(ends=-1)):
        expect(app.shown(**status) == app.shown("demo-1", **status) == {}, f"not seen: {status}")
        app.authorize("demo-1", "c1", **status).refused(403, "authenticated_profile_missing", AUTHENTICATION)
    steps(app.partner_session(**granted).ok(), "authorize", "direct", "authenticatedSSO", mvpd="demo-1")
    shaped({"actionName": "partner_logout", "actionType": "partner_interactive", "mvpd": "demo-1"},
           app.log_out("demo-1"), "partner logout")
    expect(app.shown(**granted) == {}, "the Apple profile ends")


@flow()
def partner_profiles_refused(server):
    app = server.screen()
    permission, provider = "invalid_header_pfs_permission_access_", "invalid_header_pfs_provider_"
    for status, code in (({}, permission + "not_present"), (partner_status(None), permission + "not_present"),
                         (partner_status("notDetermined"), permission + "not_determined"),
                         (partner_status("denied"), permission + "not_granted"),
                         (partner_status("restricted"), permission + "not_granted"),
                         (partner_status(mapping_id=None), provider + "id_not_determined"),
                         (partner_status(mapping_id="nobody"), provider + "id_not_determined"),
                         (partner_status(mapping_id="mso-demo-2"), provider + "id_mismatch"),
                         (partner_status(ends=-1), provider + "info_expired")):
        app.partner_profile(saml(), **status).refused(400, code)
    for mapping, code in (("mso-demo-7", "invalid_configuration_platform_services"),
                          ("mso-demo-8", "invalid_configuration_mvpd_platform_boarding_status")):
        app.partner_profile(saml(mapping), **partner_status(mapping_id=mapping)).refused(500, code, "configuration")
    response = base64_of(saml() + "?>>")
    expect("+" in response or "/" in response, "a response that has to be percent-encoded")
    for body in ("", "SAMLResponse=", "SAMLResponse=" + response.replace("+", " ").replace("/", "%252F"),
                 "SAMLResponse=" + base64_of("no document")):
        app.call("POST", "/profiles/sso/Apple", body, FORM, **partner_status()).refused(
            400, "invalid_parameter_saml_response")
    app.call("POST", "/profiles/sso/Other", "", FORM).refused(400, "invalid_parameter_partner")


@flow()
def partner_beside_regular(server):
    app, granted = server.screen(), partner_status()
    app.partner_profile(saml(subject="apple user"), **granted).ok(201)
    app.sign_in("demo-1", "ann")
    expect(app.shown(**granted)["demo-1"]["type"] == "regular", "the regular one is shown first")
    expect(app.log_out("demo-1")["actionName"] == "partner_logout", "Apple asks for its own action")
    expect(app.shown(**granted) == {} and app.log_out("demo-1")["actionName"] == "invalid", "both end")


# TempPass (11)


@flow()
def temp_pass(server):
    tv = server.screen()
    steps(tv.session("TempPass").ok(), "authorize", "direct", "temporary", mvpd="TempPass")
    server.wait(5)
    before = shaped({**PROFILE, "issuer": "Adobe", "type": "temporary"}, tv.shown("TempPass")["TempPass"], "P2")
    expect(before["attributes"]["userID"]["value"].startswith("temppass_"), "userID")
    expect(tv.shown() == {}, "not in the list")
    permit = shaped({**DECISION, "source": "temppass", "authorized": True, "token": TOKEN, "notBefore": millis,
                     "notAfter": millis}, tv.decision("TempPass"), "Z2")
    server.wait(5)
    after = tv.shown("TempPass")["TempPass"]
    expect(after["notAfter"] == after["attributes"]["expiration_date"]["value"] == permit["notAfter"], "one end")
    expect(all(each["authorized"] for each in tv.preauthorize("TempPass", "a", "b").ok()["decisions"]), "Z1")
    tv.sign_in("demo-1")
    expect(list(tv.shown()) == ["demo-1"], "a login beside it")
    shaped({"actionName": "complete", "actionType": "none", "mvpd": "TempPass"}, tv.log_out("TempPass"), "logout")
    server.wait(595)
    time_over(server, tv)
    query = urlencode({"requestor_id": SP, "mvpd_id": "TempPass", "device_id": tv.device})
    headers = {"Authorization": "Bearer " + tv.bearer}
    expect(send(server.url, "DELETE", "/reset-tempass/v3/reset?" + query, headers).status == 204, "reset")
    expect(tv.decision("TempPass")["authorized"], "a new trial after a reset")


def time_over(server, tv):
    code = "temporary_access_duration_limit_exceeded"
    tv.profiles("TempPass").refused(403, code, AUTHENTICATION)
    denied = shaped({**DECISION, "source": "temppass", "authorized": False, "error": lambda error: True},
                    tv.decision("TempPass"), "Z2 when it is over")
    checked_error(denied["error"], 403, code, AUTHENTICATION)
    same_device = server.screen(device=tv.device)
    expect(not same_device.decision("TempPass")["authorized"], "the device counts, not its application")
    waiting = tv.session(None).ok()["code"]
    expect(tv.resume(waiting, mvpd="TempPass").ok()["reasonType"] == "temporary", "S2")
    tv.poll(waiting).refused(403, code, AUTHENTICATION)


@flow()
def promotional(server):
    mvpd, code = "TempPassPromo", "temporary_access_resources_limit_exceeded"
    ann, bob = ({"AP_TempPass_Identity": base64_of({"email": name})} for name in ("ann", "bob"))
    tv = server.screen(**ann)
    used = []
    for resource in ("a", "b", "a", "c"):
        expect(tv.decision(mvpd, resource)["authorized"], f"permit of {resource}")
        used = used if resource in used else used + [resource]
        if len(used) < 3:
            attributes = tv.shown(mvpd)[mvpd]["attributes"]
            expect((attributes["remaining_resources"]["value"], attributes["used_assets"]["value"])
                   == (3 - len(used), used), f"counts {attributes}")
    checked_error(tv.decision(mvpd, "d")["error"], 403, code, AUTHENTICATION)
    expect(tv.decision(mvpd, "a")["authorized"], "one that was used may be used again")
    expect([each["authorized"] for each in tv.preauthorize(mvpd, "a", "d").ok()["decisions"]] == [True, False], "Z1")
    tv.profiles(mvpd).refused(403, code, AUTHENTICATION)
    expect(not server.screen(**ann).decision(mvpd, "d")["authorized"], "the same person on another device")
    expect(not server.screen(device=tv.device, **bob).decision(mvpd, "d")["authorized"], "another person on it")
    for header in (None, "!"):
        tv.profiles(mvpd, AP_TempPass_Identity=header).refused(400, "invalid_header_identity_for_temporary_access")
        item = tv.decision(mvpd, "a", AP_TempPass_Identity=header)
        checked_error(item["error"], 400, "invalid_header_identity_for_temporary_access")
    query = urlencode({"requestor_id": SP, "mvpd_id": mvpd, "key": "all"})
    headers = {"Authorization": "Bearer " + tv.bearer}
    expect(send(server.url, "DELETE", "/reset-tempass/v3/reset/generic?" + query, headers).status == 204, "reset")
    for query, status in ((f"requestor_id={SP}&mvpd_id=demo-1", 400), ("requestor_id=NOBODY&mvpd_id=TempPass", 400)):
        expect(send(server.url, "DELETE", "/reset-tempass/v3/reset?" + query, headers).status == status, query)
    expect(send(server.url, "DELETE", "/reset-tempass/v3/reset?" + query).status == 401, "a reset without a bearer")


@flow()
def promotional_by_code(server):
    """A phone's poll does not know the person. It is answered as for any session (B51)."""
    tv, mvpd = server.screen(), "TempPassPromo"
    code = tv.session(None).ok()["code"]
    tv.resume(code, mvpd=mvpd).ok()
    expect(tv.polled(code) == {}, "P3 without the identity")
    shown = tv.polled(code, AP_TempPass_Identity=base64_of("phoebe"))
    shaped({**PROFILE, "type": "temporary"}, shown[mvpd], "P3 with the identity")
    tv.poll(code, AP_TempPass_Identity="!").refused(400, "invalid_header_identity_for_temporary_access")


@flow()
def promotional_merges(server):
    mvpd = "TempPassPromo"
    carl, dora = ({"AP_TempPass_Identity": base64_of({"email": name})} for name in ("carl", "dora"))
    first, second = server.screen(**carl), server.screen(**dora)
    first.decision(mvpd, "a")
    second.decision(mvpd, "b")
    first.shown(mvpd, **dora)
    expect(second.shown(mvpd)[mvpd]["attributes"]["used_assets"]["value"] == ["b"], "a look joins nothing")
    expect(first.decision(mvpd, "c", **dora)["authorized"], "the third resource of both")
    expect(not second.decision(mvpd, "d")["authorized"], "a permit joins what both have used")
    early, late = (server.screen(AP_TempPass_Identity=base64_of(name)) for name in ("early", "late"))
    early.decision(mvpd, "a")
    server.wait(400)
    late.decision(mvpd, "a")
    begun = early.shown(mvpd)[mvpd]["notBefore"]
    late.decision(mvpd, "b", AP_TempPass_Identity=base64_of("early"))
    expect(late.shown(mvpd)[mvpd]["notBefore"] == begun, "and they begin with the earlier of the two")


@flow("--trial-life", "0")
def temp_pass_set_up_badly(server):
    tv, code = server.screen(), "invalid_configuration_temporary_access"
    tv.profiles("TempPass").refused(500, code, "configuration")
    checked_error(tv.decision("TempPass")["error"], 500, code, "configuration")


# Degradation (10)


@flow()
def degraded_logins(server):
    tv, mvpd = server.screen(), "demo-4"
    code = tv.code(mvpd)
    server.order("degrade", mvpd=mvpd, rule="AuthNAll", seconds=600)
    steps(tv.session(mvpd).ok(), "authorize", "direct", "degraded", mvpd=mvpd)
    rule = {**PROFILE, "issuer": "Adobe", "type": "degraded"}
    for view in (tv.profiles(mvpd).ok(), tv.poll(code).ok()):
        value = shaped({"profiles": {mvpd: rule}}, view, "degraded profile")["profiles"][mvpd]
        expect(value["attributes"]["userID"]["value"].startswith("95cf93bcd183214a"), "userID")
    expect(tv.shown() == {}, "not in the list")
    expect(tv.preauthorize(mvpd, "a").ok()["decisions"][0]["source"] == "degradation", "Z1")
    shaped({**DECISION, "source": "degradation", "authorized": True, "token": TOKEN, "notBefore": millis,
            "notAfter": millis}, tv.decision(mvpd), "Z2")
    shaped({"actionName": "complete", "actionType": "none", "mvpd": mvpd}, tv.log_out(mvpd), "logout")
    app, status = server.screen(), partner_status(mapping_id="mso-" + mvpd)
    shaped({"profiles": {mvpd: rule}}, app.partner_profile(saml("mso-" + mvpd), **status).ok(200), "X2")
    steps(app.partner_session(**status).ok(), "authorize", "direct", "degraded", mvpd=mvpd)
    server.wait(601)
    expect(tv.shown(mvpd) == app.shown(mvpd, **status) == {}, "nothing is left after the rule")
    tv.authorize(mvpd, "c1").refused(403, "authenticated_profile_missing", AUTHENTICATION)
    expect(tv.session(mvpd).ok()["actionName"] == "authenticate", "an ordinary session again")


@flow()
def degraded_decisions(server):
    tv, mvpd = server.screen(), "demo-5"
    server.order("degrade", mvpd=mvpd, rule="AuthZAll", seconds=600)
    shaped({**DECISION, "source": "degradation", "authorized": True, "token": TOKEN}, tv.decision(mvpd), "AuthZAll")
    expect(tv.session(mvpd).ok()["actionName"] == "authenticate" and tv.shown(mvpd) == {}, "logins are as always")
    tv.sign_in(mvpd)
    server.order("degrade", mvpd=mvpd, rule="AuthZNone", seconds=600, message="Not today.")
    for item in (tv.decision(mvpd), tv.preauthorize(mvpd, "a").ok()["decisions"][0]):
        expect(not item["authorized"] and item["error"]["details"] == "Not today.", "AuthZNone wins, with its message")
        checked_error(item["error"], 403, "authorization_denied_by_degradation_rule")
    server.wait(601)
    expect(tv.decision(mvpd)["source"] == "mvpd" and mvpd in tv.shown(), "a profile survives the rules")


# The server as a whole


@flow("--degrade", "demo-3:AuthNAll:60", "--fault", "premature-authorize", "--service-provider", SP)
def command_line(server):
    """What begins with the server: degradation, faults; and no identity without a known key."""
    tv = server.screen(**SIGNER.service_token("ann"))
    expect(tv.session("demo-3").ok()["reasonType"] == "degraded", "--degrade")
    tv.sign_in("demo-1", "ann")
    expect(server.screen(**SIGNER.service_token("ann")).shown() == {}, "an identity without a known key")
    tv.log_out("demo-1")
    expect(tv.session("demo-1").ok()["actionName"] == "authorize", "--fault")


@flow()
def concurrency(server):
    """Sixteen households at once, each of them consistent with itself; limits hold under contention."""
    shared = server.screen(AP_TempPass_Identity=base64_of("crowd"))
    failures, permits, codes, accepted = [], [], [], []
    app, granted = server.screen(), partner_status()

    def household(number):
        try:
            tv = server.screen()
            for round_ in range(3):
                mvpd = f"demo-{number % 5 + 1}"
                code = tv.sign_in(mvpd, f"user {number}")
                codes.append(code)
                found = [tv.polled(code), tv.shown(), tv.shown(mvpd)]
                expect(found[0] == found[1] == found[2] and list(found[0]) == [mvpd], f"views differ: {found}")
                expect(tv.decision(mvpd)["authorized"], "permit")
                expect(tv.log_out(mvpd)["actionName"] == "logout" and tv.shown() == {}, "logout")
            permits.append(shared.decision("TempPassPromo", f"r{number}")["authorized"])
            accepted.append(app.partner_profile(saml(number="once"), **granted).status)
        except (Failed, OSError) as failure:
            failures.append(str(failure))

    threads = [threading.Thread(target=household, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not failures, f"{len(failures)} households failed, such as: {failures[:1]}")
    expect(len(set(codes)) == 48, "each code is another")
    expect(permits.count(True) == 3, f"{permits.count(True)} permits of 3 resources")
    expect(sorted(accepted) == [201] + [400] * 15, f"a response counted {accepted.count(201)} times")


@flow()
def odd_requests(server):
    """Nothing that a client sends is answered with 500 or without an answer."""
    screen = server.screen(claims={"scopes": 7, "serviceProviders": 7})
    tokens = "AD_Service_Token", "Adobe_Subject_Token", "X_Roku_Reserved_Roku_Connect_Token"
    claims = Signer.unsigned({"alg": ["HS256"]}, ["a list"], 60, {"iss": {}}) + ".AA"
    for odd in ("", "..", "a.b.c", "\xff.\xff.\xff", "[].{}.x", claims):
        for name in (*tokens, "AP_TempPass_Identity", "AP_Partner_Framework_Status", "Authorization"):
            for call in (screen.profiles, screen.session, screen.partner_session):
                expect(call(**{name: odd}).status < 500, f"{name}: {odd}")
    for value in ([], 7, {"frameworkPermissionInfo": 7}, {"frameworkProviderInfo": {"id": 7, "expirationDate": []},
                                                         "frameworkPermissionInfo": {"accessStatus": []}}):
        expect(screen.partner_profile(saml(), AP_Partner_Framework_Status=base64_of(value)).status == 400, f"{value}")
        expect(screen.session(X_Device_Info=base64_of(value)).status in (200, 400), f"{value}")
    screen.session(X_Device_Info=base64_of({"version": {"a": []}, "connectionPort": []})).ok()
    for redirect in ("https://demo.test/\r\nX: y", "https://demo.test/\u20ac", "https://[", "://"):
        screen.session(redirectUrl=redirect).refused(400, "invalid_parameter_redirect_url")
    for body in (b"\xff\xfe", b"7", b'{"resources": {"a": 1}}', b'{"software_statement": []}'):
        screen.call("POST", "/decisions/authorize/demo-1", body, JSON).refused(400, "invalid_parameter_resources")
        expect(send(server.url, "POST", "/o/client/register", {"Content-Type": JSON}, body).status == 400, f"{body}")
        expect(screen.call("POST", "/sessions", body, FORM).status == 200, f"{body}")
        expect(send(server.url, "POST", "/_test/degrade", {}, body).status == 400, f"{body}")


@flow("--log", "LOG")
def log(server):
    tv = server.screen()
    code = tv.sign_in("demo-1", "somebody")
    tv.poll(code)
    with open(os.environ["CHECK_LOG"], encoding="utf-8") as file:
        written = file.read()
    lines = [json.loads(line) for line in written.splitlines()]
    for line in lines:
        shaped({"time": millis, "method": text, "path": text, "status": lambda value: isinstance(value, int),
                "device": lambda value: value in (None, tv.device), "code": lambda value: value in (None, code)},
               line, "line of the log")
    session = next(line for line in lines if line["path"].endswith("/sessions"))
    expect((session["device"], session["code"], session["status"]) == (tv.device, code, 200), "S1's line")
    secrets = (tv.bearer, tv.client["client_secret"], "secret-word", "somebody", base64_of(INFORMATION))
    expect(not any(secret in written for secret in secrets), "a secret in the log")
