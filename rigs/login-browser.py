#!/usr/bin/env python3
"""A login program of a rig (login: {command: ./login-browser.py}) that drives a headless Chromium.

It reads one JSON object with the page's address, the account and the cookies, opens the page in a browser of its own, types the
account into the first form that asks for a password (or for a user first), and waits for the request that leads back to the
service: one that carries an assertion or a code of OpenID Connect, or that leaves for another host after the password. That
request is not sent: it is printed, with the cookies, for the rig to send.

    echo '{"url": "https://idp.example/login", "user": "ann", "password": "..."}' | ./login-browser.py

Change what it looks for at the top: USER, PASSWORD, BUTTON, CARRIES. SCREENRIG_BROWSER names another browser.
Nothing but Python's own modules is needed. The browser is driven over a pipe (--remote-debugging-pipe: no port is opened).
"""
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from urllib.parse import parse_qsl, urlsplit

USER = "input[type=email], input[autocomplete=username], input[name*=user i], input[name*=login i], input[type=text]"
PASSWORD = "input[type=password]"
BUTTON = "button[type=submit], input[type=submit], button:not([type])"
CARRIES = {"SAMLResponse", "id_token", "wresult"}
SECONDS = 45


class Stopped(Exception):
    """Why there is no going on."""


class Browser:
    """A Chromium with one page, over its pipe: JSON texts that end in a NUL."""

    def __init__(self, program, agent):
        # A browser has a socket in its folder for temporary files, whose path may have 107 bytes.
        short = "/tmp" if len(tempfile.gettempdir()) > 40 else None
        self.profile = tempfile.mkdtemp(prefix="login-browser-", dir=short)
        from_us, to_browser = os.pipe()
        from_browser, to_us = os.pipe()
        # The browser reads descriptor 3 and writes 4.
        def place():
            spare = [os.dup(from_us), os.dup(to_us)]
            while min(spare) < 5:
                spare = [os.dup(end) for end in spare]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)
        options = ["--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-first-run",
                   "--disable-gpu", "--disable-extensions", "--disable-background-networking", "--disable-sync"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")
        if agent:
            options.append(f"--user-agent={agent}")
        self.process = subprocess.Popen(
            [program, *options, "about:blank"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=place, start_new_session=True,
            env={**os.environ, "TMPDIR": self.profile})
        os.close(from_us)
        os.close(to_us)
        self.to_browser, self.from_browser = to_browser, from_browser
        self.unread, self.number, self.session, self.events = b"", 0, None, []
        self.end = time.monotonic() + SECONDS
        try:
            pages = [one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page"]
            page = pages[0]["targetId"] if pages else self.ask("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        except BaseException:
            self.close()
            raise

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def post(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.to_browser, text):]
        return self.number

    def ask(self, method, seconds=None, **parameters):
        """The answer; None where none comes in so many seconds."""
        number = self.post(method, **parameters)
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            message = self.message(None if until is None else until - time.monotonic())
            if message is None:
                return None
            if message.get("id") == number:
                if "error" in message:
                    raise Stopped(f"{method}: {message['error'].get('message')}")
                return message["result"]
            self.events.append(message)

    def message(self, seconds=None):
        """The next one; None where none comes in so many seconds."""
        until = self.end if seconds is None else min(self.end, time.monotonic() + seconds)
        while b"\0" not in self.unread:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.from_browser], [], [], left)[0]:
                if time.monotonic() >= self.end:
                    raise Stopped(f"the login did not end within {SECONDS} s")
                return None
            piece = os.read(self.from_browser, 65536)
            if not piece:
                raise Stopped("the browser ended")
            self.unread += piece
        text, self.unread = self.unread.split(b"\0", 1)
        return json.loads(text)

    def value(self, script):
        """What a script of ours says; None while the page is being replaced."""
        # A page that is replaced meanwhile may never answer.
        try:
            answer = self.ask("Runtime.evaluate", 2, expression=script, returnByValue=True)
        except Stopped:
            if time.monotonic() >= self.end:
                raise
            return None
        return answer["result"].get("value") if answer else None


FIND = """(() => {
  const shown = (words) => [...document.querySelectorAll(words)].find(e => e.offsetParent && !e.disabled && !e.readOnly);
  const password = shown(%(password)s), user = password && password.form
    ? [...password.form.querySelectorAll(%(user)s)].find(e => e.offsetParent && e !== password) : shown(%(user)s);
  const fill = (field, text) => {
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
    field.focus(); set.call(field, text);
    field.dispatchEvent(new Event('input', {bubbles: true})); field.dispatchEvent(new Event('change', {bubbles: true}));
  };
  if (!password && (!user || %(sentUser)s)) return 'nothing';
  if (password && %(sentPassword)s) return 'again';
  if (user && user.offsetParent) fill(user, %(name)s);
  if (password) fill(password, %(word)s);
  const form = (password || user).form;
  // A name of the rig's need not look like the address that a field asks for.
  if (form) form.noValidate = true;
  const button = (form || document).querySelector(%(button)s);
  setTimeout(() => button ? button.click() : form && form.submit(), 0);
  return password ? 'password' : 'user';
})()"""


def left_for_service(request, start, has_sent_password):
    """The answer to the rig, where this request leads back to the service."""
    fields = parse_qsl(request.get("postData", ""), keep_blank_values=True)
    names = {name for name, _ in fields} | {name for name, _ in parse_qsl(urlsplit(request["url"]).query)}
    if request["method"] == "POST" and names & CARRIES:
        return {"form": {"action": request["url"], "method": "POST", "fields": dict(fields)}}
    leaves = urlsplit(request["url"]).netloc != urlsplit(start).netloc
    if has_sent_password and leaves and request["method"] == "GET":
        return {"url": request["url"]}
    return None


def sign_in(question, browser):
    start = question["url"]
    for pair in question.get("cookies", "").split("; "):
        name, sign, value = pair.partition("=")
        if sign:
            browser.ask("Network.setCookie", name=name, value=value, url=start)
    browser.ask("Fetch.enable", patterns=[{"urlPattern": "*", "resourceType": "Document"}])
    browser.post("Page.navigate", url=start)
    sent = {"user": False, "password": False}
    looked = 0
    while True:
        message = browser.events.pop(0) if browser.events else browser.message(0.2)
        if message and message.get("method") == "Fetch.requestPaused":
            paused = message["params"]
            answer = left_for_service(paused["request"], start, sent["password"])
            if answer:
                browser.post("Fetch.failRequest", requestId=paused["requestId"], errorReason="Aborted")
                return answer
            browser.post("Fetch.continueRequest", requestId=paused["requestId"])
            continue
        if message or time.monotonic() < looked:
            continue
        looked = time.monotonic() + 0.2
        if browser.value("document.readyState") != "complete":
            continue
        if (browser.value("document.URL") or "").startswith("chrome-error:"):
            raise Stopped(f"the browser cannot open the page: {browser.value('document.body.innerText.trim()')[:200]}")
        found = browser.value(FIND % {
            "user": json.dumps(USER), "password": json.dumps(PASSWORD), "button": json.dumps(BUTTON),
            "name": json.dumps(question["user"]), "word": json.dumps(question["password"]),
            "sentUser": json.dumps(sent["user"]), "sentPassword": json.dumps(sent["password"])})
        if found == "again" and time.monotonic() > sent["password"] + 3:
            words = browser.value("(document.querySelector('[role=alert], .error') || {}).innerText") or ""
            raise Stopped(f"the login page came back after the password: {words.strip()[:200]}")
        if found in ("user", "password"):
            sent["user"] = True
            # When: the page stays for a moment after it was sent.
            sent[found] = time.monotonic()


def main():
    question = json.loads(sys.stdin.readline())
    names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    program = os.environ.get("SCREENRIG_BROWSER") or next(filter(None, map(shutil.which, names)), None)
    if not program:
        sys.exit("no Chromium: apt-get install chromium, or SCREENRIG_BROWSER=/path/to/it")
    browser = None
    try:
        browser = Browser(program, question.get("userAgent"))
        print(json.dumps(sign_in(question, browser)))
    except Stopped as reason:
        print(json.dumps({"failed": str(reason)}))
    except (KeyError, ValueError, OSError, subprocess.SubprocessError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    finally:
        if browser:
            browser.close()


if __name__ == "__main__":
    main()
