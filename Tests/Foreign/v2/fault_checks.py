"""For each fault of the server one check that sees it, and that passes where the fault is not switched on.

A fault that shows only sometimes is looked for as often as makes missing it less likely than one in a million.
"""

from flow_checks import SIGNER
from client import BrowserLogin, base64_of, expect, partner_status, roku, saml, send, sign_in

ALL = {}


def fault(name):
    def mark(function):
        ALL[name] = function
        return function
    return mark


def user_of(profile):
    return profile["attributes"]["userID"]["value"]


@fault("late-profile")
def late_profile(server):
    tv = server.screen()
    code = tv.sign_in()
    expect("demo-1" in tv.shown(), "the login counts")
    expect(all("demo-1" in tv.polled(code) for _ in range(24)), "a poll misses the login")


@fault("lost-profile")
def lost_profile(server):
    tv = server.screen()
    tv.sign_in()
    expect(all("demo-1" in tv.shown() for _ in range(64)), "the profile is gone")


@fault("expired-profile-served")
def expired_profile_served(server):
    tv = server.screen()
    tv.sign_in()
    server.wait(10_001)
    expect(tv.shown() == {}, "an expired profile is shown")


@fault("profile-prolonged")
def profile_prolonged(server):
    tv = server.screen()
    tv.sign_in()
    first = tv.shown()["demo-1"]["notAfter"]
    server.wait(100)
    expect(tv.shown()["demo-1"]["notAfter"] == first, "notAfter has moved")


@fault("wrong-provider-profile")
def wrong_provider_profile(server):
    tv = server.screen()
    tv.sign_in("demo-1")
    expect(tv.shown("demo-2") == {}, "the profile of another provider is shown")


@fault("views-differ")
def views_differ(server):
    tv = server.screen()
    code = tv.sign_in()
    expect(tv.shown() == tv.polled(code), "two views of one profile differ")


@fault("wrong-user")
def wrong_user(server):
    seen = set()
    for number in range(20):
        tv = server.screen()
        tv.sign_in(user=f"wrong-user {number}")
        seen.add(user_of(tv.shown()["demo-1"]))
    expect(len(seen) == 20, f"{len(seen)} users are shown after 20 have signed in")


@fault("session-hijack")
def session_hijack(server):
    tv, phone = server.screen(), server.screen()
    code = tv.session(None).ok()["code"]
    phone.resume(code, bare=False, mvpd="demo-1").ok()
    sign_in(server, code, "ann")
    expect("demo-1" in tv.shown() and phone.shown() == {}, "the login belongs to another device")


@fault("superseded-code-lives")
def superseded_code_lives(server):
    tv = server.screen()
    old = tv.code()
    way = BrowserLogin(server, old)
    tv.code()
    way.answer("ann")
    expect(tv.shown() == {}, "the older code has signed the device in")


@fault("expired-code-accepted")
def expired_code_accepted(server):
    tv = server.screen()
    way = BrowserLogin(server, tv.code())
    server.wait(1801)
    way.answer("ann")
    expect(tv.shown() == {}, "a code was signed in with after its end")


@fault("code-signs-twice")
def code_signs_twice(server):
    tv = server.screen()
    code = tv.sign_in(user="ann")
    first = user_of(tv.polled(code)["demo-1"])
    if send(server.url, "GET", f"/api/v2/authenticate/DEMOTV/{code}").status != 400:
        sign_in(server, code, "bob")
    expect(user_of(tv.polled(code)["demo-1"]) == first, "the code has signed two users in")


@fault("code-twice")
def code_twice(server):
    codes = [server.screen().code() for _ in range(24)]
    expect(len(set(codes)) == 24, "one code for two devices")


@fault("premature-authorize")
def premature_authorize(server):
    tv = server.screen()
    tv.sign_in()
    tv.log_out("demo-1")
    expect(tv.session().ok()["actionName"] == "authenticate", "authorize without a profile")


@fault("stale-decision")
def stale_decision(server):
    tv = server.screen()
    tv.sign_in()
    tv.decision(resource="c1")
    tv.log_out("demo-1")
    expect(tv.authorize("demo-1", "c2").status == 403, "permitted after the logout though never asked before")
    expect(tv.authorize("demo-1", "c1").status == 403, "still permitted after the logout")


@fault("foreign-media-token")
def foreign_media_token(server):
    tokens = []
    for number in range(20):
        tv = server.screen()
        tv.sign_in(user=f"viewer {number}")
        tokens.append(tv.decision()["token"]["serializedToken"])
    expect(len(set(tokens)) == 20, "two users have the same media token")


@fault("media-token-repeat")
def media_token_repeat(server):
    tv = server.screen()
    tv.sign_in()
    expect(tv.decision()["token"] != tv.decision()["token"], "the same media token again")


@fault("preauthorize-spends")
def preauthorize_spends(server):
    tv = server.screen(AP_TempPass_Identity=base64_of(server.unique("person")))
    tv.preauthorize("TempPassPromo", "a", "b").ok()
    left = tv.shown("TempPassPromo")["TempPassPromo"]["attributes"]["remaining_resources"]["value"]
    expect(left == 3, f"{left} resources of 3 are left")


@fault("late-logout")
def late_logout(server):
    tv = server.screen()
    tv.sign_in()
    tv.log_out("demo-1")
    expect(all(tv.shown() == {} for _ in range(24)), "the profile is shown after the logout")


@fault("logout-all-providers")
def logout_all_providers(server):
    tv = server.screen()
    tv.sign_in("demo-1")
    tv.sign_in("demo-2")
    tv.log_out("demo-1")
    expect("demo-2" in tv.shown(), "the other provider's profile is gone")


@fault("partial-single-logout")
def partial_single_logout(server):
    identity = roku(server.unique("family"))
    tv, bedroom = server.screen(**identity), server.screen(**identity)
    tv.sign_in()
    bedroom.log_out("demo-1")
    expect(tv.shown() == {}, "the other device is still signed in")


@fault("foreign-service-token")
def foreign_service_token(server):
    tv = server.screen(**SIGNER.service_token(server.unique("user")))
    tv.sign_in()
    stranger = server.screen(**SIGNER.service_token(server.unique("user")))
    expect(stranger.shown() == {}, "another user's service token shows the login")


@fault("platform-identity-leak")
def platform_identity_leak(server):
    tv, stranger = (server.screen(**roku(server.unique("family"))) for _ in range(2))
    tv.sign_in()
    expect(stranger.shown() == {}, "another home is signed in")


@fault("partner-gate-open")
def partner_gate_open(server):
    app = server.screen()
    app.partner_profile(saml(number=server.unique("response")), **partner_status()).ok(201)
    expect(app.shown(**partner_status("denied")) == {}, "an Apple profile without permission")


@fault("degradation-outlives-rule")
def degradation_outlives_rule(server):
    tv = server.screen()
    server.order("degrade", mvpd="demo-6", rule="AuthNAll", seconds=60)
    expect("demo-6" in tv.shown("demo-6"), "degraded while the rule stands")
    server.wait(61)
    expect(tv.shown("demo-6") == {}, "degraded after the rule's end")


@fault("temppass-refill")
def temppass_refill(server):
    tv = server.screen()
    tv.decision("TempPass")
    server.wait(601)
    tv.log_out("TempPass")
    expect(not tv.decision("TempPass")["authorized"], "the trial has begun anew")
