#!/usr/bin/env python3
"""A REST V1 sign-in server that shares nothing with screenrig: written from the protocol's pages alone, in Python's
standard library. Tests run screenrig against it as against anybody's staging server.

    python3 Tests/Foreign/server.py                        # prints its URL first, then serves until it is ended
    python3 Tests/Foreign/server.py --shape id --shape info --shape form
    python3 Tests/Foreign/server.py --accounts accounts.csv --deny premium
    python3 Tests/Foreign/server.py --fault late-visibility:1500

    screenrig run rigs/smoke.yaml --target http://127.0.0.1:PORT

What it knows unless told otherwise: requestor DEMOTV, domain demo.test, providers demo-1 to demo-9 and those of the
accounts, free preview from provider TempPass. User ids are opaque (`u-` and 14 hexadecimal digits), the same at each
sign-in of an account; with --accounts (CSV: mvpd,user,password[,user-id]) the login page checks them.

Shapes (repeat --shape; all but oidc, direct, own, hops, hosted, page and recorded were seen in answers of real services):
  id      the record of a code has an id that is no UUID (8-8-4-4-4-12)
  code    codes have 6 characters
  info    its `info` has no deviceInfo; deprecated fields are there, null where not sent, and so is mvpd
  echo    its `info` is the newer one, and the deprecated fields that were sent are in it as well
  form    the second hop of the browser's way answers 200 with a form that posts itself
  meta    the second hop answers 200 with a meta refresh
  bare    404 without a body, expiry as a number, no charset, no Date, no Adobe-Request-Id, XML with ns2:config
  words   "User not Authenticated" where nobody is signed in, as some services spell it
  oidc    the provider sends the browser back with a code (OpenID Connect), and no form is posted
  direct  the provider tells the service by itself, and sends the browser to the app
  own     the provider's answer is posted to an address and in fields of the service's own
  hops    the first address of the service that the provider leads to signs in; two more, 4 s apart, come before the app
  hosted  the same, and the post of the credentials signs in already
  page    the post of the credentials signs in, and ends on a page that leads nowhere
  recorded  the check of a code says that a login was recorded, also after its logout
  trim    resources are answered as they were understood: without blanks around them

What real services answered now and then is there as an option or a fault of less than 100 %: --deny (403 noAuthz, with
details), busy (503 without a body) and keep-alive, whose timeout ends as a request arrives. `GET /api/v1/authenticate/{code}` answers as N4 does, in every shape.

Faults (repeat --fault; SHARE is a percentage, 100 unless given):
  lost-session[:SHARE]     the session is gone at the third request that needs it
  wrong-user[:SHARE]       a device is signed in as the user who signed in before
  crossed-poll[:SHARE]     a poll is shown the sign-in of another device; everything else is the device's own
  never-delivered[:SHARE]  the phone is told "done", the TV never
  late-visibility:MS       the TV is told MS milliseconds later than the phone
  busy[:SHARE]             polls are answered 503 without a body (10 unless given)
  code-life:MS             codes live MS milliseconds, whatever was asked for
  keep-alive[:SHARE]       a kept connection is closed under a GET or DELETE, without a byte of an answer (30 unless
                           given)
  lost-logout[:SHARE]      a kept connection is closed under a logout that has acted, and there is no second: 404
  expired-token[:SHARE]    the TV is shown a token that expired an hour ago
  outlives-expiry[:SHARE]  requests are served after the expiry of the sign-in; polls say that it has expired
  other-device[:SHARE]     the record of a code names another device
  other-requestor[:SHARE]  the record of a code names another requestor
  early-token[:SHARE]      the TV is signed in once a browser has begun its way, before anybody has typed a password
"""

import argparse
import asyncio
import random
import signal
import sys

sys.dont_write_bytecode = True  # a clone in which tests have run stays clean

from accounts import Accounts
from answers import Answers
from http11 import serve
from service import Service

SHAPES = ("id", "code", "info", "echo", "form", "meta", "bare", "words", "trim", "recorded",
          "oidc", "direct", "own", "hops", "hosted", "page")
FAULTS = {"lost-session": 100, "crossed-poll": 100, "wrong-user": 100, "never-delivered": 100,
          "late-visibility": None, "busy": 10, "keep-alive": 30, "lost-logout": 100, "code-life": None, "expired-token": 100,
          "outlives-expiry": 100, "other-device": 100, "other-requestor": 100, "early-token": 100}


class Faults:
    """What this server does wrong on purpose."""

    def __init__(self, planted):
        self.planted, self.random = dict(planted), random.Random(1)

    def strikes(self, name):
        return self.random.uniform(0, 100) < self.planted.get(name, 0)

    def value(self, name):
        return self.planted.get(name, 0)


def fault(text):
    name, _, value = text.partition(":")
    if name not in FAULTS:
        raise argparse.ArgumentTypeError(f"unknown fault '{name}'; known: {', '.join(FAULTS)}")
    if not value and FAULTS[name] is None:
        raise argparse.ArgumentTypeError(f"{name} needs a value, such as {name}:1500")
    try:
        return name, float(value) if value else FAULTS[name]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{value}' is not a number") from None


def arguments(words=None):
    """Of the command line, or of `words`."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--shape", action="append", default=[], choices=SHAPES)
    parser.add_argument("--fault", action="append", default=[], type=fault)
    parser.add_argument("--accounts", metavar="FILE")
    parser.add_argument("--requestor", action="append", help="DEMOTV")
    parser.add_argument("--domain", action="append", help="demo.test")
    parser.add_argument("--mvpd", action="append", help="demo-1 to demo-9")
    parser.add_argument("--temp-pass", default="TempPass", help="the free preview's provider")
    parser.add_argument("--no-metadata", action="store_true", help="the provider shares nothing about its users: U1 is 404")
    parser.add_argument("--deny", action="append", default=[], metavar="RESOURCE",
                        help="answered 403 noAuthz")
    parser.add_argument("--token-ms", type=int, default=6 * 3600 * 1000, help="life of a sign-in")
    parser.add_argument("--trial-ms", type=int, default=600_000, help="length of a free preview")
    parser.add_argument("--bearer-seconds", type=int, default=21600)
    options = parser.parse_args(words)
    if "form" in options.shape and "meta" in options.shape:
        parser.error("--shape form and --shape meta exclude each other")
    if "info" in options.shape and "echo" in options.shape:
        parser.error("--shape info and --shape echo exclude each other")
    options.requestor = options.requestor or ["DEMOTV"]
    options.domain = options.domain or ["demo.test"]
    options.mvpd = options.mvpd or [f"demo-{number}" for number in range(1, 10)]
    options.faults = Faults(options.fault)
    return options


def main():
    options = arguments()
    bare = "bare" in options.shape

    def closes_kept(request):
        if request.method == "DELETE" and options.faults.strikes("lost-logout"):
            service.handle(request)
            return True
        return request.method != "POST" and options.faults.strikes("keep-alive")

    service = Service(options, Accounts(options.accounts), Answers(bare))
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: sys.exit(0))
    asyncio.run(serve(service.handle, options.host, options.port, dated=not bare,
                      started=lambda url: print(url, flush=True), closes_kept=closes_kept))


if __name__ == "__main__":
    main()
