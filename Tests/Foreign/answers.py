"""Bodies: JSON or XML, by suffix, then `format`, then `Accept`; XML where the request names none."""

import json
import uuid
from xml.sax.saxutils import escape

from http11 import Response

XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def wants_json(request):
    last = request.path.rsplit("/", 1)[-1]
    if last.endswith(".json"):
        return True
    if last.endswith(".xml"):
        return False
    named = request.values.get("format")
    if named in ("json", "xml"):
        return named == "json"
    return "json" in request.headers.get("accept", "")


def element(name, value):
    """One element of XML. None is an empty one; a list repeats it; a dictionary has its own inside."""
    if isinstance(value, list):
        return "".join(element(name, each) for each in value)
    tag = name.split(" ")[0]
    if value is None:
        return f"<{name}/>"
    if isinstance(value, dict):
        inner = "".join(element(key, each) for key, each in value.items())
        return f"<{name}>{inner}</{tag}>"
    if isinstance(value, bool):
        value = "true" if value else "false"
    return f"<{name}>{escape(str(value))}</{tag}>"


class Answers:
    """How this server writes, which is part of its shape."""

    def __init__(self, bare):
        self.bare = bare  # no charset, no Adobe-Request-Id, no bodies of 404, expiry as a number

    def headers(self):
        return [] if self.bare else [("Adobe-Request-Id", str(uuid.uuid4()))]

    def body(self, request, status, json_value, xml_name, xml_value=None, headers=()):
        charset = "" if self.bare else ";charset=utf-8"
        extra = self.headers() + list(headers)
        if wants_json(request):
            text = json.dumps(json_value, separators=(",", ":"))
            return Response(status, text, "application/json" + charset, extra)
        text = XML_HEAD + element(xml_name, json_value if xml_value is None else xml_value)
        return Response(status, text, "application/xml" + charset, extra)

    def error(self, request, status, message, details=None):
        if self.bare and status == 404:
            return Response(404, headers=self.headers())
        value = {"status": status, "message": message, "details": details}
        if details is None and status in (404, 410):
            del value["details"]
        return self.body(request, status, value, "error")

    def empty(self, status):
        return Response(status, headers=self.headers())

    def redirect(self, location, headers=()):
        return Response(302, headers=[("Location", location)] + self.headers() + list(headers))

    def page(self, title, inside, status=200, head="", onload=""):
        start = f'<body onload="{onload}">' if onload else "<body>"
        text = (f"<!DOCTYPE html>\n<html><head><meta charset='utf-8'>{head}"
                f"<title>{escape(title)}</title></head>{start}{inside}</body></html>\n")
        return Response(status, text, "text/html;charset=utf-8", [("Cache-Control", "no-store")])

    def expiry(self, moment):
        """An expiry outside of a code's record: a string in the samples, a number in some answers."""
        return moment if self.bare else str(moment)
