internal import Checker

/// The part of the emitted script that says whether a trial broke the promise. Shorter than the
/// judge, and independent of it: only what the two of a conflict prove by themselves, with the
/// closed intervals of the judge (an op acts after its last byte was sent and before the first byte
/// of its answer came).
enum PythonVerdict {
    /// Promises that the script knows how to judge.
    static let known: Set<Invariant> = [
        .noTokenBeforeSignIn, .tokenIsolation, .signInVisible, .signInDelivered, .tokenMonotonic,
        .oneOwner, .oneToken, .codeUnique, .logoutFinal, .deleteFinal, .authorizationGates,
    ]

    static let text = #"""
        def polls(trial, household, result=None):
            return [s for s in trial.seen if s.household == household and s.op["op"] == "poll-token"
                    and (result is None or s.result == result)]


        def of(trial, household, *steps):
            return [s for s in trial.seen if s.household == household and s.op["op"] in steps]


        def between(trial, household, earlier, later, *steps):
            """Whether one of these may have acted between the two."""
            return any(s.sent < later.first and s.first > earlier.sent
                       for s in of(trial, household, *steps))


        ENDS = ("logout", "authenticate")


        def judge(trial, household):
            """Two observations that cannot both be, or None."""
            yes, no = polls(trial, household, "success"), polls(trial, household, "absent")
            signs = of(trial, household, "authenticate")
            gone = [s for s in of(trial, household, "logout") if s.result == "success"]
            promise = CASE["invariant"]
            if promise == "no-token-before-sign-in":
                first = min([s.sent for s in signs], default=float("inf"))
                return next(((p, p) for p in yes if p.first < first), None)
            if promise == "token-isolation":
                return next(((p, p) for p in yes if p.user is not None
                             and trial.users.get(p.user) != household), None)
            if promise == "sign-in-visible":
                # An assertion acted inside its interval or not at all: a token seen later proves it.
                done = [s for s in of(trial, household, "check-code") if s.result == "success"]
                done += [s for s in signs if any(p.user == s.op.get("user") for p in yes)]
                return next(((d, p) for d in done for p in no if p.sent > d.first and not between(
                    trial, household, d, p, "logout", "delete-registration")), None)
            if promise == "sign-in-delivered":
                done = [s for s in of(trial, household, "check-code") if s.result == "success"]
                done = done or [s for s in signs if s.result == "success"]
                last = polls(trial, household)[-1:]
                return next(((d, p) for d in done[-1:] for p in last
                             if p.result == "absent" and not gone), None)
            if promise == "token-monotonic":
                return next(((y, p) for y in yes for p in no if p.sent > y.first
                             and not between(trial, household, y, p, *ENDS)), None)
            if promise == "one-owner":
                return next(((a, b) for a in yes for b in yes if a.user != b.user
                             and a.sent < b.sent and len(of(trial, household,
                                                            "registration-code")) == 1), None)
            if promise == "one-token":
                pairs = {(s.op.get("user"), s.op.get("mvpd")) for s in signs}
                torn = next(((p, p) for p in yes if p.user in trial.users and pairs
                             and p.user in {u for u, _ in pairs}
                             and (p.user, p.mvpd) not in pairs), None)
                return torn or next(((a, b) for a in yes for b in yes if a.sent < b.sent
                                     and (a.user, a.mvpd) == (b.user, b.mvpd)
                                     and a.expires != b.expires and not between(
                                         trial, household, a, b, *ENDS)), None)
            if promise == "code-unique":
                made = [s for s in trial.seen if s.op["op"] == "registration-code" and s.code]
                return next(((a, b) for a in made for b in made if a.sent < b.sent
                             and a.code == b.code), None)
            if promise == "logout-final":
                later = yes + [s for s in of(trial, household, "media-token", "authorization-token")
                               if s.result == "success"]
                return next(((g, p) for g in gone for p in later if p.sent > g.first
                             and not between(trial, household, g, p, "authenticate")), None)
            if promise == "delete-final":
                dead = [s for s in of(trial, household, "delete-registration")
                        if s.result == "success"]
                alive = [s for s in of(trial, household, "registration-record", "check-code",
                                       "login-start") if s.result == "success"]
                alive += [s for s in signs if any(p.user == s.op.get("user") for p in yes)]
                return next(((d, s) for d in dead for s in alive if s.sent > d.first), None)
            if promise == "authorization-gates":
                media = [s for s in of(trial, household, "media-token") if s.result == "success"]
                return next(((g, m) for g in gone for m in media if m.sent > g.first
                             and not between(trial, household, g, m, "authenticate")), None)
            return None


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
            return "%s (%s) sent %s answered %s says %s%s%s" % (
                seen.op["id"], seen.op["op"], utc(seen.sent), utc(seen.first), seen.result,
                " user " + seen.user if seen.user else "",
                ", server's clock " + seen.date if seen.date else "")


        def main():
            global PROVIDERS
            times = TIMES
            try:
                PROVIDERS = providers()
            except (Lost, OSError) as error:
                print("cannot reach %s: %s" % (BASE, error), file=sys.stderr)
                sys.exit(3)
            hits = trials = lost = 0
            reason, offsets = "", []
            while trials < times and lost < times + 10:
                trial = Trial()
                try:
                    trial.play()
                except (Lost, OSError) as error:
                    lost, reason = lost + 1, str(error)
                    continue
                trials += 1
                offsets += [trial.achieved] if hasattr(trial, "achieved") else []
                found = next((f for f in (judge(trial, h) for h in sorted(
                    {a["household"] for a in CASE["actors"]})) if f), None)
                if found:
                    hits += 1
                    if hits == 1:
                        print("the first that broke %s:" % CASE["invariant"])
                        for seen in dict.fromkeys(found):
                            print("  " + describe(seen))
            if lost:
                print("%d trials told nothing: %s" % (lost, reason))
            if not trials:
                sys.exit(3)
            if offsets:
                offsets.sort()
                print("achieved offset of %s: median %.3f ms" % (
                    CASE["swept"], offsets[len(offsets) // 2] / 1e6))
            low, high = bounds(hits, trials)
            print("%d of %d (Clopper-Pearson 95 %%: %.0f-%.0f %%), %s, on %s" % (
                hits, trials, low * 100, high * 100, CASE["window"], BASE))
            sys.exit(1 if hits else 0)


        if __name__ == "__main__":
            try:
                main()
            except Exception:  # Python's own exit code of a traceback is 1: "it reproduces".
                traceback.print_exc()
                sys.exit(3)
        """#
}
