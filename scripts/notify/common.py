"""What the senders in this folder share. Python 3.8 or later, nothing but its standard library."""
import argparse, http.client, json, os, sys, time, urllib.error, urllib.parse, urllib.request

COLOURS = ["green", "amber", "red"]


def fail(words):
    """Says why on standard error and ends with 1; screenrig reports that and goes on."""
    print("%s: %s" % (os.path.basename(sys.argv[0]), words), file=sys.stderr)
    sys.exit(1)


def setting(name, what):
    """A value from the environment, or from the file that NAME_FILE names: secrets need not stand in a crontab."""
    value = (os.environ.get(name) or "").strip()
    path = os.environ.get(name + "_FILE")
    if not value and path:
        try:
            with open(path) as file:
                value = file.read().strip()
        except OSError as error:
            fail("%s_FILE: %s: %s" % (name, path, error.strerror))
    if not value:
        fail("%s is not set; it is %s (or %s_FILE names a file that holds it)" % (name, what, name))
    return value


def message(description):
    """The night that screenrig hands over on standard input; ends the program where nobody wants to know of it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--from", dest="least", choices=COLOURS, default="green",
                        help="send only digests of this colour or worse; default: all, so that a missing one is noticed")
    least = parser.parse_args().least
    try:
        night = json.load(sys.stdin)
        digest = night["digest"]
        colour = COLOURS.index(digest["colour"])
    except (ValueError, KeyError, TypeError):
        fail("standard input is not a message of 'screenrig nightly --notify' (schema screenrig/night/1 with its digest)")
    if colour < COLOURS.index(least):
        sys.exit(0)
    return night


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would become a GET, and its key would go to wherever the redirect leads: it is an error."""

    def redirect_request(self, *arguments):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def post(url, body, headers={}, tries=3):
    """Posts JSON; returns the response's text. A busy or absent receiver gets two more tries. The address may hold a
    secret, so only its host is ever named."""
    host = urllib.parse.urlsplit(url).hostname or "no host"
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        fail("the address is not a web address (https://...)")
    data = json.dumps(body).encode()
    for attempt in range(tries):
        request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
        try:
            with OPENER.open(request, timeout=15) as response:
                return response.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            reason = "%s said %s: %s" % (host, error.code, error.read(200).decode("utf-8", "replace"))
            if error.code != 429 and error.code < 500:
                break
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = "%s cannot be reached: %s" % (host, getattr(error, "reason", None) or type(error).__name__)
        if attempt + 1 < tries:
            time.sleep(1 + attempt)
    fail(reason)


def limited(text, length):
    return text if len(text) <= length else text[:length - 1] + "…"


def parts(digest):
    """Findings by heading, as (heading, [sentence]), in the order of the digest; notes last."""
    titles = {"failed": "Failed last night", "worse": "Got worse", "still-worse": "Still worse",
              "unusual": "Unusual last night", "observed": "Observed", "no-values": "Not measured",
              "missing": "Not measured", "rig-changed": "Not measured", "better": "Better"}
    found = {}
    for finding in digest["findings"]:
        since = finding.get("since")
        words = finding["text"] + (" " + since["text"] if since else "")
        found.setdefault(titles.get(finding["kind"], "Also"), []).append(words)
    if digest["notes"]:
        found.setdefault("Also", []).extend(digest["notes"])
    return list(found.items())
