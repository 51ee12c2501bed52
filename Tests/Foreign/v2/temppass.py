"""TempPass (11): access without a login, limited by time or by the number of resources."""

import hashlib

from errors import Refusal
from headers import base64_name

HEADER = "ap-temppass-identity"
BAD_IDENTITY = "invalid_header_identity_for_temporary_access"
BAD_SET_UP = "invalid_configuration_temporary_access"
TIME_OVER = "temporary_access_duration_limit_exceeded"
COUNT_OVER = "temporary_access_resources_limit_exceeded"


class Trial:
    """What a device or a person has used of a TempPass. It starts with the first permit."""

    def __init__(self, start=None, used=()):
        self.start, self.used = start, list(used)

    def joined(self, other):
        starts = [each.start for each in (self, other) if each.start is not None]
        more = [resource for resource in other.used if resource not in self.used]
        return Trial(min(starts) if starts else None, self.used + more)


class Visitor:
    """The keys of a trial: the device, and for a promotional TempPass also the identity."""

    def __init__(self, sp, provider, device, identity):
        self.provider = provider
        self.keys = [(sp, provider.id, "device", device)]
        if provider.temp_pass == "promotional" and identity:
            self.keys.append((sp, provider.id, "identity", identity))
        self.name = hashlib.sha1("\0".join(self.keys[0]).encode()).hexdigest()


class TempPasses:
    def __init__(self, settings, clock):
        self.settings, self.clock, self.trials = settings, clock, {}

    @staticmethod
    def identity(request):
        """Whether the header is present, and the identity in it, or None."""
        sent = request.headers.get(HEADER)
        return sent is not None, base64_name(sent or "")

    def known(self, visitor):
        return list(dict.fromkeys(self.trials[key] for key in visitor.keys if key in self.trials))

    def trial(self, visitor):
        """The trial of either key. Two trials are shown as one but stay separate until a permit (B52)."""
        known = self.known(visitor)
        return known[0].joined(known[1]) if len(known) > 1 else known[0] if known else Trial()

    def spend(self, visitor, resource):
        """Starts the trial if needed, counts the resource if it is new, and merges the trials of both keys."""
        known, trial = self.known(visitor), self.trial(visitor)
        if trial.start is None:
            trial.start = self.clock.now()
        if resource not in trial.used:
            trial.used.append(resource)
        if len(known) > 1:
            self.trials.update({key: trial for key, each in self.trials.items() if each in known})
        self.trials.update(dict.fromkeys(visitor.keys, trial))

    def refill(self, visitor):
        for key in visitor.keys:
            self.trials.pop(key, None)

    def reset(self, sp, mvpd, kind, name=None):
        """Deletes the trials of a device or a person, or all trials if no name is given."""
        for key in list(self.trials):
            if key[:2] == (sp, mvpd) and (name is None or key[2:] == (kind, name)):
                del self.trials[key]

    def remaining(self, trial):
        return max(self.settings.trial_resources - len(trial.used), 0)

    def begun(self, visitor):
        start = self.trial(visitor).start
        return self.clock.now() if start is None else start

    def end(self, visitor):
        return self.begun(visitor) + self.settings.trial_life

    def refusal(self, visitor, resource=None):
        """The code that refuses access; None while some access is left.

        A resource that was used before can be used again, even if none is left (B52)."""
        if self.settings.trial_life <= 0:
            return BAD_SET_UP
        trial = self.trial(visitor)
        if trial.start is not None and self.clock.now() >= self.end(visitor):
            return TIME_OVER
        is_counted = visitor.provider.temp_pass == "promotional"
        if is_counted and resource not in trial.used and not self.remaining(trial):
            return COUNT_OVER
        return None

    def profile(self, visitor):
        """The temporary profile. Refuses the whole call if no access is left."""
        refused = self.refusal(visitor)
        if refused:
            raise Refusal(refused)
        trial, begun = self.trial(visitor), self.begun(visitor)
        end = begun + self.settings.trial_life
        attributes = {"userID": "temppass_" + visitor.name, "expiration_date": end}
        if visitor.provider.temp_pass == "promotional":
            attributes.update(remaining_resources=self.remaining(trial), used_assets=list(trial.used))
        return {"notBefore": begun, "notAfter": end,
                "issuer": "Adobe", "type": "temporary",
                "attributes": {name: {"value": value, "state": "plain"} for name, value in attributes.items()}}
