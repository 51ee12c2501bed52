"""The operations that show profiles, and the one that ends them: P1, P2, P3 and L (6, 9)."""

from urllib.parse import urlencode

from degradation import AUTHN_ALL
from errors import Refusal
from headers import PartnerStatus
from sessions import check_redirect
from temppass import BAD_IDENTITY, Visitor


class Views:
    def __init__(self, core):
        self.core, self.profiles, self.faults = core, core.profiles, core.faults

    def all(self, call):
        """P1 lists all profiles, but no degraded or temporary access (B10)."""
        identity, status = self.seen_by(call)
        found = {}
        for provider in self.core.settings.providers.values():
            profile, kind = self.profiles.visible(call.owner, provider, identity, status)
            if provider.integrated and profile:
                found[provider.id] = self.profiles.shown(profile, kind)
        if self.faults.activates("views-differ"):
            for value in found.values():
                value["notAfter"] -= value["notAfter"] % 3_600_000
        return {"profiles": found}

    def by_mvpd(self, call, mvpd):
        """P2 shows the profile for one provider."""
        identity, status = self.seen_by(call)
        provider = self.core.settings.provider(mvpd)
        special = self.without_login(call, call.owner, provider)
        if special:
            return {"profiles": {mvpd: special}}
        if self.faults.activates("wrong-provider-profile"):
            return self.newest(call.owner)
        profile, kind = self.profiles.visible(call.owner, provider, identity, status)
        return {"profiles": {mvpd: self.profiles.shown(profile, kind)} if profile else {}}

    def by_code(self, call, code):
        """P3 shows the regular profile of the session's device to either screen."""
        session = self.session(call, code)
        mvpd = session.values.get("mvpd")
        if not mvpd:
            return {"profiles": {}}
        provider = self.core.settings.provider(mvpd)
        special = self.without_login(call, session.owner, provider, is_session=True)
        if special:
            return {"profiles": {mvpd: special}}
        if not session.is_complete or self.is_behind(session):
            return {"profiles": {}}
        if self.faults.activates("wrong-provider-profile"):
            return self.newest(session.owner)
        profile = self.profiles.own(session.owner, mvpd)
        if profile is None and self.core.clock.now() >= session.not_after:
            raise Refusal("invalid_authentication_session")
        return {"profiles": {mvpd: self.profiles.shown(profile, "regular")} if profile else {}}

    def seen_by(self, call):
        """The identity and the partner status of a call."""
        identity = self.core.identities.of(call.headers, call.device)
        self.profiles.link_own(call.owner, identity)
        return identity, PartnerStatus(call.headers.get("ap-partner-framework-status"), self.core.clock.now())

    def session(self, call, code):
        """The session of a code. Expired but completed codes still work, unless the policy refuses them (B24)."""
        session = self.core.sessions.found(call.sp, code)
        over = self.core.clock.now() >= session.not_after
        if over and (not session.is_complete or self.core.settings.refuses_old_codes):
            raise Refusal("invalid_authentication_session")
        return session

    def is_behind(self, session):
        since = self.core.clock.now() - session.signed_in_at
        return since < self.faults.window and self.faults.activates("late-profile")

    def newest(self, owner):
        profile = self.profiles.newest_of_any_provider(owner)
        return {"profiles": {profile.mvpd: self.profiles.shown(profile, "regular")} if profile else {}}

    def without_login(self, call, owner, provider, is_session=False):
        """A degraded or temporary profile; None if a login is needed."""
        rule = self.core.degradation.standing(owner[2], provider.id, AUTHN_ALL)
        if rule:
            return self.core.degradation.profile(rule, owner)
        if not provider.temp_pass:
            return None
        present, identity = self.core.temp_passes.identity(call.request)
        if provider.temp_pass == "promotional" and identity is None:
            if is_session and not present:  # a phone does not know the identity (B51)
                return None
            raise Refusal(BAD_IDENTITY)
        return self.core.temp_passes.profile(Visitor(owner[2], provider, owner[1], identity))

    # Logout

    def log_out(self, call, mvpd):
        """L ends the profile at once. The answer says how the client ends the provider's own session."""
        redirect = call.request.values.get("redirectUrl", "")
        check_redirect(redirect, self.core.settings)
        provider = self.core.settings.provider(mvpd)
        identity = self.core.identities.of(call.headers, call.device)
        ended = self.profiles.log_out(call.owner, provider, identity)
        if ended and self.faults.activates("logout-all-providers"):
            self.profiles.log_out_everywhere(call.owner)
        if provider.temp_pass and self.faults.activates("temppass-refill"):
            _, person = self.core.temp_passes.identity(call.request)
            self.core.temp_passes.refill(Visitor(call.sp, provider, call.device, person))
        return {"logouts": {mvpd: {"mvpd": mvpd, **self.follow_up(call, provider, ended, redirect)}}}

    def follow_up(self, call, provider, ended, redirect):
        if provider.temp_pass or self.core.degradation.standing(call.sp, provider.id, AUTHN_ALL):
            return {"actionName": "complete", "actionType": "none"}
        if not ended:
            return {"actionName": "invalid", "actionType": "none"}
        if "appleSSO" in ended:
            return {"actionName": "partner_logout", "actionType": "partner_interactive"}
        if not provider.has_logout:
            return {"actionName": "complete", "actionType": "none"}
        query = urlencode({"noflash": "true", "mso_id": provider.id, "requestor_id": call.sp,
                           "redirect_url": redirect})
        origin = call.request.origin if "regular" in ended else ""  # relative in the samples of single sign-on (9)
        return {"actionName": "logout", "actionType": "interactive",
                "url": f"{origin}/adobe-services/logout?{query}"}
