"""Profiles (6): logins, and views of them for other devices with the same identity."""

import base64
import hashlib

from errors import Refusal


class Profile:
    """A login. `owner` is (client, device, service provider); `linked` has the identities that share it."""

    def __init__(self, number, owner, mvpd, user, kind, begins, ends):
        self.number, self.owner, self.mvpd, self.user, self.type = number, owner, mvpd, user, kind
        self.not_before, self.not_after = begins, ends
        self.has_ended, self.is_invalidated, self.is_lost = False, False, False
        self.logged_out_at = None
        self.linked, self.left_by = {}, set()
        self.decisions = {}  # what the provider permitted, by resource


class Profiles:
    def __init__(self, settings, clock, faults):
        self.settings, self.clock, self.faults = settings, clock, faults
        self.regular, self.partner, self.by_identity, self.seen = {}, {}, {}, {}
        self.count, self.users = 0, []

    # Logins

    def sign_in(self, owner, provider, user, identity=None):
        """Saves a login. It replaces the device's older login at the same provider."""
        shown = user
        if self.users and self.faults.activates("wrong-user"):
            shown = self.users[-1]
        self.users = [each for each in self.users if each != user][-9:] + [user]
        profile = self.new(owner, provider, shown, "regular")
        previous = self.regular.get((owner, provider.id))
        if previous:
            previous.has_ended = True
        self.regular[owner, provider.id] = profile
        self.link(profile, provider, identity)
        return profile

    def sign_in_by_partner(self, owner, provider, user):
        profile = self.new(owner, provider, user, "appleSSO")
        self.partner[owner, provider.id] = profile
        return profile

    def new(self, owner, provider, user, kind):
        self.count += 1
        now = self.clock.now()
        return Profile(self.count, owner, provider.id, user, kind, now, now + self.settings.profile_life)

    def link(self, profile, provider, identity):
        """Shares a login under an identity. The first identity of each kind stays for the profile's life."""
        if identity is None or not provider.single_sign_on or identity.kind in profile.linked:
            return
        profile.linked[identity.kind] = identity
        place = (identity.key, profile.owner[2], provider.id)
        self.by_identity[place] = [each for each in self.by_identity.get(place, []) if not each.has_ended] + [profile]

    def link_own(self, owner, identity):
        """Shares the device's logins under an identity that it sends for the first time (B48)."""
        for provider in self.settings.providers.values():
            profile = self.regular.get((owner, provider.id))
            if profile and self.lives(profile):
                self.link(profile, provider, identity)

    # Look-ups

    def lives(self, profile):
        if profile.is_invalidated or profile.is_lost:
            return False
        if profile.has_ended:
            return self.is_behind(profile)
        return self.clock.now() < profile.not_after or self.faults.activates("expired-profile-served")

    def is_behind(self, profile):
        """Whether a replica that has not seen the logout answers."""
        since = self.clock.now() - (profile.logged_out_at or 0)
        return since < self.faults.window and self.faults.activates("late-logout")

    def own(self, owner, mvpd):
        profile = self.regular.get((owner, mvpd))
        return profile if profile and self.lives(profile) else None

    def by_partner(self, owner, provider, status):
        """The Apple profile. It is visible only with a valid status for the same provider (B55)."""
        profile = self.partner.get((owner, provider.id))
        if profile is None or not self.lives(profile):
            return None
        may_see = status is not None and status.is_valid and status.mapping_id == provider.mapping_id
        return profile if may_see or self.faults.activates("partner-gate-open") else None

    def shared(self, owner, provider, identity):
        """The newest valid login of another device or application under this identity."""
        if identity is None or not provider.single_sign_on:
            return None
        seen = [profile for profile in self.under(identity, owner[2], provider.id)
                if profile.owner != owner and owner not in profile.left_by and self.lives(profile)]
        newest = max(seen, key=lambda profile: profile.number, default=None)
        if newest:
            self.seen.setdefault((owner, provider.id), set()).add(newest)
        return newest

    def under(self, identity, sp, mvpd):
        leaks = "foreign-service-token" if identity.profile_type == "serviceTokenSSO" else "platform-identity-leak"
        if not self.faults.activates(leaks):
            return self.by_identity.get((identity.key, sp, mvpd), [])
        return [profile for (key, *place), profiles in self.by_identity.items()
                if place == [sp, mvpd] and key[:2] == identity.key[:2] for profile in profiles]

    def visible(self, owner, provider, identity=None, status=None):
        """The profile and its type for one provider: regular first, then shared, then Apple's (B32)."""
        profile = self.own(owner, provider.id)
        if profile:
            return profile, profile.type
        profile = self.shared(owner, provider, identity)
        if profile:
            return profile, identity.profile_type
        profile = self.by_partner(owner, provider, status)
        return (profile, profile.type) if profile else (None, None)

    def newest_of_any_provider(self, owner):
        own = [self.own(owner, mvpd) for mvpd in self.settings.providers]
        return max(filter(None, own), key=lambda profile: profile.number, default=None)

    def missing(self, owner, mvpd):
        """The refusal of a decision for a device without a valid profile."""
        left = [profile for profile in (self.regular.get((owner, mvpd)), self.partner.get((owner, mvpd)))
                if profile and not profile.has_ended]
        if any(profile.is_invalidated for profile in left):
            return Refusal("authenticated_profile_invalidated")
        if any(profile.not_after <= self.clock.now() for profile in left):
            return Refusal("authenticated_profile_expired")
        return Refusal("authenticated_profile_missing")

    # Answers

    def shown(self, profile, kind):
        if self.faults.activates("profile-prolonged"):
            profile.not_after = self.clock.now() + self.settings.profile_life
        value = {"notBefore": profile.not_before, "notAfter": profile.not_after,
                 "issuer": "Apple" if kind == "appleSSO" else profile.mvpd, "type": kind,
                 "attributes": self.attributes(profile, kind)}
        if self.faults.activates("lost-profile"):
            profile.is_lost = True
        return value

    @staticmethod
    def attributes(profile, kind):
        seal = hashlib.sha256(profile.user.encode())
        attributes = {"userID": plain(profile.user), "upstreamUserID": plain("up-" + seal.hexdigest()[:12]),
                      "householdID": plain("h-" + seal.hexdigest()[12:24]),
                      "zip": {"value": base64.b64encode(seal.digest() * 8).decode(), "state": "enc"},
                      "maxRating": plain({"MPAA": "PG-13", "VCHIP": "TV-Y"}),
                      "channelID": plain(["c1", "c2"])}
        if kind != "regular":
            attributes["mvpd"] = plain(profile.mvpd)
        return attributes

    # Ends

    def log_out(self, owner, provider, identity):
        """Ends the profiles that the device sees for the provider. Returns their types."""
        own = [profile for profile in (self.own(owner, provider.id),
                                       self.partner.get((owner, provider.id)))
               if profile and self.lives(profile)]
        shared = self.sharing(owner, provider, identity)
        ended = {profile.type if profile.owner == owner else "shared" for profile in own + shared}
        for profile in own + shared:
            profile.has_ended, profile.logged_out_at = True, self.clock.now()
        return ended | self.leave(owner, provider, identity)

    def sharing(self, owner, provider, identity):
        """The logins that a logout with this identity ends: all under it (8.2, step 9)."""
        if identity is None:
            return []
        sharing = [profile for profile in self.by_identity.get((identity.key, owner[2], provider.id), [])
                   if self.lives(profile)]
        if self.faults.activates("partial-single-logout"):
            return [profile for profile in sharing if profile.owner == owner]
        return sharing

    def leave(self, owner, provider, identity):
        """A logout without the identity hides a shared profile from this device only (B47)."""
        if identity is not None:
            return set()
        viewed = [profile for profile in self.seen.pop((owner, provider.id), ()) if self.lives(profile)]
        for profile in viewed:
            profile.left_by.add(owner)
        return {"shared"} if viewed else set()

    def log_out_everywhere(self, owner):
        for mvpd in self.settings.providers:
            profile = self.regular.get((owner, mvpd))
            if profile:
                profile.has_ended = True

    def invalidate(self, mvpd, device=None):
        """The provider has ended its session, so the profiles that depend on it are no longer valid."""
        for (owner, name), profile in [*self.regular.items(), *self.partner.items()]:
            if name == mvpd and device in (None, owner[1]):
                profile.is_invalidated = True


def plain(value):
    return {"value": value, "state": "plain"}
