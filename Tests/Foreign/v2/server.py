#!/usr/bin/env python3
"""A REST V2 sign-in server that shares nothing with screenrig. It was written from the protocol's page alone and needs
only Python's standard library. Tests run screenrig against it as against any staging server.

    python3 Tests/Foreign/v2/server.py                  # prints its URL, then serves until it is ended
    python3 Tests/Foreign/v2/server.py --rate 0         # without throttling
    python3 Tests/Foreign/v2/server.py --list-faults
    python3 Tests/Foreign/v2/server.py --fault stale-decision --fault late-profile:30 --seed 7

Defaults: service provider DEMOTV, domain demo.test, providers demo-1 to demo-9 and those of the accounts, TempPass
(basic) and TempPassPromo (promotional). The platform mapping id of provider ID is mso-ID. Anyone can sign in; with
--accounts (CSV: mvpd,user,password[,user-id]) the login page checks the password. User ids are opaque, and the same at
each sign-in of an account.

A software statement is any token of three parts. Two claims limit it: `scopes` and `serviceProviders` (lists).

Identity tokens (Adobe-Subject-Token, AD-Service-Token) need a known key: --identity-keys names a file with a JSON Web
Key Set; with `any` the server accepts every signature. Roku's tokens and encrypted ones are compared as a whole.

The server answers in the observed shapes (section 18 of the page): A redirects straight to the provider, P3 answers
for completed codes after their expiry, media tokens live 300 s, errors have no trace.

A test can move the server's clock on instead of waiting, and give other orders under /_test (listed in control.py):

    curl -d '{"advance": 1800}' URL/_test/clock
    curl -d '{"mvpd": "demo-1", "rule": "AuthNAll", "seconds": 60}' URL/_test/degrade
"""

import argparse
import os
import signal
import sys

sys.dont_write_bytecode = True  # a clone in which tests have run stays clean
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # what both versions share

from accounts import Accounts
from clock import Clock
from degradation import KINDS, Rule
from errors import ITEM_CODES
from faults import ALL, BY_NAME, Faults
from identity import Identities
from service import Core, Service
from settings import Settings
from transport import Log, Server


A_YEAR = 365 * 86400


def fault(text):
    name, _, share = text.partition(":")
    if name not in BY_NAME:
        raise argparse.ArgumentTypeError(f"unknown fault '{name}'; --list-faults shows those that exist")
    try:
        return name, float(share) if share else BY_NAME[name].share
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{share}' is not a percentage") from None


def denial(text):
    resource, _, code = text.partition("=")
    if code and code not in ITEM_CODES:
        raise argparse.ArgumentTypeError(f"'{code}' is no code of a decision; known: {', '.join(ITEM_CODES)}")
    return resource, code or "authorization_denied_by_mvpd"


def degradation(text):
    mvpd, _, rest = text.partition(":")
    kind, _, seconds = rest.partition(":")
    if kind not in KINDS:
        raise argparse.ArgumentTypeError(f"'{kind}' is no rule; known: {', '.join(KINDS)}")
    return mvpd, kind, float(seconds) if seconds else A_YEAR


def parser():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--accounts", metavar="FILE")
    parser.add_argument("--identity-keys", metavar="FILE", help="or 'any'")
    parser.add_argument("--service-provider", action="append", help="DEMOTV")
    parser.add_argument("--domain", action="append", help="demo.test")
    parser.add_argument("--shape", choices=("hops", "hosted", "page"),
                        help="how a login ends, other than with a form: see Tests/Foreign/server.py")
    parser.add_argument("--log", metavar="FILE", help="one line of JSON for each request")
    add_faults(parser)
    add_providers(parser)
    add_lives(parser)
    add_limits(parser)
    return parser


def add_faults(parser):
    group = parser.add_argument_group("faults")
    group.add_argument("--fault", action="append", default=[], type=fault, metavar="NAME[:SHARE]",
                       help="SHARE is a percentage of the requests that the fault is about")
    group.add_argument("--list-faults", action="store_true")
    group.add_argument("--window", type=float, default=1.5, help="seconds, for the faults that last a while")
    group.add_argument("--seed", type=int, help="makes codes, tokens and faults repeat themselves")


def add_providers(parser):
    group = parser.add_argument_group("providers (repeat each option)")
    group.add_argument("--mvpd", action="append", help="demo-1 to demo-9")
    group.add_argument("--temp-pass", action="append", help="TempPass")
    group.add_argument("--promotional", action="append", help="TempPassPromo")
    for name, meaning in (("not-integrated", "known, but not integrated"), ("no-sso", "without single sign-on"),
                          ("picker", "not boarded with the partner"), ("no-logout", "without a logout page"),
                          ("form", "its way begins with a page that posts itself, not with a redirect")):
        group.add_argument("--" + name, action="append", default=[], metavar="MVPD", help=meaning)
    group.add_argument("--degrade", action="append", default=[], type=degradation, metavar="MVPD:RULE[:SECONDS]")


def add_lives(parser):
    group = parser.add_argument_group("lives, in seconds")
    group.add_argument("--code-life", type=float, default=1800)
    group.add_argument("--profile-life", type=float, default=30 * 86400)
    group.add_argument("--token-life", type=float, default=300, help="of a media token")
    group.add_argument("--decision-life", type=float, default=86400)
    group.add_argument("--trial-life", type=float, default=600, help="of a TempPass; 0: it is set up badly")
    group.add_argument("--bearer-life", type=float, default=21600)
    group.add_argument("--tick", type=float, default=0, help="each reading of the clock also moves it on by as much")


def add_limits(parser):
    group = parser.add_argument_group("limits")
    group.add_argument("--rate", type=float, default=1, help="requests a second for each address; 0: no limit")
    group.add_argument("--burst", type=float, default=10)
    group.add_argument("--preauthorize-limit", type=int, default=11)
    group.add_argument("--authorize-limit", type=int, default=1)
    group.add_argument("--trial-resources", type=int, default=3, help="of a promotional TempPass")
    group.add_argument("--deny", action="append", default=[], type=denial, metavar="RESOURCE[=CODE]")
    group.add_argument("--ungated", action="append", metavar="RESOURCE", help="left out when preauthorized: ungated")
    group.add_argument("--code-after-expiry", choices=("profile", "refuse"), default="profile")
    group.add_argument("--close-kept", type=float, default=0, metavar="SHARE",
                       help="percent of GETs under which a kept connection is closed, as by a keep-alive timeout")
    group.add_argument("--strict", action="store_true", help="X-Device-Info is required")


def main():
    options = parser().parse_args()
    if options.list_faults:
        print("\n".join(str(each) for each in ALL))
        return
    clock, accounts = Clock(options.tick), Accounts(options.accounts)
    core = Core(Settings(options, accounts.mvpds), clock, Faults(options.fault, options.window, options.seed),
                Identities.from_option(options.identity_keys, clock), options.seed)
    for mvpd, kind, seconds in options.degrade:
        core.degradation.order(Rule(None, mvpd, kind, clock.now() + int(seconds * 1000)))
    server = Server((options.host, options.port), Service(core, accounts), clock, Log(options.log),
                    options.close_kept)
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: sys.exit(0))
    print(server.url, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
