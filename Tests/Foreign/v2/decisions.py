"""Decisions (7): Z1 and Z2. A permit of Z2 carries the media token."""

import base64
import json

from degradation import AUTHN_ALL, AUTHZ_ALL, AUTHZ_NONE
from errors import Refusal, enhanced
from headers import PartnerStatus
from temppass import BAD_IDENTITY, Visitor


class Decisions:
    def __init__(self, core):
        self.core, self.clock, self.faults, self.settings = core, core.clock, core.faults, core.settings
        self.given, self.last_of = {}, {}  # earlier media tokens, for the faults that hand them out again

    def preauthorize(self, call, mvpd):
        """Z1 hands out no token and has no effect. It leaves out resources that no provider gates (18)."""
        wanted, decide = self.prepared(call, mvpd, self.settings.preauthorize_limit, is_final=False)
        return {"decisions": [decide(resource) for resource in wanted if resource not in self.settings.ungated]}

    def authorize(self, call, mvpd):
        """Z2 hands out a new media token with each permit."""
        wanted, decide = self.prepared(call, mvpd, self.settings.authorize_limit, is_final=True)
        return {"decisions": [self.with_token(call, mvpd, decide(resource)) for resource in wanted]}

    def prepared(self, call, mvpd, limit, is_final):
        """Checks the request. Returns its resources and the function that decides on one of them."""
        wanted = resources(call.request)
        provider = self.settings.provider(mvpd)
        if len(wanted) > limit:
            raise Refusal("too_many_resources")
        return wanted, self.judge(call, provider, wanted, is_final)

    def judge(self, call, provider, wanted, is_final):
        """A degradation rule decides first, then a TempPass, then the provider for the device's profile (7)."""
        empty = {"serviceProvider": call.sp, "mvpd": provider.id}
        rule = self.core.degradation.standing(call.sp, provider.id, AUTHZ_NONE, AUTHN_ALL, AUTHZ_ALL)
        if rule:
            return lambda resource: self.by_rule({"resource": resource, **empty}, rule, is_final)
        if provider.temp_pass:
            visit = self.visit(call, provider, is_final)
            return lambda resource: self.by_temp_pass({"resource": resource, **empty}, *visit, is_final)
        profile = self.profile(call, provider, wanted)
        return lambda resource: self.by_provider({"resource": resource, **empty}, profile, is_final)

    def profile(self, call, provider, wanted):
        identity = self.core.identities.of(call.headers, call.device)
        self.core.profiles.link_own(call.owner, identity)
        status = PartnerStatus(call.headers.get("ap-partner-framework-status"), self.clock.now())
        profile, _ = self.core.profiles.visible(call.owner, provider, identity, status)
        if profile is None and self.faults.activates("wrong-provider-profile"):
            profile = self.core.profiles.newest_of_any_provider(call.owner)
        if profile is None:
            profile = self.remembered(call, provider, wanted)
        if profile is None:
            raise self.core.profiles.missing(call.owner, provider.id)
        return profile

    def remembered(self, call, provider, wanted):
        """A profile that was logged out but whose permits are still in the cache."""
        profile = self.core.profiles.regular.get((call.owner, provider.id))
        stale = profile and profile.has_ended and all(each in profile.decisions for each in wanted)
        return profile if stale and self.faults.activates("stale-decision") else None

    # Who decides

    def by_rule(self, item, rule, is_final):
        item["source"] = "degradation"
        if rule.kind == AUTHZ_NONE:
            return denied(item, "authorization_denied_by_degradation_rule", rule.message)
        times = self.window(self.settings.token_life) if is_final and rule.kind == AUTHN_ALL else {}
        return {**item, "authorized": True, **times}

    def visit(self, call, provider, is_final):
        """The visitor, and the code that refuses every resource, or None."""
        _, identity = self.core.temp_passes.identity(call.request)
        bad = is_final and provider.temp_pass == "promotional" and identity is None
        return Visitor(call.sp, provider, call.device, identity), BAD_IDENTITY if bad else None

    def by_temp_pass(self, item, visitor, refused, is_final):
        item["source"] = "temppass"
        refused = refused or self.core.temp_passes.refusal(visitor, item["resource"])
        if refused:
            return denied(item, refused)
        if is_final or self.faults.activates("preauthorize-spends"):
            self.core.temp_passes.spend(visitor, item["resource"])
        if not is_final:
            return {**item, "authorized": True}
        end = self.core.temp_passes.end(visitor)
        return {**item, "authorized": True, **self.window(self.settings.decision_life, end)}

    def by_provider(self, item, profile, is_final):
        item["source"] = "mvpd"
        resource = item["resource"]
        code = self.settings.denied.get(resource.strip())
        if code:
            if code == "authorization_denied_by_mvpd" and not is_final:
                code = "preauthorization_denied_by_mvpd"
            times = self.window(self.settings.decision_life) if is_final else {}
            details = "Not in your package." if code.endswith("_denied_by_mvpd") else None
            return {**denied(item, code, details), **times}
        if not is_final:
            return {**item, "authorized": True}
        return {**item, "authorized": True, **self.permitted(profile, resource)}

    def permitted(self, profile, resource):
        """The service caches the provider's permit. The permit never outlives the profile."""
        kept = profile.decisions.get(resource)
        now = self.clock.now()
        if kept is None or kept["notAfter"] <= now:
            end = profile.not_after if profile.not_after > now else None
            kept = profile.decisions[resource] = self.window(self.settings.decision_life, end)
        return kept

    def window(self, life, end=None):
        """From now on for a life, but no longer than an end. The clock is read once, so that the end is exact."""
        now = self.clock.now()
        last = now + life if end is None else min(now + life, end)
        return {"notBefore": now, "notAfter": max(last, now + 1)}

    # Media tokens

    def with_token(self, call, mvpd, item):
        if not item["authorized"]:
            return item
        token = self.repeated(call, item) or self.mint(mvpd, item)
        self.given[call.owner, mvpd, item["resource"]] = token
        self.last_of[call.sp, item["resource"]] = (call.owner, token)
        return {**item, "token": token}

    def repeated(self, call, item):
        """An earlier token, if a fault hands it out again."""
        owner, other = self.last_of.get((call.sp, item["resource"]), (None, None))
        if other and owner != call.owner and self.faults.activates("foreign-media-token"):
            return other
        own = self.given.get((call.owner, item["mvpd"], item["resource"]))
        return own if own and self.faults.activates("media-token-repeat") else None

    def mint(self, mvpd, item):
        """A token for a single playback."""
        now = self.clock.now()
        ends = min(now + self.settings.token_life, item.get("notAfter", now + self.settings.token_life))
        inside = (f"<signatureInfo>{base64.b64encode(self.core.clients.bytes(96)).decode()}</signatureInfo>"
                  f"<shortAuthorizationToken><sessionGUID>{self.core.clients.unique()}</sessionGUID>"
                  f"<requestorID>{item['serviceProvider']}</requestorID><ttl>{ends - now}</ttl>"
                  f"<issueTime>{now}</issueTime><mvpdId>{mvpd}</mvpdId></shortAuthorizationToken>")
        return {"notBefore": now, "notAfter": ends,
                "serializedToken": base64.b64encode(inside.encode()).decode()}


def resources(request):
    try:
        wanted = json.loads(request.body)["resources"]
    except (ValueError, KeyError, TypeError):
        raise Refusal("invalid_parameter_resources") from None
    if not isinstance(wanted, list) or not wanted or not all(isinstance(each, str) and each for each in wanted):
        raise Refusal("invalid_parameter_resources")
    return wanted


def denied(item, code, details=None):
    return {**item, "authorized": False, "error": enhanced(code, details)}
