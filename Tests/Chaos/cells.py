"""What is tried: each fault with the requests that it is about, each command and engine, and what must come of it."""

from dataclasses import dataclass

import answer_faults
import http2_faults
import wire_faults

COMMANDS = ("run", "try", "race", "replay", "nightly", "calibrate")
ENGINES = ("direct", "multi")

# What an accusation of the service's answers looks like, where its connection or we were the cause.
MALFORMED = r"malformed|is not HTTP|deviat"
NO_ANSWER = dict.fromkeys(COMMANDS, {3})


@dataclass(frozen=True)
class Fault:
    """A fault, what it is about, and what must come of it."""

    name: str
    cause: str  # a pattern that the output must have, unless the exit code is 0
    codes: dict  # the exit codes that are right, by command
    at: str = "all"
    not_cause: str = r"(?!)"  # a pattern that the output must not have
    commands: tuple = COMMANDS
    engines: tuple = ENGINES
    certificate: str = ""  # good, expired, name, unknown: then it is served by TLS
    http2: bool = False
    form: str = "json"
    interrupts: bool = False  # Ctrl-C after 2 s and after 3 s
    lasts: str = ""  # load.closed.for, for faults that need time
    clock_jump: int = 0  # seconds by which our own clock jumps after 2 s
    proxy: str = ""  # peer: the peer is a plain proxy, too; dead: nothing listens there
    limit: int = 45  # seconds; the longest healthy cell takes 17
    refused: bool = False  # before there is a run: no report comes of it
    hosts: tuple = ()  # what /etc/hosts says of chaos.test at first, and after 1.5 s

    @property
    def label(self):
        """The row of the table."""
        words = [self.name if self.name != "none" or not self.surroundings else "", *self.surroundings]
        words.insert(1, f"at {self.at}" if self.at != "all" else "")
        return " ".join(word for word in words if word) + (" + ^C^C" if self.interrupts else "")

    @property
    def surroundings(self):
        """What is wrong beside the peer's answers."""
        found = []
        if self.certificate and self.certificate != "good":
            found.append({"expired": "certificate expired", "name": "certificate of another name",
                          "unknown": "certificate unknown"}[self.certificate])
        elif self.certificate and "tls" not in self.name:
            found.append("over TLS")
        if self.clock_jump:
            found.append(f"our clock {self.clock_jump // 3600:+d} h")
        if self.hosts:
            first, then = (each.split()[0] if each.strip() else "no address" for each in self.hosts)
            found.append(f"name: {first}, then {then}" + (f", {self.lasts}" if self.lasts else ""))
        if self.proxy:
            found.append(f"by a proxy ({self.proxy})")
        return found


def codes(most, **others):
    return dict.fromkeys(COMMANDS, set(most)) | {name: set(value) for name, value in others.items()}


# Answered, and not as it should be: households fail. A search has no trial; a plain GET does not read answers.
WRONG = codes({1, 3}, race={3}, replay={3}, calibrate={0, 3})
# It passes, or its failure is told.
HEALS = codes({0, 1}, race={0, 1, 3}, replay={0, 1, 3}, calibrate={0})
# In the polls alone: everybody is answered something, nobody is signed in.
POLLS = codes({1}, race={3}, replay={3})
POLLERS = ("run", "try", "race", "replay", "nightly")
SIGNS = ("run", "try", "race", "replay", "nightly")

LOST = r"connection-lost|broke|closed (the|a kept) connection|reset"
LATE = r"timeout|within 2000 ms|not answer"
LARGE = r"too-large|is longer than|bytes of headers|header line of more than|malformed|is not HTTP|not HTTP"
BODIES = r"malformed|too-large|more than 64 levels|a time out of range|neither JSON nor XML|without its fields|found neither"
PAGES = r"the page at|login page came|has \d+ forms|answered 40[45]|too-large|malformed"
BROKEN = {"reset": LOST, "close": LOST, "stall": LATE}


def wire():
    yield Fault("none", r"Passed|passed|no violation found|nothing found|does not reproduce|answers", codes({0}), not_cause=r"Failed|FAILED")
    yield Fault("refuse", r"nothing listens|refused", NO_ANSWER, not_cause=MALFORMED)
    for way, cause in BROKEN.items():
        yield Fault(f"{way}-accept", cause + "|no connection to", NO_ANSWER, not_cause=MALFORMED)
        yield Fault(f"{way}-tls", cause + "|no TLS|TLS", NO_ANSWER, not_cause=MALFORMED, certificate="good")
        for phase in ("answer", "in-head", "in-body"):
            yield Fault(f"{way}-{phase}", cause, NO_ANSWER, not_cause=MALFORMED)
            yield Fault(f"{way}-{phase}", cause, POLLS, at="poll", not_cause=MALFORMED, commands=POLLERS)
    yield Fault("half-close", LOST, NO_ANSWER, not_cause=MALFORMED)
    yield Fault("half-close-after", LOST, HEALS, not_cause=MALFORMED)
    yield Fault("drip", LATE, NO_ANSWER, not_cause=MALFORMED)
    yield Fault("drip", LATE, POLLS, at="poll", not_cause=MALFORMED, commands=POLLERS)
    for name in wire_faults.ENDLESS:
        yield Fault(name, LARGE + "|" + LATE, WRONG)
        yield Fault(name, LARGE + "|" + LATE, POLLS, at="poll", commands=POLLERS)
    for name in wire_faults.LENGTHS:
        yield Fault(name, LARGE + "|" + LATE + "|" + LOST + "|" + BODIES, WRONG)
    for name in wire_faults.GARBAGE:
        yield Fault(name, r"not HTTP|closed the connection|" + LOST, WRONG)
    yield Fault("answer-twice", r".", HEALS)
    yield Fault("dies", LOST + "|refused|nothing listens", HEALS, lasts="6s")


def tls():
    told = {"expired": r"expired certificate", "name": r"certificate for another name", "unknown": r"unknown CA"}
    for name, cause in told.items():
        yield Fault("none", cause, NO_ANSWER, not_cause=MALFORMED, certificate=name)
    yield Fault("none", r".", codes({0}), not_cause=r"Failed|FAILED", certificate="good")
    yield Fault("tls-plain", r"does not speak TLS|TLS", NO_ANSWER, not_cause=MALFORMED, certificate="good")
    yield Fault("tls-alert", r"TLS", NO_ANSWER, not_cause=MALFORMED, certificate="good")
    yield Fault("tls-no-close-notify", r"TLS|tls|close_notify|" + LOST, NO_ANSWER, certificate="good", not_cause=r"malformed")


def answers():
    for name, (kind, _) in answer_faults.BOMBS.items():
        if kind == answer_faults.HTML:
            where = ["login", "authenticate"]
        else:
            where = ["all", "code", "poll"]
        form = "xml" if "xml" in name else "json"
        for at in where:
            commands = COMMANDS if at == "all" else POLLERS if at == "poll" else ("run", "try", "race", "nightly")
            yield Fault(name, PAGES if kind == answer_faults.HTML else BODIES, WRONG if at != "poll" else POLLS, at=at,
                        commands=commands, form=form)
    # Nothing was asked to be compressed.
    yield Fault("bomb-gzip", r"Content-Encoding gzip", WRONG)
    # The service's documents know no Retry-After: that it has one is told, and is a deviation.
    for name, not_cause in (("throttle-for-ever", MALFORMED), ("throttle-huge", r"malformed|is not HTTP")):
        # A throttled device waits, and sends again up to 60 times: 95 s, and a search prepares several.
        yield Fault(name, r"429|throttled", WRONG, not_cause=not_cause, limit=130)
        yield Fault(name, r"429|throttled|abandoned", POLLS, at="poll", commands=POLLERS, not_cause=not_cause)
    yield Fault("busy-for-ever", r"503|server-error", WRONG, not_cause=MALFORMED)
    yield Fault("busy-for-ever", r"503|server-error", POLLS, at="poll", commands=POLLERS, not_cause=MALFORMED)
    yield Fault("redirect-loop", r"302|redirect|sends requests on|max-hops", WRONG)
    for name in ("redirect-loop", "redirect-growing"):
        yield Fault(name, r"max-hops|hops|redirect|does not end|longer than", WRONG, at="authenticate", commands=SIGNS)
    for name in answer_faults.CODE_TIMES:
        yield Fault(name, r"a time out of range|malformed|deviat|without its fields|abandoned|expire", WRONG | {"calibrate": {0}}, at="code")
    # The service takes the codes for longer than it said: a replay hurries, and signs in.
    yield Fault("codes-of-1-ms", r"expire|expiry-respected|ran out|abandoned|signed in", WRONG | {"race": {0, 1, 3}, "replay": {0, 3}},
                at="code", commands=SIGNS)
    for name in answer_faults.TIMES:
        cause = r"a time out of range|malformed|deviat|expire|abandoned|clock"
        yield Fault(name, cause, codes({0, 1, 3}), commands=SIGNS)
        yield Fault(name, cause, codes({0, 1}, race={0, 1, 3}, replay={0, 1, 3}), at="poll", commands=POLLERS)
    for name in answer_faults.HEADERS:
        yield Fault(name, r".", HEALS)
    for name in answer_faults.JUMPS_MS:
        # A sign-in of the hours that a clock has gone back is over when it goes forward again.
        yield Fault(name, r"clock|expir|token-monotonic", HEALS, lasts="3s", not_cause=MALFORMED)


def http2():
    causes = {
        "h2-close": LOST, "h2-reset": LOST, "h2-stall": LATE, "h2-stall-in-body": LATE, "h2-goaway-kept": LATE,
        "h2-window-0": LATE, "h2-goaway": LOST + "|GOAWAY|ended the HTTP/2", "h2-rst": LOST + "|not HTTP|HTTP2|HTTP/2",
        "h2-rst-refused": LOST + "|REFUSED|HTTP2|HTTP/2|" + LATE,
    }
    for name in sorted(http2_faults.NAMES):
        yield Fault(name, causes.get(name, LARGE + "|" + LATE + "|" + LOST + "|HTTP/2"), WRONG | {"run": {1, 3}},
                    engines=("multi",), http2=True, commands=SIGNS)


def surroundings():
    yield Fault("none", r"clock", codes({0, 1}), clock_jump=6 * 3600, lasts="4s", not_cause=MALFORMED)
    yield Fault("none", r"clock", codes({0, 1}), clock_jump=-6 * 3600, lasts="4s", not_cause=MALFORMED)
    here, elsewhere = "127.0.0.1 chaos.test\n", "127.0.0.2 chaos.test\n"
    yield Fault("none", r"has no address|address of chaos.test", NO_ANSWER, hosts=("\n", "\n"), refused=True, not_cause=MALFORMED)
    yield Fault("none", r".", HEALS, hosts=(here, "\n"), lasts="3s", not_cause=MALFORMED)
    yield Fault("none", r"has no address|address of chaos.test", codes({0, 1}), hosts=(here, "\n"), lasts="36s",
                commands=("run",), not_cause=MALFORMED)
    yield Fault("none", r"nothing listens", codes({0, 1}), hosts=(here, elsewhere), lasts="36s", commands=("run",),
                not_cause=MALFORMED)


def proxies():
    yield Fault("none", r".", codes({0}), proxy="peer", engines=("multi",), commands=SIGNS, not_cause=r"Failed|FAILED")
    yield Fault("none", r"the proxy", NO_ANSWER, proxy="dead", engines=("multi",), commands=SIGNS, not_cause=MALFORMED)
    for name in ("reset-accept", "reset-answer", "stall-answer"):
        yield Fault(name, r"the proxy|" + BROKEN[name.split("-")[0]], NO_ANSWER, proxy="peer", engines=("multi",),
                    commands=SIGNS, not_cause=MALFORMED)
    yield Fault("garbage", r"not HTTP", NO_ANSWER, proxy="peer", engines=("multi",), commands=SIGNS)


def interrupted():
    ended = codes({130, 1, 3, 0})
    for name, at in (("stall-accept", "all"), ("stall-tls", "all"), ("stall-answer", "all"), ("stall-answer", "poll"),
                     ("stall-in-head", "all"), ("stall-in-body", "all"), ("drip", "poll"), ("endless-chunks", "poll"),
                     ("endless-headers", "all"), ("bomb-title", "login"), ("bomb-attributes", "login"),
                     ("bomb-forms", "login"), ("bomb-references", "login"), ("bomb-json-depth", "poll"),
                     ("bomb-xml-depth", "poll"), ("bomb-xml-entity", "poll"), ("bomb-xml-attributes", "poll"),
                     ("throttle-for-ever", "poll"), ("throttle-huge", "poll"), ("busy-for-ever", "poll")):
        yield Fault(name, r".", ended, at=at, interrupts=True, form="xml" if "xml" in name else "json",
                    certificate="good" if name == "stall-tls" else "", commands=SIGNS)


def faults():
    for part in (wire, tls, answers, http2, surroundings, proxies, interrupted):
        yield from part()
