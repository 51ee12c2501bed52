#!/usr/bin/env python3
# __NAME__: __SENTENCE__
# Written by screenrig __VERSION__ from its case file. Needs only Python 3.8.
#
#   python3 __NAME__.py ADDRESS TIMES
#
#   ADDRESS, or SCREENRIG_TARGET: the authorization server (__BASE__)
#   SCREENRIG_ACCOUNTS   a file of accounts (columns user, password, user-id), or user:password[:id],...
#   SCREENRIG_SECRET     the client's secret, of a confidential client
#   SCREENRIG_OTHER_SECRET   the same of a second app, where one takes part
#   SCREENRIG_CA         a certificate to trust
#
# Prints k of n. Exit codes: 0 does not reproduce, 1 reproduces, 2 wrong argument, 3 could not run.
import base64, csv, json, os, re, socket, ssl, sys, threading, time, traceback
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from urllib.parse import quote, urlencode, urljoin, urlsplit


__WIRE__

CASE = json.loads(__CASE__)

TARGET = json.loads(__TARGET__)


class Screen:
    """A device or a browser: its cookies, and a connection for each request. The server's log has it by its mark."""

    def __init__(self, mark=""):
        self.cookies, self.mark = {}, mark or CASE["name"]

    def prepared(self, method, url, body=b"", headers=()):
        lines = [("Accept", "application/json, text/html"), ("Connection", "close"), ("X-Screenrig", self.mark)]
        lines += headers
        if self.cookies:
            lines.append(("Cookie", "; ".join("%s=%s" % pair for pair in self.cookies.items())))
        return method, url, lines, body

    def note(self, reply):
        for line in reply.all("set-cookie"):
            name, _, value = line.split(";")[0].partition("=")
            self.cookies[name.strip()] = value.strip()
        return reply

    def ask(self, call):
        wire = Wire(call[1])
        try:
            return self.note(wire.ask(*call))
        finally:
            wire.socket.close()


def form(screen, url, fields, referer=None, headers=()):
    headers = [("Content-Type", "application/x-www-form-urlencoded")] + list(headers)
    if referer:
        headers += [("Referer", referer), ("Origin", "%s://%s" % urlsplit(referer)[:2])]
    return screen.prepared("POST", url, urlencode(fields).encode(), headers)


def follow(screen, url, request):
    """The call by which a browser goes on from the page at that address."""
    method, target, fields = request
    return form(screen, target, fields, url) if method == "POST" else screen.prepared(method, target)


def redirected(screen, call, reply):
    """Where an answer leads a browser on: 307 and 308 keep the method and the body."""
    method, _, lines, body = call if reply.status in (307, 308) else ("GET", "", [], b"")
    return screen.prepared(method, urljoin(call[1], reply.header("location")), body,
                           [line for line in lines[3:] if line[0] != "Cookie"])


def metadata():
    """RFC 8414, 3.1 puts the well-known part between host and path of the issuer, OpenID Connect behind both."""
    parts = urlsplit(BASE)
    for kind in TARGET["metadata"]:
        url = (BASE + "/.well-known/openid-configuration" if kind == "openid" else "%s://%s%s%s" % (
            parts[0], parts[1], "/.well-known/oauth-authorization-server", parts.path))
        found = Screen().ask(Screen().prepared("GET", url)).document()
        if isinstance(found, dict) and "token_endpoint" in found:
            return found
    raise Lost("no metadata of an authorization server at " + BASE)


def endpoint(name):
    given = TARGET["endpoints"].get(name)
    if given is None:
        found = metadata()
        for key in ("codes", "token", "revocation", "userinfo"):
            if TARGET["endpoints"].get(key) is None:
                field = "device_authorization_endpoint" if key == "codes" else key + "_endpoint"
                TARGET["endpoints"][key] = found.get(field, "")
        given = TARGET["endpoints"][name]
    if not given and name in ("codes", "token"):
        raise Lost("the server's metadata names no endpoint for %ss" % name.rstrip("s"))
    return urljoin(BASE + "/", given) if given else None


def authenticated(screen, url, fields, other=False):
    """A form of the client's (RFC 6749, 2.3.1; 3.2.1 without a secret)."""
    name = TARGET["otherClient" if other else "client"]
    secret = os.environ.get("SCREENRIG_OTHER_SECRET" if other else "SCREENRIG_SECRET")
    if secret and TARGET["authentication"] == "basic":
        pair = ":".join(quote(text, safe="") for text in (name, secret)).encode()
        return form(screen, url, fields, headers=[("Authorization", "Basic " + base64.b64encode(pair).decode())])
    fields = dict(fields, client_id=name)
    return form(screen, url, dict(fields, client_secret=secret) if secret else fields)


def decision(found, wanted):
    """What the button of a decision sends: the one that the rig names, else by what the buttons say; None without such a button."""
    refuses = wanted == "refusal"
    button = TARGET["refuse" if refuses else "approve"]
    if button:
        named = [pair for pair in found["buttons"] if "%s=%s" % pair == button]
        chosen = [pair for pair in found["choices"] if "%s=%s" % pair == button]
        return named[:1] or (chosen and chosen[:1] + [pair for pair in found["buttons"][:1] if pair[0]]) or None
    no = [pair for pair in found["buttons"] if says(pair, "den(y|ied)|refuse|reject|decline|cancel|disallow|do(n['’]t| not)|not now")]
    plain_no = [pair for pair in found["buttons"] if pair[1].lower() in ("no", "nein", "non", "false")
                or begins(pair, "no", "nein", "non")]
    yes = [pair for pair in found["buttons"] if pair not in no + plain_no]
    decides = no or any(begins(pair, "yes", "ja", "oui") or says(
        pair, "approve|accept|allow|authorize|confirm|grant|consent") for pair in found["buttons"])
    if refuses:
        return no[:1] or (decides and plain_no[:1]) or None
    return yes[:1] if yes and decides else None


def says(pair, words):
    return (pair[0] or pair.text) and re.search(words, pair.words(), re.I)


def begins(pair, *words):
    return re.split(r"\W", pair.text.lower())[0] in words


def walk(screen, codes, account, wanted):
    """The request by which a person enters the code, approves or refuses; what comes before is sent."""
    screen.cookies.clear()
    if TARGET["phone"]:
        return walk_calls(screen, codes, account, wanted)
    call = screen.prepared("GET", codes["verification_uri"])
    entered = named = sent = False
    for _ in range(20):
        reply = screen.ask(call)
        url = call[1]
        if 300 <= reply.status < 400:
            call = redirected(screen, call, reply)
            continue
        page = Page(reply.text())
        for found in page.forms:
            hidden = [(name, value) for name, value, kind in found["fields"] if name and kind == "hidden"]
            names = [name for name, _, kind in found["fields"] if kind != "hidden"]
            passwords = [name for name, _, kind in found["fields"] if kind == "password"]
            users = [name for name, _, kind in found["fields"] if asks_user(name, kind)]
            texts = [name for name, _, kind in found["fields"] if name and kind in ("", "text", "tel")]
            # The only text of the page for the code is the code, whatever its name.
            alone = (texts if len(texts) == 1 and not users and found["method"] == "post"
                     and urlsplit(url).path == urlsplit(codes["verification_uri"]).path else [])
            if passwords and not sent:
                # On a page of its own the password may come after the name.
                user = [(name, account[0]) for name in users or names if name and name not in passwords][:1]
                fields, sent = hidden + user + [(passwords[0], account[1])], True
            elif not entered and (alone or any("code" in name for name in names)):
                field = next((name for name in names if "code" in name), (alone + [""])[0])
                fields, entered = hidden + [(field, codes["user_code"])], True
            elif users and found["method"] == "post" and not (named or sent):
                fields, named = hidden + [(users[0], account[0])], True
            elif not passwords and decision(found, wanted):
                return follow(screen, url, submitted(found, url, hidden + decision(found, wanted)))
            else:
                continue
            call = follow(screen, url, submitted(found, url, fields))
            if wanted == "verification-page" and entered:
                return call
            break
        else:
            following = onward(page, url, presses=not entered)
            if not following:
                raise Lost("the page at %s has no form that is known; a button that decides is named by "
                           "target.device-grant.approve-button and refuse-button of the rig" % urlsplit(url).path)
            call = follow(screen, url, following)
    raise Lost("the pages did not end")


def walk_calls(screen, codes, account, wanted):
    values = {"user": account[0], "password": account[1], "code": codes["user_code"],
              "client": TARGET["client"], "scope": TARGET["scope"]}
    for purpose, method, path, body in TARGET["phone"]:
        if purpose in ("approve", "refuse") and not wanted.startswith(
                {"approve": "approval", "refuse": "refusal"}[purpose]):
            continue
        for name, value in values.items():
            path = path.replace("{%s}" % name, quote(value, safe=""))
            body = body and body.replace("{%s}" % name, json.dumps(value)[1:-1])
        call = screen.prepared(
            method, BASE + path, (body or "").encode(),
            [("Content-Type", "application/json")] if body else [])
        if purpose in ("approve", "refuse") or (purpose, wanted) == ("code", "verification-page"):
            return call
        if screen.ask(call).status >= 400:
            raise Lost("%s was refused" % path.split("?")[0])
    raise Lost("the rig has no request for " + wanted)


def confirms(step, reply):
    text = reply.header("location") or reply.text()
    return any(word in text for word in TARGET["approvedWhen" if step == "approval" else "refusedWhen"])


class Seen:
    def __init__(self, op, sent, reply):
        self.op, self.step, self.sent, self.first = op, op["op"], sent, reply.first
        self.status, self.document = reply.status, reply.document() if reply.body[:1] == b"{" else {}
        self.id = reply.id()
        self.error = self.document.get("error", "")
        self.user = None
        if self.status == 429 or self.status >= 500:
            raise Lost("%s answered %d" % (self.step, self.status))
        if self.step in ("approval", "refusal"):
            self.confirmed = self.status < 400 and confirms(self.step, reply)
        token = self.document.get(
            {"id-token": "id_token", "access-token": "access_token"}.get(TARGET["userFrom"], ""))
        if token and token.count(".") == 2:
            part = token.split(".")[1]
            claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
            self.user = claims.get(TARGET["claim"])
        if self.step == "userinfo":
            self.user = self.document.get(TARGET["claim"])


def about(seen):
    return seen.op.get("about")


# The living room of each actor; most cases have one.
ROOMS = {actor["name"]: actor["household"] for actor in CASE["actors"]}


class Trial:
    # A server may name users as it likes, where no column of ids says how.
    knows_users = True
    # The living room that is being judged.
    home = 0

    def __init__(self, accounts):
        self.accounts, self.seen, self.screens, self.codes, self.sessions = accounts, [], {}, {}, {}
        self.given, self.revoked = {}, []
        self.mark = "%s/%s" % (CASE["name"], os.urandom(5).hex())

    def screen(self, name):
        return self.screens.setdefault(name, Screen(self.mark))

    def request(self, op):
        call = self.decisive(op)
        op["line"] = call[0] + " " + urlsplit(call[1]).path
        return call

    def decisive(self, op):
        step, screen = op["op"], self.screen(op["actor"])
        # Another app shows what was issued to this one.
        other = step.startswith("other-client-")
        if step == "device-authorization":
            fields = {"scope": TARGET["scope"]} if TARGET["scope"] else {}
            return authenticated(screen, endpoint("codes"), fields)
        home = ROOMS.get(op["actor"], 0)
        codes = self.codes.get(op["args"].get("code") or home)
        # The device code that it is about, of which a case may have several.
        op["about"] = codes["device_code"] if codes else None
        if step in ("approval", "refusal", "verification-page"):
            # Another living room is another account's.
            number = int(op["args"].get("account") or 1) - 1 + home
            account = self.accounts[number % len(self.accounts)]
            self.given[op["id"]] = account[2]
            return walk(screen, codes, account, step)
        if step in ("device-token", "other-client-token"):
            return authenticated(screen, endpoint("token"), {
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                "device_code": codes["device_code"]}, other)
        held = self.revoked[-1] if op.get("given") else self.sessions[home]
        op["shown"], op["about"] = held.get("refresh_token") or held["access_token"], held.get("about")
        if step in ("refresh-token", "other-client-refresh"):
            return authenticated(screen, endpoint("token"), {
                "grant_type": "refresh_token", "refresh_token": held["refresh_token"]}, other)
        if step in ("revocation", "other-client-revocation"):
            self.revoked.append(held)
            return authenticated(screen, endpoint("revocation"), {"token": op["shown"]}, other)
        return screen.prepared("GET", endpoint("userinfo"), b"", [
            ("Authorization", "Bearer " + held["access_token"])])

    def take(self, op, sent, reply):
        seen = Seen(op, sent, reply)
        self.seen.append(seen)
        home = ROOMS.get(op["actor"], 0)
        if seen.step == "device-authorization":
            if "device_code" not in seen.document:
                raise Lost("no codes: %s" % seen.status)
            seen.document["until"] = seen.first + int(seen.document["expires_in"]) * 10**9
            seen.document["room"] = home
            self.codes[home] = self.codes[op["id"]] = seen.document
        if "access_token" in seen.document and not seen.step.startswith("other-client-"):
            seen.document["about"] = op.get("about")
            self.sessions[home] = seen.document
        return seen

    def followed(self, op, call, reply):
        """The last response to a decision: a redirect that does not show its result is followed, as in a browser."""
        screen = self.screen(op["actor"])
        screen.note(reply)
        for _ in range(20):
            if (op["op"] not in ("approval", "refusal") or TARGET["phone"] or not 300 <= reply.status < 400
                    or confirms(op["op"], reply)):
                break
            call = redirected(screen, call, reply)
            reply = screen.ask(call)
        return reply

    def plain(self, op):
        call = self.request(op)
        wire = Wire(call[1])
        wire.hold(*call)
        sent = wire.release()
        seen = self.take(op, sent, self.followed(op, call, wire.read()))
        wire.socket.close()
        return seen

    def cluster(self, ops):
        start, calls, gates = None, [], []
        for op in ops:
            if op["op"] == "expire":
                start = self.codes[op["anchor"]["op"]]["until"]
                continue
            calls.append((op, self.request(op)))
        # Not before all pages are walked: what is held keeps a thread of the server from answering them.
        for op, call in calls:
            wire = Wire(call[1])
            gates.append((op, wire))
            wire.hold(*call)
        time.sleep(0.05)
        by_id, sent, replies, ends, errors = {op["id"]: op for op in ops}, {}, {}, {}, []
        gone = {op["id"]: threading.Event() for op in ops}
        done = {op["id"]: threading.Event() for op in ops}
        lead = max([0] + [-op["offsetUs"] for op in ops]) * 1000
        start = start or now() + lead + 20_000_000

        def due(op):
            anchor = op["anchor"]
            if not anchor or op["op"] == "expire":
                return start
            base = by_id[anchor["op"]]
            if anchor["event"] == "firstReplyByte":
                done[base["id"]].wait(15)
                return replies[base["id"]].first + op["offsetUs"] * 1000
            if op["offsetUs"] >= 0 and base["op"] != "expire":
                gone[base["id"]].wait(15)
                return sent.get(base["id"], start) + op["offsetUs"] * 1000
            return due(base) + op["offsetUs"] * 1000

        calls = {op["id"]: call for op, call in calls}

        def play(op, wire):
            try:
                instant = due(op)
                while instant - now() > 300_000:
                    time.sleep((instant - now() - 200_000) / 1e9)
                while now() < instant:
                    pass
                sent[op["id"]] = wire.release()
                gone[op["id"]].set()
                replies[op["id"]] = wire.read()
                done[op["id"]].set()
                ends[op["id"]] = self.followed(op, calls[op["id"]], replies[op["id"]])
            except (Lost, OSError, ValueError, KeyError) as error:
                errors.append(error)
            finally:
                gone[op["id"]].set()
                done[op["id"]].set()

        threads = [threading.Thread(target=play, args=gate) for gate in gates]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise Lost(str(errors[0]))
        for op, wire in sorted(gates, key=lambda gate: sent[gate[0]["id"]]):
            self.take(op, sent[op["id"]], ends[op["id"]])
            wire.socket.close()

    def play(self):
        ops = [dict(op) for op in CASE["ops"]]
        by_id, roots = {op["id"]: op for op in ops}, {}
        for op in ops:
            root = op
            while root["anchor"] and root["op"] != "expire":
                root = by_id[root["anchor"]["op"]]
            roots.setdefault(root["id"], []).append(op)
        for op in ops:
            group = roots.get(op["id"], [])
            if len(group) > 1:
                self.cluster(group)
            elif group:
                self.plain(op)
        self.settle()

    def settle(self):
        """The last reads of each TV: its code, its user, and whether a revoked token still works."""
        time.sleep(CASE["settle"]["quietUs"] / 1e6)
        tvs = {actor["household"]: actor["name"] for actor in reversed(CASE["actors"]) if actor["screen"] == "first"}

        def read(tv, step, **more):
            return self.plain(dict({"id": "read", "actor": tv, "op": step, "args": {}}, **more))

        if self.revoked and self.revoked[-1].get("refresh_token"):
            read(tvs[0], "refresh-token", given=True)
        for number in range(CASE["settle"]["reads"]):
            if number:
                time.sleep(CASE["settle"]["everyUs"] / 1e6)
            for home, tv in sorted(tvs.items()):
                self.look(home, lambda step: read(tv, step), number + 1 == CASE["settle"]["reads"])

    def look(self, home, read, is_last):
        if home in self.codes:
            poll, tries = read("device-token"), 0
            # Where the last poll came too early, it told nothing of a decision (RFC 8628, 3.5).
            while poll.error == "slow_down" and home not in self.sessions and is_last:
                if tries == 3:
                    raise Lost("the last poll was answered slow_down")
                early = sum(1 for seen in self.seen if seen.op["actor"] == poll.op["actor"] and seen.error == "slow_down")
                time.sleep(int(self.codes[home].get("interval", 5)) + 5 * early)
                poll, tries = read("device-token"), tries + 1
        if home in self.sessions and not self.revoked and endpoint("userinfo"):
            read("userinfo")

    # What a promise says, from what was seen.

    def own(self):
        """Responses to the living room that is being judged."""
        return [seen for seen in self.seen if ROOMS.get(seen.op.get("actor"), 0) == self.home]

    def of(self, *steps):
        return [seen for seen in self.own() if seen.step in steps]

    def polls(self, after):
        return [seen for seen in self.of("device-token") if seen.sent > after.first and about(seen) == about(after)]

    def decided(self, step):
        return [seen for seen in self.of(step) if seen.confirmed]

    def is_broken(self):
        for self.home in sorted(set(ROOMS.values())):
            if getattr(self, CASE["invariant"].replace("-", "_"))():
                return True
        return False

    def device_code_once(self):
        got = {}
        for seen in self.of("device-token"):
            if "access_token" in seen.document:
                got.setdefault(about(seen), set()).add(seen.document["access_token"])
        return any(len(tokens) > 1 for tokens in got.values())

    def refresh_token_once(self):
        got = {}
        for seen in self.of("refresh-token"):
            new = seen.document.get("refresh_token")
            if new and new != seen.op["shown"]:
                got.setdefault(seen.op["shown"], set()).add(new)
        return any(len(tokens) > 1 for tokens in got.values())

    def one_decision(self):
        return any(about(yes) == about(no) for yes in self.decided("approval") for no in self.decided("refusal"))

    def refusal_delivered(self):
        if self.of("approval"):
            return False
        return any(poll.error == "authorization_pending"
                   for refusal in self.decided("refusal") for poll in self.polls(refusal))

    def sign_in_visible(self):
        if self.of("refusal"):
            return False
        return any(poll.error == "authorization_pending"
                   for yes in self.decided("approval") for poll in self.polls(yes))

    def sign_in_delivered(self):
        told = [poll for poll in self.of("device-token") if poll.error != "slow_down"]
        return self.sign_in_visible() and told[-1].error == "authorization_pending"

    def decision_final(self):
        decided = sorted(self.decided("approval") + self.decided("refusal"), key=lambda s: s.first)
        for first in {about(seen): seen for seen in reversed(decided)}.values():
            others = self.of("refusal" if first.step == "approval" else "approval")
            if any(other.sent <= first.first and about(other) == about(first) for other in others):
                continue
            if any(poll.error == "access_denied" if first.step == "approval" else "access_token" in poll.document
                   for poll in self.polls(first)):
                return True
        return False

    def token_isolation(self):
        """A user who approved nothing; where their ids are not known, more users than approved."""
        approved = {self.given[seen.op["id"]] for seen in self.of("approval")}
        users = {str(seen.user) for seen in self.own() if seen.user is not None}
        return bool(users - approved) if self.knows_users else len(users) > len(approved)

    def no_token_before_sign_in(self):
        """A token for a code that nobody had yet begun to approve, or somebody else's."""
        approvals = [seen for seen in self.seen if seen.step == "approval"]
        early = any("access_token" in poll.document and not any(
            yes.sent < poll.first and about(yes) == about(poll) for yes in approvals)
            for poll in self.of("device-token"))
        return early or self.token_isolation()

    def one_owner(self):
        users = {str(seen.user) for seen in self.own() if seen.user is not None}
        return len(users) > 1 or self.linearizable()

    def one_token(self):
        return self.device_code_once()

    def logout_final(self):
        for out in self.of("revocation"):
            for seen in self.of("refresh-token", "device-token"):
                if seen.sent > out.first and "access_token" in seen.document and about(seen) == about(out):
                    return True
        return False

    def client_bound(self):
        if any("access_token" in seen.document
               for seen in self.of("other-client-token", "other-client-refresh")):
            return True
        for out in self.of("other-client-revocation"):
            for seen in self.of("refresh-token"):
                # What a device itself has used up, given back or polled for again may be over for that.
                before = [one for one in self.of("refresh-token", "revocation", "device-token")
                          if one is not seen and one.sent < seen.first]
                own = [one for one in before if one.step != "device-token"]
                polls = [one for one in before if one.step == "device-token"]
                if (out.status < 300 and seen.sent > out.first and seen.error == "invalid_grant"
                        and seen.op["shown"] == out.op["shown"] and not own and len(polls) == 1):
                    return True
        return False

    def linearizable(self):
        """Two people who were both told that the device is theirs: of no order can both be right."""
        return len({self.given[seen.op["id"]] for seen in self.decided("approval")}) > 1

    def expiry_respected(self):
        return any("access_token" in poll.document and poll.sent > codes["until"] + 1_000_000_000
                   for codes in self.codes.values() if codes["room"] == self.home for poll in self.of("device-token"))


def hits_of(trials, accounts):
    """In how many the promise was broken; one user that is named by an account's id says it of all."""
    ids, shown = {account[2] for account in accounts}, {str(s.user) for t in trials for s in t.seen}
    Trial.knows_users = bool(ids & shown) or any(account[2] != account[0] for account in accounts)
    return sum(1 for trial in trials if trial.is_broken())


def describe(trial):
    print("first trial that violated %s (X-Screenrig: %s):" % (CASE["invariant"], trial.mark))
    for seen in trial.seen:
        facts = [
            "%s (%s), %s" % (seen.op["id"], seen.step, seen.op["line"]), "sent " + utc(seen.sent),
            "answered %s %d" % (utc(seen.first), seen.status), seen.error, "request id " + seen.id if seen.id else ""]
        print("  " + ", ".join(fact for fact in facts if fact))


def main():
    global BASE
    arguments = [word for word in sys.argv[1:] if not word.isdigit()]
    counts = [int(word) for word in sys.argv[1:] if word.isdigit()]
    BASE = (arguments or [os.environ.get("SCREENRIG_TARGET") or TARGET["base"]])[0].rstrip("/")
    accounts, times = read_accounts(), (counts or [20])[0]
    if not accounts:
        print("set SCREENRIG_ACCOUNTS to a file with the columns user, password and user-id, or to accounts such as "
              "ann:secret,ben:secret", file=sys.stderr)
        return 2
    def one(number):
        start = 2 * number % len(accounts)
        trial = Trial((accounts + accounts)[start:start + 2])
        try:
            trial.play()
        except (Lost, OSError, LookupError, TypeError, ValueError) as error:
            return "%s: %s" % (type(error).__name__, error)
        return trial

    # Few at a time: most of a trial is waiting, and a held request takes a thread of some servers, which may have
    # eight of them for all.
    held = 1 + sum(1 for op in CASE["ops"] if op["anchor"] and op["op"] != "expire")
    with ThreadPoolExecutor(max(1, 6 // held)) as pool:
        outcomes = list(pool.map(one, range(times)))
    reasons = [outcome for outcome in outcomes if isinstance(outcome, str)]
    trials = [outcome for outcome in outcomes if not isinstance(outcome, str)]
    played, hits, reason = len(trials), hits_of(trials, accounts), (reasons + [""])[0]
    if not played:
        print("could not run: " + reason)
        return 3
    if hits:
        describe(next(trial for trial in trials if trial.is_broken()))
    print("%s violated in %d of %d trials on %s; the case: %s, found on %s" % (
        CASE["invariant"], hits, played, BASE, CASE["window"], CASE["found"]))
    return 1 if hits else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:  # Python's own exit code of a traceback is 1: "it reproduces".
        traceback.print_exc()
        sys.exit(3)
