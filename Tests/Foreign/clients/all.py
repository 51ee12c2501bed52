#!/usr/bin/env python3
"""Clients of REST V1 as they were observed, written without a look at screenrig: each signs in, plays and signs out.

    screenrig serve --port 8080 --auth any --domain adobe.com --no-throttle --policy verify-statements=false
    python3 Tests/Foreign/clients/all.py http://127.0.0.1:8080 [STYLE ...]

Prints a line for each style, and ends with 1 if one of them could not do what it does.
"""

import importlib
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # a clone in which tests have run stays clean

from screens import Phone
from wire import Failure

STYLES = ["form", "page", "parameter", "suffix", "no_format", "older_fields", "mrss", "by_code",
          "older_header"]


def run(base, style):
    module = importlib.import_module(style)
    phone = getattr(module, "SecondScreen", Phone)(base, style)
    try:
        user = module.Client(base, style).sign_in(phone)
    except Failure as failure:
        return style, f"FAILED {failure}"
    except Exception:
        return style, "FAILED " + traceback.format_exc()
    return style, f"signed in as {user}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    base, styles = sys.argv[1].rstrip("/"), sys.argv[2:] or STYLES
    with ThreadPoolExecutor(len(styles)) as pool:
        results = list(pool.map(lambda style: run(base, style), styles))
    for style, result in results:
        print(f"{style}: {result}")
    sys.exit(any(result.startswith("FAILED") for _, result in results))


if __name__ == "__main__":
    main()
