"""Degradation (10): rules that replace a provider's answers until they end."""

import hashlib

AUTHN_ALL, AUTHZ_ALL, AUTHZ_NONE = "AuthNAll", "AuthZAll", "AuthZNone"
KINDS = (AUTHN_ALL, AUTHZ_ALL, AUTHZ_NONE)
PROFILE_WINDOW = 60_000  # as in the samples


class Rule:
    def __init__(self, sp, mvpd, kind, until, message=None):
        self.sp, self.mvpd, self.kind, self.until, self.message = sp, mvpd, kind, until, message


class Degradation:
    def __init__(self, clock, faults):
        self.clock, self.faults, self.rules = clock, faults, []

    def order(self, rule):
        """Adds a rule. It replaces an older one of the same kind for the same integration."""
        same = (rule.sp, rule.mvpd, rule.kind)
        self.rules = [each for each in self.rules if (each.sp, each.mvpd, each.kind) != same] + [rule]

    def standing(self, sp, mvpd, *kinds):
        """The active rule of one of these kinds. If several are active, the kind named first wins."""
        for kind in kinds:
            for rule in self.rules:
                if rule.mvpd == mvpd and rule.kind == kind and rule.sp in (None, sp) and self.holds(rule):
                    return rule
        return None

    def holds(self, rule):
        late = self.clock.now() - rule.until
        return late < 0 or (late < self.faults.window and self.faults.activates("degradation-outlives-rule"))

    def profile(self, rule, owner):
        """A profile for this answer only. It is not stored, so nothing is left of it after the rule's end."""
        now = self.clock.now()
        user = "95cf93bcd183214a" + hashlib.sha256("\0".join((*owner, rule.mvpd)).encode()).hexdigest()[:24]
        return {"notBefore": now, "notAfter": max(min(now + PROFILE_WINDOW, rule.until), now + 1),
                "issuer": "Adobe", "type": "degraded",
                "attributes": {"userID": {"value": user, "state": "plain"}}}
