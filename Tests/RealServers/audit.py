"""The site's own record of its device grant: a line of JSON for each request that matters, appended to $BASE/audit.jsonl.

A middleware of Django, innermost, so that the session's user is known and a view has answered. Device codes and
tokens stand there as SHA-256, as in the tables of both servers. What is said of a decision is what the page told the
person; who owns a token is in the server's own tables (records.py).
"""
import hashlib
import json
import os
import time
from urllib.parse import parse_qs, urlsplit

FILE = os.open(os.environ["BASE"] + "/audit.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def mark(secret):
    return hashlib.sha256(secret.encode()).hexdigest() if secret else None


def document(response):
    try:
        found = json.loads(response.content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def noted(request, response):
    """What happened, or None."""
    if request.method != "POST":
        return None
    path, form = request.path, request.POST
    if path.rstrip("/").endswith(("device-authorization", "device/code")):
        told = document(response)
        return {"what": "codes", "user_code": told.get("user_code"), "device": mark(told.get("device_code"))}
    if path.rstrip("/").endswith("token") and "grant_type" in form:
        told = document(response)
        return {
            "what": "token", "grant": form["grant_type"].rsplit(":", 1)[-1], "device": mark(form.get("device_code")),
            "shown": mark(form.get("refresh_token")), "error": told.get("error"),
            "access": mark(told.get("access_token")), "refresh": mark(told.get("refresh_token"))}
    if "revoke" in path:
        return {"what": "revocation", "shown": mark(form.get("token"))}
    if "action" not in form:
        return None
    # django-oauth-toolkit redirects to the grant's status, django-allauth answers 200 with the outcome as heading.
    page = response.get("Location", "") or response.content.decode(errors="replace")
    code = parse_qs(urlsplit(request.get_full_path()).query).get("code", [path.rstrip("/").rsplit("/", 1)[-1]])[0]
    is_yes = form["action"] in ("accept", "confirm")
    words = ("/device-grant-status/", "Device Authorized" if is_yes else "Device Denied")
    return {"what": "approval" if is_yes else "refusal", "user_code": code, "user": request.user.pk,
            "confirmed": response.status_code < 400 and any(word in page for word in words)}


class Audit:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        begun = time.time()
        response = self.get_response(request)
        line = noted(request, response)
        if line:
            line.update(begun=begun, ended=time.time(), status=response.status_code)
            os.write(FILE, (json.dumps(line) + "\n").encode())
        return response
