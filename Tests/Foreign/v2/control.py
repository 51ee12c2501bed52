"""Orders from tests under /_test, and the vendor's management call that resets a TempPass."""

import json

from degradation import KINDS, Rule
from headers import base64_name
from http11 import Response


class BadOrder(Exception):
    pass


class Control:
    """Orders are POST requests to /_test/NAME with a JSON object:

    clock        {"advance": SECONDS}
    degrade      {"mvpd", "rule": AuthNAll|AuthZAll|AuthZNone, "seconds" or "until" (ms), "message"?, "sp"?}
    integration  {"mvpd", "integrated": true|false}
    invalidate   {"mvpd", "device"?}      the provider ends its sessions
    revoke       {"client_id"}            the client's credentials and bearers count no longer
    fault        {"name", "share"}        a percentage, "usual", or null to switch it off

    GET /_test/faults answers how often each fault was activated.
    """

    def __init__(self, core):
        self.core, self.settings = core, core.settings
        self.orders = {"clock": self.clock, "degrade": self.degrade, "integration": self.integration,
                       "invalidate": self.invalidate, "revoke": self.revoke,
                       "fault": self.fault}

    def order(self, call, order):
        try:
            value = json.loads(call.request.body)
            self.orders[order](value)
        except (ValueError, KeyError, TypeError, BadOrder) as error:
            return Response(400, f"not an order: {error!r}\n", "text/plain")
        return Response(204)

    def clock(self, value):
        self.core.clock.advance(float(value["advance"]))

    def degrade(self, value):
        if value["rule"] not in KINDS:
            raise BadOrder(value["rule"])
        now = self.core.clock.now()
        until = int(value["until"]) if "until" in value else now + int(float(value["seconds"]) * 1000)
        self.core.degradation.order(
            Rule(value.get("sp"), value["mvpd"], value["rule"], until, value.get("message")))

    def integration(self, value):
        self.settings.providers[value["mvpd"]].integrated = bool(value["integrated"])

    def invalidate(self, value):
        self.core.profiles.invalidate(value["mvpd"], value.get("device"))

    def revoke(self, value):
        self.core.clients.clients[value["client_id"]].is_revoked = True

    def fault(self, value):
        self.core.faults.switch(value["name"], value["share"])

    def counts(self, call):
        return dict(self.core.faults.activated)

    # The vendor's reset of a TempPass (11)

    def reset_device(self, call):
        return self.reset(call, "device", call.request.values.get("device_id"))

    def reset_person(self, call):
        key = call.request.values.get("key")
        return self.reset(call, "identity", None if key == "all" else key)

    def reset(self, call, kind, name):
        """The name may be plain text, or Base64 as in the headers."""
        sp, mvpd = call.request.values.get("requestor_id"), call.request.values.get("mvpd_id")
        provider = self.settings.providers.get(mvpd)
        if sp not in self.settings.service_providers or provider is None or not provider.temp_pass:
            return Response(400)
        if not call.client.covers(sp):
            return Response(403)
        for each in (name, base64_name(name)) if name else (None,):
            if each or name is None:
                self.core.temp_passes.reset(sp, mvpd, kind, each)
        return Response(204)
