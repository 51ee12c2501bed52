# Promises that only REST V2 has (docs/promises-v2.md). As above: what the two of a conflict prove by themselves.
# Providers for which a degradation rule is active while this runs, with commas between.
DEGRADED = [name for name in os.environ.get("SCREENRIG_DEGRADED", "").split(",") if name]
SHARED = ("platformSSO", "serviceTokenSSO")
LOOKS = ("profiles", "profiles-by-mvpd")


class View:
    """One profile of an answer."""

    def __init__(self, seen, mvpd, profile):
        self.seen, self.mvpd, self.kind = seen, mvpd, profile.get("type")
        self.user = dig(profile, ["attributes", "userID", "value"])
        self.begins, self.expires = profile.get("notBefore"), profile.get("notAfter")
        self.sent, self.first = seen.sent, seen.first


def views(trial, household, *deeds):
    """The profiles that a home was shown; of these requests, if any are named."""
    return [View(seen, mvpd, profile)
            for seen in of(trial, household, *(deeds or LOOKS + ("poll", "confirm")))
            for mvpd, profile in (dig(seen.document, ["profiles"]) or {}).items()
            if isinstance(profile, dict)]


def missing(trial, household, mvpd):
    """The device's own looks that show no profile of that provider."""
    return [s for s in of(trial, household, *LOOKS) if s.status == 200
            and (s.op["op"] == "profiles" or s.asked == mvpd) and not s.identity
            and mvpd not in (dig(s.document, ["profiles"]) or {})]


def ended(trial, household, earlier, later, mvpd):
    """Whether something may have ended the profile between the two, or made another."""
    return any(s.mvpd == mvpd or not s.mvpd
               for s in between(trial, household, earlier, later, *ENDS))


def pair(found):
    return next(((getattr(a, "seen", a), getattr(b, "seen", b)) for a, b in found), None)


def actions(trial, household):
    return [s for s in of(trial, household, "code") if s.status == 200]


def decisions(seen):
    return [d for d in dig(seen.document, ["decisions"]) or [] if isinstance(d, dict)]


def strangers(trial, household):
    """Profiles of others, among those that the device asks for without a code."""
    # Where the service's names are not known, only somebody else's tells.
    unknown = None if any(v.user in trial.users for v in views(trial, household)) else household
    return pair((v, v) for v in views(trial, household, *LOOKS)
                if v.kind == "regular" and v.user is not None and not v.seen.identity
                and trial.users.get(v.user, unknown) != household)


def rests_on_own(seen):
    """Whether a permit shows that the device has a profile of its own: not where an identity may have vouched for it."""
    return not seen.identity and any(d.get("source") == "mvpd" for d in decisions(seen))


def profile_consistent(trial, household):
    return pair((v, v) for v in views(trial, household)
                if v.seen.op["op"] == "profiles-by-mvpd" and v.mvpd != v.seen.asked
                or None not in (v.begins, v.expires) and v.expires <= v.begins)


def profile_views_agree(trial, household):
    shown = [v for v in views(trial, household) if v.kind == "regular"]

    def differ(a, b):
        if None in (a.user, b.user):
            return False
        if a.user == b.user:
            return a.begins != b.begins or not same_expiry(a, b)
        return (a.begins, a.expires) == (b.begins, b.expires)
    return pair(
        [(a, b) for a in shown for b in shown
         if a.first < b.sent and a.mvpd == b.mvpd and a.seen.op["op"] != b.seen.op["op"]
         and differ(a, b) and not ended(trial, household, a, b, a.mvpd)]
        + [(a, s) for a in shown for s in missing(trial, household, a.mvpd)
           if a.first < s.sent and a.seen.op["op"] != s.op["op"]
           and not ended(trial, household, a, s, a.mvpd)])


def code_binds_device(trial, household):
    own = {(v.user, v.mvpd) for v in views(trial, household, *LOOKS)}
    # What the device was given without an identity rests on a profile of its own, too.
    given = {s.asked for s in of(trial, household, "media", "preauthorize") if rests_on_own(s)}
    given |= {s.asked for s in actions(trial, household) if not s.identity and s.document.get(
        "actionName") == "authorize" and s.document.get("reasonType") == "authenticated"}
    if not any(s.identity for s in trial.seen if s.household == household):
        given |= {s.asked for s in of(trial, household, "logout")
                  if dig(s.document, ["logouts", "*", "actionName"]) == "logout"}
    return pair((v, s) for v in views(trial, household, "poll", "confirm")
                if v.kind == "regular" and (v.user, v.mvpd) not in own and v.mvpd not in given
                for s in missing(trial, household, v.mvpd)
                if s.sent > v.first and not between(trial, household, v, s, *ENDS))


def action_true(trial, household):
    signs = of(trial, household, "sign-in")
    told = [s for s in actions(trial, household) if s.asked and s.document.get(
        "actionName") == "authorize" and s.document.get("reasonType") == "authenticated"]
    asked = [s for s in actions(trial, household) if s.asked and s.document.get(
        "actionName") == "authenticate"]
    return pair(
        [(s, s) for s in told if not any(o.mvpd == s.asked and o.sent < s.first for o in signs)]
        + [(s, n) for s in told for n in missing(trial, household, s.asked)
           if n.sent > s.first and not ended(trial, household, s, n, s.asked)]
        + [(v, s) for v in views(trial, household, *LOOKS) if v.kind == "regular"
           for s in asked if s.asked == v.mvpd and s.sent > v.first
           and not ended(trial, household, v, s, v.mvpd)])


def preauthorize_inert(trial, household):
    return pair((s, s) for s in of(trial, household, "preauthorize")
                if any(dig(d, ["token", "serializedToken"]) for d in decisions(s)))


def sharing(trial, identity):
    """The homes whose requests showed that identity."""
    return {s.household for s in trial.seen if s.identity == identity}


def identity_isolation(trial, household):
    given = [s for s in actions(trial, household) if not s.identity and s.document.get(
        "reasonType") == "authenticatedSSO"]
    found = [(s, s) for s in given]
    for view in views(trial, household):
        if view.kind not in SHARED:
            continue
        if not view.seen.identity:
            found.append((view, view))
            continue
        homes = sharing(trial, view.seen.identity)
        signs = [s for s in trial.seen if s.does == "sign-in" and s.household in homes
                 and s.mvpd == view.mvpd and s.sent < view.first]
        known = {v.user for home in homes for v in views(trial, home) if v.kind == "regular"}
        if any(v in trial.users for v in known | {view.user}):
            known |= {s.op.get("user") for s in signs}
        if not signs or known and view.user not in known:
            found.append((view, view))
    return pair(found)


def single_logout(trial, household):
    found = []
    for out in [s for s in trial.seen if s.does == "logout" and s.result == "success" and s.identity]:
        was_shown = any(v.kind in SHARED and v.mvpd == out.mvpd and v.first < out.sent
                        for v in views(trial, out.household))
        homes = sharing(trial, out.identity)
        for view in views(trial, household, *LOOKS):
            if view.seen.identity != out.identity or view.mvpd != out.mvpd or view.sent < out.first:
                continue
            fits = view.kind in SHARED or (
                view.kind == "regular" and was_shown and household != out.household)
            if fits and not any(between(trial, home, out, view, "sign-in") for home in homes):
                found.append((out, view))
    return pair(found)


def temppass_budget(trial, household):
    passes = [v for v in views(trial, household, *LOOKS) if v.kind == "temporary"]
    permits = [s for s in of(trial, household, "media") if s.result == "success"
               and any(d.get("source") == "temppass" for d in decisions(s))]
    over = [s for s in of(trial, household, "media")
            if any("temporary_access" in str(dig(d, ["error", "code"])) for d in decisions(s))]
    return pair(
        [(a, b) for p in permits for a in passes for b in passes
         if p.mvpd == a.mvpd == b.mvpd and p.first < a.sent and a.first < b.sent
         and b.expires - a.expires > 1000]
        + [(o, p) for o in over for p in permits if o.mvpd == p.mvpd and p.sent > o.first])


def degradation_bounded(trial, household):
    listed = [(v, v) for v in views(trial, household, "profiles")
              if v.kind == "degraded" and v.seen.op["op"] == "profiles"]
    given = [(v, v) for v in views(trial, household)
             if v.kind == "degraded" and v.mvpd not in DEGRADED]
    given += [(s, s) for s in of(trial, household, "media") if s.asked not in DEGRADED
              and s.result == "success" and any(d.get("source") == "degradation" for d in decisions(s))]
    given += [(s, s) for s in actions(trial, household)
              if s.asked not in DEGRADED and s.document.get("reasonType") == "degraded"]
    return pair(listed + given)


def session_superseded(trial, household):
    made = [s for s in actions(trial, household) if s.code and s.document.get("code")]
    signs = of(trial, household, "sign-in")
    return pair(
        (newer, s) for old in made for newer in made if newer.sent > old.first and newer.code != old.code
        for s in of(trial, household, "record", "start")
        if s.result == "success" and s.code == old.code and s.sent > newer.first
        and not any(o.code == old.code and o.sent < s.first for o in signs))


RULES = {
    "token-isolation": strangers,
    "profile-consistent": profile_consistent, "profile-views-agree": profile_views_agree,
    "code-binds-device": code_binds_device, "action-true": action_true,
    "preauthorize-inert": preauthorize_inert, "identity-isolation": identity_isolation,
    "single-logout": single_logout, "temppass-budget": temppass_budget,
    "degradation-bounded": degradation_bounded, "session-superseded": session_superseded,
}
