"""Partner single sign-on (8.3): X1 returns the request for the platform, X2 takes the platform's response."""

import base64
import hashlib
import re
import time

from accounts import opaque
from degradation import AUTHN_ALL
from errors import Refusal
from headers import PartnerStatus, base64_text
from sessions import quoted

ATTRIBUTES = ["userID", "householdID"]
REQUEST_LIFE = 300


class Partner:
    def __init__(self, core):
        self.core, self.clock, self.settings, self.profiles = core, core.clock, core.settings, core.profiles
        self.consumed = set()

    def request(self, call, partner):
        """X1. The partner status names the provider. The form is needed only for the fallback."""
        check_partner(partner)
        sessions = self.core.sessions
        form = {name: value for name, value in call.form.items() if name != "mvpd"}
        values, status, provider = sessions.checked(form), *self.status(call)
        if provider and not provider.integrated:
            raise Refusal("invalid_integration")
        reason = provider and self.reason(call.owner, provider, status)
        if reason:
            return sessions.authorize(call.sp, provider.id, reason, self.core.clients.unique())
        if provider:
            values["mvpd"] = provider.id
        fallback = self.fallback(values, status, provider)
        if fallback:
            return sessions.next_step(sessions.open(call, values), "resume", fallback)
        return self.partner_profile(call, provider)

    def profile(self, call, partner):
        """X2. Returns the profiles and the HTTP status; the profile is degraded while AuthNAll is active."""
        check_partner(partner)
        text = saml_text(call.form.get("SAMLResponse", ""))
        status, provider = self.status(call)
        check_status(status, provider)
        if not provider.integrated:
            raise Refusal("invalid_integration")
        named = self.settings.provider_of_mapping(issuer(text)) or self.settings.providers.get(issuer(text))
        if named and named is not provider:
            raise Refusal("invalid_header_pfs_provider_id_mismatch")
        rule = self.core.degradation.standing(call.sp, provider.id, AUTHN_ALL)
        if rule:
            return {"profiles": {provider.id: self.core.degradation.profile(rule, call.owner)}}, 200
        if not provider.single_sign_on:
            raise Refusal("invalid_configuration_platform_services")
        if provider.boarding != "SUPPORTED":
            raise Refusal("invalid_configuration_mvpd_platform_boarding_status")
        profile = self.profiles.sign_in_by_partner(call.owner, provider, self.user(provider, text))
        return {"profiles": {provider.id: self.profiles.shown(profile, profile.type)}}, 201

    def status(self, call):
        """The partner status and its provider, which a denied or expired status may name, too (B7)."""
        status = PartnerStatus(call.headers.get("ap-partner-framework-status"), self.clock.now())
        return status, self.settings.provider_of_mapping(status.mapping_id)

    def reason(self, owner, provider, status):
        known = self.core.sessions.reason(owner, provider.id)
        if known is None and self.profiles.by_partner(owner, provider, status):
            return "authenticatedSSO"
        return known

    @staticmethod
    def fallback(values, status, provider):
        if "domainName" not in values or "redirectUrl" not in values:
            return "missing_parameters_fallback"
        if not status.is_valid or provider is None:
            return "pfs_fallback"
        if not provider.single_sign_on or provider.boarding != "SUPPORTED":
            return "configuration_fallback"
        return None

    def partner_profile(self, call, provider):
        now = self.clock.now() / 1000
        query = (f'<samlp:AttributeQuery xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" '
                 f'ID="_{self.core.clients.hexadecimal(16)}" Version="2.0" IssueInstant="{instant(now)}" '
                 f'NotOnOrAfter="{instant(now + REQUEST_LIFE)}" Destination="{provider.mapping_id}"/>')
        return {"actionName": "partner_profile", "actionType": "direct", "reasonType": "none",
                "url": f"/api/v2/{quoted(call.sp)}/profiles/sso/Apple",
                "sessionId": self.core.clients.unique(), "mvpd": provider.id, "serviceProvider": call.sp,
                "authenticationRequest": {"type": "saml", "request": base64.b64encode(query.encode()).decode(),
                                          "attributesNames": ATTRIBUTES}}

    def user(self, provider, text):
        """The user in the platform's response. Each response can be used only once."""
        seal = hashlib.sha256(text.encode()).digest()
        if seal in self.consumed:
            raise Refusal("invalid_parameter_saml_response")
        self.consumed.add(seal)
        subject = re.search(r"<(?:\w+:)?NameID\b[^>]*>\s*([^<]+?)\s*<", text)
        return opaque(provider.id, subject.group(1) if subject else seal.hex())


def check_partner(name):
    if name != "Apple":
        raise Refusal("invalid_parameter_partner")


def check_status(status, provider):
    if status.access not in ("granted", "denied", "restricted", "notDetermined"):
        raise Refusal("invalid_header_pfs_permission_access_not_present")
    if status.access == "notDetermined":
        raise Refusal("invalid_header_pfs_permission_access_not_determined")
    if not status.is_granted:
        raise Refusal("invalid_header_pfs_permission_access_not_granted")
    if provider is None:
        raise Refusal("invalid_header_pfs_provider_id_not_determined")
    if status.expired:
        raise Refusal("invalid_header_pfs_provider_info_expired")


def saml_text(sent):
    """The text of the response. Base64 that was percent-encoded twice or not at all does not decode."""
    text = base64_text(sent)
    if not text or not text.lstrip().startswith("<"):
        raise Refusal("invalid_parameter_saml_response")
    return text


def issuer(text):
    found = re.search(r"<(?:\w+:)?Issuer\b[^>]*>\s*([^<]+?)\s*<", text)
    return found.group(1) if found else None


def instant(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
