"""A web page as second screen: its browser sends `Origin`, asks before calls with headers of their own, and lets
the page read only what the service allows it to."""

import base64

from screens import TV, Phone
from wire import ask, expect

ORIGIN = "https://login.example.test"


class Client(TV):
    pass


class SecondScreen(Phone):
    headers = Phone.headers | {
        "Origin": ORIGIN, "Referer": ORIGIN + "/activate",
        "X-Device-Info": base64.b64encode(b'{"model":"login.example.test","osName":"PC"}').decode()}

    def get(self, path):
        asked = ask("OPTIONS", self.base + path, {
            "Origin": ORIGIN, "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "x-device-info,authorization,content-type"})
        expect(asked.status in (200, 204), "preflight", asked)
        allowed = asked.headers.get("access-control-allow-headers", "").lower()
        for name in ("x-device-info", "authorization", "content-type"):
            expect(name in allowed, name, "is not among", allowed)
        expect("GET" in asked.headers.get("access-control-allow-methods", ""), asked.headers)
        reply = super().get(path)
        for each in (asked, reply):
            origin = each.headers.get("access-control-allow-origin")
            expect(origin in ("*", ORIGIN), path, "may not be read by a page:", each.headers)
        return reply
