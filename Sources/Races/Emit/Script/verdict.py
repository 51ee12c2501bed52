def polls(trial, household, result=None):
    return [s for s in trial.seen if s.household == household and s.does == "poll"
            and (result is None or s.result == result)]


def of(trial, household, *deeds):
    return [s for s in trial.seen if s.household == household and s.does in deeds]


def same(one, other):
    """Whether two are about one sign-in, of which a device may have several."""
    if not TARGET["several"]:
        return True
    if one.mvpd and other.mvpd:
        return one.mvpd == other.mvpd
    return bool(one.code) and one.code == other.code


def same_expiry(one, other):
    """As far as the service's clocks go."""
    try:
        return abs(int(one.expires) - int(other.expires)) <= CASE["toleranceMs"]
    except (TypeError, ValueError):
        return one.expires == other.expires


def shared_logouts(trial, household):
    """Logouts of another living room under an identity of this one: they may end its sign-ins."""
    own = {s.identity for s in trial.seen if s.household == household} - {None}
    return [s for s in trial.seen if s.does == "logout" and s.household != household and s.identity in own]


def between(trial, household, earlier, later, *deeds):
    """Those of these that may have acted between the two."""
    others = shared_logouts(trial, household) if "logout" in deeds else []
    return [s for s in of(trial, household, *deeds) + others
            if s.sent < later.first and s.first > earlier.sent]


def comes_later(sign, logout, shown):
    """Whether a login that its phone's check left open may act after that logout: nothing had shown it before."""
    return sign.op["open"] and not any(
        p.first > sign.sent and p.sent < logout.first and p.who in (None, sign.op.get("user"))
        for p in shown)


def resource(seen):
    return seen.op["args"].get("resource") or "0"


def media_token(seen):
    own = dig(seen.document, ["serializedToken"])
    return own or dig(seen.document, ["decisions", "*", "token", "serializedToken"])


def outlived(seen):
    """Whether a media token was over when it was given, all by the service's clock, which counts seconds."""
    ends = dig(seen.document, ["decisions", "*", "token", "notAfter"]) or seen.expires
    try:
        said, ends = parsedate_to_datetime(seen.date).timestamp() * 1000, int(ends)
        # In milliseconds: what is less than 1973 is in seconds.
        return ends > 100_000_000_000 and said > ends + CASE["toleranceMs"] + CASE["sweepLagMs"]
    except (TypeError, ValueError):
        return False


def wrong_token(trial, household):
    """A media token that was over, or another's."""
    return next(((m, m) for m in of(trial, household, "media") if m.result == "success" and outlived(m)), None) \
        or given_again(trial, household)


def given_again(trial, household):
    """One media token for two living rooms: the later one got the other's. For one, it is of one resource, and, where
    a policy says so, given once, also to requests that overlap."""
    return next(((o, m) for m in of(trial, household, "media") for o in trial.seen
                 if o.does == "media" and o.first < m.first and None is not media_token(o) == media_token(m)
                 and (o.household != household or CASE["mediaOnce"] or resource(o) != resource(m))), None)


ENDS = ("logout", "sign-in")
# What is turned down where nobody is signed in.
GATED = ("authorize", "media", "authorization")


# In this order: what is told first is likelier to be the cause of the others.
PROMISES = (__PROMISES__)


def orders(acts, reads):
    """Whether these can have happened one after another, each between its two instants."""
    all_of_them = acts + reads
    over = [float("inf") if s.does == "sign-in" and s.op.get("open") else s.first for s in all_of_them]
    dead = set()

    def go(left, user):
        if not left:
            return True
        if (left, user) in dead:
            return False
        # One may come next if none of the others was over before it began.
        soonest = min(over[i] for i in left)
        for i in left:
            one = all_of_them[i]
            if one.sent > soonest:
                continue
            rest = left - {i}
            if one.does == "sign-in":
                # A redirect promises nothing: it may have done nothing.
                after = [one.op.get("user"), user]
            elif one.does == "logout":
                after = [None]
            else:
                fits = (one.who == user if one.who else user is not None) \
                    if one.result == "success" else user is None
                after = [user] if fits else []
            if any(go(rest, state) for state in after):
                return True
        dead.add((left, user))
        return False

    return go(frozenset(range(len(all_of_them))), None)


# Users that accounts were given with.
GIVEN = {account[2] for account in ACCOUNTS if len(account) > 2}
# Whether the service names accounts as they were typed: one answer that does so says it of all.
ARE_TYPED = False


def namings(trial):
    """Who the users of its answers may be: maps of users, each at a provider, to the accounts that signed in there.

    A service may name its users as it likes (an id of its own, another at each provider). Each sign-in has
    one name, and no account stays without one while there is a name left."""
    if ARE_TYPED:
        return [{}]
    shown = sorted({(s.user, s.mvpd) for s in trial.seen
                    if s.user is not None and s.user not in GIVEN}, key=str)

    def go(users, accounts):
        if not users:
            return [{}]
        (user, mvpd), found = users[0], go(users[1:], accounts)
        for number, (account, provider) in enumerate(accounts):
            if provider == mvpd or mvpd is None:
                found += [{**naming, (user, mvpd): account}
                          for naming in go(users[1:], accounts[:number] + accounts[number + 1:])]
        return found

    found = go(shown, [(s.op["user"], s.op["mvpd"]) for s in trial.seen
                       if s.does == "sign-in" and s.op["user"] not in GIVEN])
    most = max(len(naming) for naming in found)
    return [naming for naming in found if len(naming) == most]


def contradiction(trial, promise):
    """Two observations of a home that cannot both be, whoever the users of answers are; or None."""
    found = None
    for naming in namings(trial):
        for seen in trial.seen:
            seen.who = naming.get((seen.user, seen.mvpd), seen.user)
        found = next(filter(None, (judge(trial, household, promise) for household in sorted(
            {actor["household"] for actor in CASE["actors"]}))), None)
        if not found:
            return None
    return found


# Codes of all trials: a trial by itself knows only its own.
ISSUED = []


def keeps_codes():
    """Whether a code that was issued is good until its end: not deleted, used, or replaced by a newer one."""
    made = [op["actor"] for op in CASE["ops"] if op["does"] == "code"]
    ends = ("delete", "logout", "sign-in")
    return len(made) == len(set(made)) and not any(op["does"] in ends for op in CASE["ops"])


def life(made):
    """Lifetime of a code in nanoseconds; ten seconds if its record has none."""
    begin, end = (made.document.get(name) for name in ("generated", "expires"))
    try:
        return (int(end) - int(begin)) * 1_000_000
    except (TypeError, ValueError):
        return 10_000_000_000


def judge(trial, household, promise):
    """Two observations that cannot both be, or None."""
    yes, no = polls(trial, household, "success"), polls(trial, household, "absent")
    signs = of(trial, household, "sign-in")
    told = [s for s in of(trial, household, "confirm") if s.result == "success"]
    gone = [s for s in of(trial, household, "logout") if s.result == "success"]
    for s in signs:
        # The phone's own check returned "not yet" after it, and no logout is why: it may act at any later time.
        s.op["open"] = any(c.result == "absent" and c.sent > s.first and same(s, c)
                           and not any(g.sent < c.first and same(g, s)
                                       for g in gone + shared_logouts(trial, household))
                           for c in of(trial, household, "confirm"))
    if promise == "no-token-before-sign-in":
        return next(((p, p) for p in yes if p.first < min(
            [s.sent for s in signs if same(s, p)], default=float("inf"))), None)
    if promise == "token-isolation":
        # Where the service's names are not known, only somebody else's tells.
        knows = any(p.who in trial.users for p in yes + told)
        strange = RULES[promise](trial, household) if promise in RULES else None
        return strange or next(((p, p) for p in yes + told if p.who is not None and (
            knows or p.who in trial.users)
            and trial.users.get(p.who) != household), None)
    if promise == "sign-in-visible":
        # An assertion that the phone's check does not speak against acted inside its interval or not at all: a token
        # seen later proves it.
        # That a login was recorded which a logout has ended since promises the TV nothing.
        done = [d for d in told if not any(
            g.first < d.sent and same(g, d) and not between(trial, household, g, d, "sign-in")
            for g in gone + shared_logouts(trial, household))]
        # One that was turned away, or that another login of that user may be meant by, proves nothing.
        done += [s for s in signs if not s.op["open"] and s.result == "success"
                 and any(p.who == s.op.get("user") for p in yes)]
        return next(((d, p) for d in done for p in no if p.sent > d.first and same(d, p)
                     and not between(trial, household, d, p, "logout", "delete")
                     and not any(d in signs and s is not d and s.first > p.sent
                                 and s.op.get("user") == d.op.get("user") for s in signs)), None)
    if promise == "sign-in-delivered":
        # One poll interval, 5 s, is what a service has. A logout before the last sign-in ends nothing of it.
        bound = 5_000_000_000
        done = told or [s for s in signs if s.result == "success"]
        last = polls(trial, household)[-1:]
        begun = max((s.sent for d in done[-1:] for s in signs if s.result == "success" and s.sent < d.first and same(s, d)), default=0)
        return next(((d, p) for d in done[-1:] for p in last
                     if p.result == "absent" and p.sent - d.first >= bound and same(d, p)
                     and not any(g.first > begun and same(g, d) and g.result != "denied"
                                 for g in of(trial, household, "logout") + shared_logouts(trial, household))), None)
    if promise == "token-monotonic":
        return next(((y, p) for y in yes for p in no if p.sent > y.first and same(y, p)
                     and not between(trial, household, y, p, *ENDS)), None)
    if promise == "one-owner":
        owners = yes if TARGET["several"] or len(of(trial, household, "code")) == 1 else []

        def twice(a, b):
            """Two users, or two sign-ins of one of them, of which each made a token."""
            if None in (a.user, b.user) or a.user != b.user:
                return None not in (a.user, b.user)
            able = [s for s in signs if s.sent < b.first and not 400 <= s.status < 500]
            return a.mvpd == b.mvpd and not same_expiry(a, b) and 1 < len(
                [s for s in able if not TARGET["several"] or s.code == a.code])
        return next(((a, b) for a in owners for b in owners if CASE["singleUse"] and twice(a, b)
                     and a.code == b.code and a.sent < b.sent), None)
    pairs = {(s.op.get("user"), s.op.get("mvpd")) for s in signs}
    torn = next(((p, p) for p in yes if p.who in trial.users and pairs
                 and p.who in {u for u, _ in pairs}
                 and (p.who, p.mvpd) not in pairs), None)
    if promise == "provider-independence" and TARGET["several"]:
        # A profile ended, and in between something was done at another provider only.
        return torn or next(((y, p) for y in told + yes for p in no if p.sent > y.first
                             and same(y, p) and between(trial, household, y, p, *ENDS)
                             and not any(same(e, y) for e in between(
                                 trial, household, y, p, *ENDS))), None)
    if promise == "profile-not-prolonged" and TARGET["several"]:
        return next(((a, b) for a in told + yes for b in told + yes if a.first < b.sent
                     and (a.user, a.mvpd) == (b.user, b.mvpd)
                     and None not in (a.expires, b.expires) and a.expires < b.expires and not same_expiry(a, b)
                     and not between(trial, household, a, b, *ENDS)), None)
    if promise == "one-token":
        return torn or next(((a, b) for a in yes for b in yes if a.sent < b.sent
                             and (a.user, a.mvpd) == (b.user, b.mvpd)
                             and not same_expiry(a, b) and not between(
                                 trial, household, a, b, *ENDS)), None)
    if promise == "code-unique":
        made = [s for s in trial.seen if s.does == "code" and s.code]
        # A code that is over may be given to whoever asks next.
        others = [s for s in ISSUED if s not in trial.seen] if keeps_codes() else []
        return next(((a, b) for a in made + others for b in made if a is not b and a.sent < b.sent
                     and a.code == b.code and (a in made or b.sent < a.sent + life(a))), None)
    if promise == "logout-final":
        later = yes + [s for s in of(trial, household, *GATED) if s.result == "success"]
        return next(((g, p) for g in gone for p in later if p.sent > g.first and same(g, p)
                     and not between(trial, household, g, p, "sign-in")
                     and not any(comes_later(s, g, later) and same(s, p) for s in signs)), None)
    if promise == "delete-final":
        dead = [s for s in of(trial, household, "delete") if s.result == "success"]
        alive = told + [s for s in of(trial, household, "record", "start")
                        if s.result == "success"]
        alive += [s for s in signs if s.result == "success" and any(p.who == s.op.get("user") for p in yes)]
        return next(((d, s) for d in dead for s in alive if s.sent > d.first and s.code == d.code), None)
    if promise == "errors-have-no-effect":
        ended = ended_by_refusal(trial, household)
        wrong = [s for s in signs if s.failed]
        # Where the service's names are not known, only of one without a login that went well.
        return ended or next(((w, p) for w in wrong for p in yes if p.sent > w.first
                     and (p.who == w.op.get("user") or p.who not in trial.users and all(s.failed for s in signs))
                     and not any(s.op.get("user") == w.op.get("user") and not s.failed
                                 for s in signs)), None)
    if promise == "retry-once":
        again = [s for s in signs if s.op["args"].get("repeats")]
        return next(((a, b) for r in again for a in yes for b in yes
                     if a.first < r.sent < b.first and not same_expiry(a, b)
                     and a.user == b.user), None)
    if promise == "linearizable":
        # Of a device with several sign-ins: those of a case with one. What another device's logout ends here is not known.
        if TARGET["several"] and len({(s.code, s.mvpd) for s in signs}) > 1 or shared_logouts(trial, household):
            return None
        ended = [g for g in gone if not signs or any(same(g, s) for s in signs)]
        acts = [s for s in signs + ended if not s.failed]
        reads = yes + no
        if len(acts) + len(reads) > 12 or orders(acts, reads):
            return None
        reads.sort(key=lambda p: p.first)
        last = next((p for n, p in enumerate(reads) if not orders(acts, reads[:n + 1])), None)
        return (last, last) if last else None
    if promise == "authorization-gates":
        media = [s for s in of(trial, household, "media") if s.result == "success"]
        found = next(((g, m) for g in gone for m in media if m.sent > g.first and same(g, m)
                      and not between(trial, household, g, m, "sign-in")), None)
        wrong = wrong_token(trial, household)
        permits = of(trial, household, "authorize")
        bare = None if TARGET["several"] else next(((m, m) for m in media if not any(
            p.result == "success" and p.sent < m.first and resource(p) == resource(m) for p in permits)), None)
        return found or wrong or bare
    if promise == "decision-true":
        return wrong_token(trial, household)
    return RULES[promise](trial, household) if promise in RULES else None


def ended_by_refusal(trial, household):
    """A sign-in that was there before a logout that was turned down, and not after it, with nothing else between."""
    there = [s for s in of(trial, household, "poll", "confirm", *GATED) if s.result == "success" and (
        not TARGET["several"] or s.does in ("poll", "confirm") or rests_on_own(s))]

    def gone(y):
        looks = missing(trial, household, y.mvpd) if TARGET["several"] else []
        return [p for p in polls(trial, household, "absent") if same(y, p)] + looks

    return next(((g, n) for g in of(trial, household, "logout") if g.result == "denied"
                 for y in there if y.first < g.sent and same(y, g)
                 for n in gone(y) if n.sent > g.first and all(
                     e.does == "logout" and e.result == "denied"
                     for e in between(trial, household, y, n, *ENDS))), None)


def bounds(k, n):
    """Clopper and Pearson, 95 %, by bisection of the binomial tail."""
    def tail(p, least):
        if p <= 0 or p >= 1:
            return float(p >= 1)
        term, total = (1 - p) ** n, 0.0
        for i in range(n + 1):
            total += term if i >= least else 0
            term *= (n - i) / (i + 1) * p / (1 - p)
        return total

    def crossing(least, level):
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if tail(middle, least) > level else (middle, high)
        return low
    return (crossing(k, 0.025) if k else 0.0), (crossing(k + 1, 0.975) if k < n else 1.0)


def describe(seen):
    facts = [
        "%s (%s), %s" % (seen.op["id"], seen.op["op"], seen.op["line"]), "code " + seen.code if seen.code else "",
        "sent " + utc(seen.sent), "answered %s %d" % (utc(seen.first), seen.status), "says " + seen.result,
        "user " + seen.user if seen.user else "", "request id " + seen.id if seen.id else "",
        "server's clock " + seen.date if seen.date else ""]
    return ", ".join(fact for fact in facts if fact)


def is_outside(offset):
    """Whether an offset, in microseconds, is outside the window of the case; its ends may be open."""
    low, high = CASE["windowUs"] or (None, None)
    return low is not None and offset < low or high is not None and offset > high


def follows(promise, other, own):
    """Whether another broken promise is told by the case's own: the same answer contradicts it, or the order of all."""
    return bool(own) and (promise == "linearizable" or own[-1] in other)


def play(count):
    """So many trials at once; each has an error, or says something."""
    turnstile = Turnstile(count)

    def run(trial):
        try:
            trial.play()
            trial.error = ""
        except (Lost, OSError, ValueError) as error:
            trial.error = str(error) or type(error).__name__

    trials = [Trial(turnstile) for _ in range(count)]
    for trial in trials:
        trial.error = "it did not end"
    threads = [threading.Thread(target=run, args=(trial,)) for trial in trials]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return trials


def main():
    global PROVIDERS, PASSES, ARE_TYPED
    times = TIMES
    try:
        PROVIDERS, PASSES = providers()
    except (Lost, OSError) as error:
        print("cannot reach %s: %s" % (BASE, error), file=sys.stderr)
        sys.exit(3)
    hits = trials = lost = 0
    reason, offsets, others, typed = "", [], {}, set()
    while trials < times and lost < times + 10:
        # Before one trial was completed a wrong password is not tried by all at once.
        batch = play(min(24 if trials or not ACCOUNTS else 3, times - trials))
        lost += sum(1 for trial in batch if trial.error)
        reason = next((trial.error for trial in batch if trial.error), reason)
        ISSUED.extend(s for trial in batch for s in trial.seen if s.does == "code" and s.code)
        typed.update(user for trial in batch for user in trial.users if user not in GIVEN)
        ARE_TYPED = ARE_TYPED or any(s.user in typed for trial in batch for s in trial.seen)
        for trial in (trial for trial in batch if not trial.error):
            trials += 1
            offsets += [trial.achieved] if hasattr(trial, "achieved") else []
            broken = {promise: contradiction(trial, promise) for promise in PROMISES}
            for promise in PROMISES:
                other, own = broken[promise], broken[CASE["invariant"]]
                if other and promise != CASE["invariant"] and not follows(promise, other, own):
                    others[promise] = others.get(promise, 0) + 1
            if broken[CASE["invariant"]]:
                hits += 1
                if hits == 1:
                    print("first trial that violated %s (X-Screenrig: %s):" % (CASE["invariant"], trial.mark))
                    for seen in dict.fromkeys(broken[CASE["invariant"]]):
                        print("  " + describe(seen))
    if lost:
        print("%d inconclusive trials are not counted; first reason: %s" % (lost, reason))
    if not trials:
        sys.exit(3)
    missed = sum(1 for offset in offsets if is_outside(offset / 1e3))
    if offsets:
        offsets.sort()
        print("achieved offset of %s: median %.3f ms" % (
            CASE["swept"], offsets[len(offsets) // 2] / 1e6))
        if missed:
            print("%d of %d trials missed the window, because this machine was late or the service's response time "
                  "changed: they say little" % (missed, trials))
    low, high = bounds(hits, trials)
    untold = not hits and 2 * missed > trials
    akin = [] if hits else [promise for promise in CASE["akin"] if promise in others]
    for promise, count in others.items():
        print("%s was violated in %d of %d trials: %s" % (promise, count, trials, (
            "it may be the same defect; this script cannot tell, a replay of the case can"
            if promise in akin else "a separate finding")))
    print("%d of %d (Clopper-Pearson 95 %%: %.0f-%.0f %%) on %s; the case: %s, found on %s" % (
        hits, trials, low * 100, high * 100, BASE, CASE["window"], CASE["found"]))
    sys.exit(1 if hits else 3 if akin or untold else 0)


if __name__ == "__main__":
    try:
        main()
    except Exception:  # Python's own exit code of a traceback is 1: "it reproduces".
        traceback.print_exc()
        sys.exit(3)
