class Seen:
    """What one op, or one read after the race, came to."""

    def __init__(self, op, household, sent, reply):
        self.op, self.household, self.sent, self.does = op, household, sent, op["does"]
        self.first, self.status = reply.first, reply.status
        self.date, self.id = reply.header("date"), reply.id()
        document = reply.document() if reply.body[:1] == b"{" else {}
        self.document, self.asked = document, op.get("mvpd")
        self.identity = op["args"].get("identity")
        names = TARGET["names"]
        self.user, self.mvpd, self.expires, self.code = (
            dig(document, names[name]) for name in ("user", "provider", "expires", "code"))
        # What its request named says what it is about.
        self.mvpd, self.code = self.mvpd or self.asked, op.get("code") or self.code
        self.location = reply.header("location")
        self.failed = reply.status >= 400
        if 200 <= reply.status < 400:
            self.result = "success"
            if "error=" in self.location or names["permit"] and dig(
                    document, names["permit"]) is False:
                self.result = "denied"
            elif names["map"] and dig(document, names["map"]) == {}:
                self.result = "absent"
        elif reply.status in TARGET["names"]["absent"]:
            self.result = "absent"
        elif reply.status == 429 or (reply.status >= 500 and self.does != "sign-in"):
            raise Lost("%s answered %d" % (op["op"], reply.status))
        else:
            self.result = "denied"


class Turnstile:
    """Trials are set up together, raced one after another, and read when all have been raced."""

    def __init__(self, expected):
        self.expected, self.ready, self.left, self.busy = expected, 0, 0, False
        self.turn, self.reading = threading.Condition(), threading.Lock()

    def enter(self):
        with self.turn:
            self.ready += 1
            self.turn.notify_all()
            self.turn.wait_for(lambda: self.ready >= self.expected and not self.busy)
            self.busy = True
        time.sleep(0.06 if CASE["alone"] else 0.003)

    def leave(self):
        with self.turn:
            self.busy = False
            self.left += 1
            self.turn.notify_all()
            self.turn.wait_for(lambda: self.left >= self.expected)

    def drop(self):
        """One that comes to no race."""
        with self.turn:
            self.expected -= 1
            self.turn.notify_all()


class Trial:
    def __init__(self, turnstile):
        self.turnstile, self.inside, self.calls = turnstile, False, {}
        self.screens, self.codes, self.users, self.seen = {}, {}, {}, []
        self.providers, self.tokens = {}, {}
        self.run = "".join(random.choices(string.ascii_lowercase, k=10))
        # By which the server's log has the trial's requests.
        self.mark = "%s/%s" % (CASE["name"], self.run)
        for actor in CASE["actors"]:
            # Several connections of one TV are one device; each phone is its own.
            key = (actor["household"], "tv" if actor["screen"] == "first" else actor["name"])
            if key not in self.screens:
                self.screens[key] = Screen(actor["household"], actor["screen"], self.mark)
        self.actors = {a["name"]: a for a in CASE["actors"]}
        # They take time, in which a connection would wait.
        for op in CASE["ops"]:
            if op["args"].get("identity"):
                self.token(op["args"]["identity"])

    def screen(self, name):
        actor = self.actors[name]
        return self.screens[
            (actor["household"], "tv" if actor["screen"] == "first" else name)]

    def code_of(self, op):
        return self.codes.get(op["args"].get("code") or self.actors[op["actor"]]["household"])

    def code(self, op):
        if self.code_of(op) is None:
            raise Lost(op["id"] + " needs a code, and no code was issued")
        return self.code_of(op)

    def account(self, op, provider):
        number = int(op["args"].get("account") or re.sub(r"\D", "", op["tag"] or "") or 1)
        household = self.actors[op["actor"]]["household"]
        if ACCOUNTS:
            its = [account for account in ACCOUNTS if account[3] in ("", provider)]
            its = [account for account in its if REJECTED.get(account, 0) < 3]
            if not its:
                raise Lost("SCREENRIG_ACCOUNTS has no account for %s, or each was turned down three times" % provider)
            if household + number > len(its):
                raise Lost("%d accounts for %s are needed" % (household + number, provider))
            account = its[household + number - 1]
        else:
            user = "%s-%d-%d" % (self.run, household, number)
            account = (user, "password", user)
        self.users[account[2]] = household
        return account

    def request(self, op):
        """Method, address, headers and body of the request that decides."""
        screen, step = self.screen(op["actor"]), op["op"]
        wanted = PROVIDERS[int(op["args"].get("provider") or 0) % len(PROVIDERS)]
        if op["does"] in ("sign-in", "start"):
            op["code"] = self.code(op)
        if op["does"] == "sign-in":
            former = op["args"].get("repeats")
            if former:
                call, op["user"], op["mvpd"] = self.calls[former]
                return call
            screen.complete(op["code"], wanted)
            account = self.account(op, wanted)
            call = walk_login(screen, op["code"], wanted, account)
            op["user"], op["mvpd"] = account[2], wanted
            self.providers[screen.household] = wanted
            self.calls[op["id"]] = call, account[2], wanted
            return call
        if op["does"] == "start":
            screen.complete(op["code"], wanted)
            return screen.request(step, code=op["code"], provider=wanted)
        screen.register()
        if "pass" in op["args"]:
            if not PASSES:
                raise Lost("the service offers no TempPass")
            wanted = PASSES[int(op["args"]["pass"]) % len(PASSES)]
        names = "pass" in op["args"] or "provider" in op["args"]
        if names and step + " provider" in TARGET["calls"]:
            step += " provider"
        _, path, _, body = TARGET["calls"][step]
        if op["does"] == "poll" and "PLACEFORCODE" in path + body and self.code_of(op) is None and TARGET["look"]:
            # A TV without a code of its own asks without one.
            op["op"] = op["does"] = step = TARGET["look"]
            _, path, _, body = TARGET["calls"][step]
        values = {}
        if "PLACEFORCODE" in path + body:
            op["code"] = values["code"] = self.code(op)
        if "PLACEFORPROVIDER" in path + body:
            op["mvpd"] = values["provider"] = wanted if names else self.providers.get(
                screen.household, wanted)
        if "PLACEFORRESOURCE" in path + body:
            values["resource"] = TARGET["resources"][int(op["args"].get("resource") or 0)]
        method, url, headers, data = screen.request(step, **values)
        if op["args"].get("identity"):
            headers = headers + [("AD-Service-Token", self.token(op["args"]["identity"]))]
        return method, url, headers, data

    def token(self, identity):
        """That of one user, new ones for each trial."""
        if identity not in self.tokens:
            self.tokens[identity] = service_token("%s-identity-%s" % (self.run, identity))
        return self.tokens[identity]

    def prepare(self, op):
        """Everything that comes before: its request, and the connection that it takes."""
        call = self.request(op)
        op["line"] = call[0] + " " + urlsplit(call[1]).path
        ours = call[1].startswith(BASE)
        return call, (
            self.screen(op["actor"]).connection(op["connection"]) if ours else Wire(call[1]))

    def plain(self, op):
        """One that hangs on nothing: at once when what stands before it has ended."""
        call, wire = self.prepare(op)
        wire.hold(*call)
        sent = wire.release()
        self.take(op, sent, wire.read())
        if not self.inside and op["does"] in ("sign-in", "logout", "delete", "authorize"):
            time.sleep(CASE["visibilityUs"] / 1e6)

    def cluster(self, ops):
        """Ops that hang on each other: each is held at its last byte, then they go."""
        gates, later = [], {}

        def follows(op, other):
            """Whether an op leaves only when another was answered."""
            anchor = op["anchor"]
            if not anchor or op["offsetUs"] < 0:
                return False
            if anchor["op"] == other["id"]:
                return anchor["event"] == "firstReplyByte"
            return follows(next(o for o in ops if o["id"] == anchor["op"]), other)

        prepared = [(op,) + tuple(self.prepare(op)) for op in ops]
        # What is held while others have their turn ends with a time-out.
        if not self.inside:
            self.inside = True
            self.turnstile.enter()
        for op, call, wire in prepared:
            before = [other for other, taken in gates if taken is wire]
            if before and all(follows(op, other) for other in before):
                later[op["id"]] = call
            else:
                # Behind a request that is not answered yet it would wait in the server, and not race.
                wire = Wire(call[1]) if before else wire
                wire.hold(*call)
            gates.append((op, wire))
        time.sleep(0.05)
        for op, wire in gates:
            if op["id"] not in later and wire.answered_early():
                raise Lost(op["id"] + " was answered before it was complete")
        sent = {op["id"]: threading.Event() for op in ops}
        answered = {op["id"]: threading.Event() for op in ops}
        times, replies, errors = {}, {}, []
        # Whoever goes first waits, so that those who go before it can.
        lead = max([0] + [-op["offsetUs"] for op in ops if op["anchor"]]) * 1000
        start = now() + lead + 20_000_000

        def due(op):
            anchor = op["anchor"]
            if not anchor:
                return start
            other = anchor["op"]
            if anchor["event"] == "firstReplyByte" and op["offsetUs"] >= 0:
                answered[other].wait(15)
                if other not in replies:
                    raise Lost(other + " was not answered")
                return replies[other].first + op["offsetUs"] * 1000
            base = next(o for o in ops if o["id"] == other)
            if op["offsetUs"] >= 0:
                sent[other].wait(15)
                return times.get(other, start) + op["offsetUs"] * 1000
            return due(base) + op["offsetUs"] * 1000

        def play(op, wire):
            try:
                instant = due(op)
                # A sleep is late by tens of microseconds: spin the last 200.
                while instant - now() > 300_000:
                    time.sleep((instant - now() - 200_000) / 1e9)
                while now() < instant:
                    pass
                if op["id"] in later:
                    wire.hold(*later[op["id"]])
                times[op["id"]] = wire.release()
                sent[op["id"]].set()
                replies[op["id"]] = wire.read()
            except (Lost, OSError, ValueError) as error:
                errors.append(error)
            finally:
                sent[op["id"]].set()
                answered[op["id"]].set()

        threads = [threading.Thread(target=play, args=gate) for gate in gates]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise Lost(str(errors[0]))
        for op, _ in sorted(gates, key=lambda gate: times[gate[0]["id"]]):
            self.take(op, times[op["id"]], replies[op["id"]])
        for op in ops:
            anchor = op["anchor"]
            if anchor and op["id"] == CASE["swept"]:
                event = (replies[anchor["op"]].first if anchor["event"] == "firstReplyByte"
                         else times[anchor["op"]])
                self.achieved = times[op["id"]] - event

    def take(self, op, sent, reply):
        household = self.actors[op["actor"]]["household"]
        seen = Seen(op, household, sent, reply)
        if seen.does == "code" and seen.code:
            self.codes[op["id"]] = self.codes[household] = seen.code
        self.seen.append(seen)

    def play(self):
        ops = [dict(op) for op in CASE["ops"]]
        roots = {}
        for op in ops:
            root, byID = op, {o["id"]: o for o in ops}
            while root["anchor"]:
                root = byID[root["anchor"]["op"]]
            roots.setdefault(root["id"], []).append(op)
        try:
            for op in ops:
                cluster = roots.get(op["id"], [])
                if len(cluster) > 1:
                    self.cluster(cluster)
                elif cluster:
                    self.plain(op)
        finally:
            self.turnstile.leave() if self.inside else self.turnstile.drop()
        self.settle()

    def settle(self):
        """What everybody sees in the end."""
        time.sleep(CASE["settle"]["quietUs"] / 1e6)
        for reading in range(CASE["settle"]["reads"]):
            if reading:
                time.sleep(CASE["settle"]["everyUs"] / 1e6)
            if CASE["alone"]:
                with self.turnstile.reading:
                    self.read(reading)
                    time.sleep(0.06)
            else:
                self.read(reading)

    def read(self, reading):
        for number, household in enumerate(sorted({a["household"] for a in CASE["actors"]})):
            if number:
                # Two that read at once would be a race of their own.
                time.sleep(0.06)
            for op in CASE["reads"] if reading == 0 else []:
                if self.actors[op["actor"]]["household"] == household:
                    self.look(dict(op))
            tv = next((a for a in CASE["actors"]
                       if a["household"] == household and a["screen"] == "first"), None)
            if tv:
                self.look({"id": "read", "actor": tv["name"], "op": TARGET["poll"],
                           "does": "poll", "args": {}, "tag": None, "anchor": None,
                           "offsetUs": 0, "connection": "fresh"})
            if tv and TARGET["look"]:
                # Where a poll is about its code, the TV may know more without one.
                self.look({"id": "look", "actor": tv["name"], "op": TARGET["look"],
                           "does": TARGET["look"], "args": {}, "tag": None, "anchor": None,
                           "offsetUs": 0, "connection": "fresh"})

    def look(self, op):
        """A read, unless it is about a code and there is none."""
        _, path, _, body = TARGET["calls"][op["op"]]
        if "PLACEFORCODE" not in path + body or self.code_of(op) is not None:
            self.plain(op)
