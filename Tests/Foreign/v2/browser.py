"""The browser's part (5.4, 9): from a code to the provider's login page and back, and the redirects of a logout."""

from urllib.parse import quote, urlencode

import login
from errors import Refusal, UnusableSession


class Browser:
    def __init__(self, core, accounts, answers):
        self.core, self.sessions, self.answers = core, core.sessions, answers
        self.idp = login.Provider(accounts, answers)
        self.flows = {}  # by RelayState: the state travels in the URL, so no cookie is needed (18)

    def authenticate(self, call, code):
        """A: redirects straight to the provider, or answers a form that posts itself there. Both were observed (18)."""
        try:
            if call.sp not in self.core.settings.service_providers:
                raise UnusableSession
            session = self.sessions.usable(call.sp, code)
            provider = self.core.settings.provider(session.values.get("mvpd"))
        except Refusal:
            raise UnusableSession from None
        if session.missing:
            raise UnusableSession
        flow = login.Flow(session, provider.id, session.values["redirectUrl"])
        session.flow = self.flows[flow.relay] = flow
        return login.hop_two(self.answers, "form" if provider.posts_form else "redirect", call.request, flow)

    def provider_entry(self, call, mvpd):
        return self.idp.entry(call.request, mvpd)

    def provider_login(self, call, mvpd):
        return self.idp.login(call.request, mvpd, self.lead_back)

    def lead_back(self, request, assertion, relay):
        """How the browser of a viewer who signed in gets back: a form, unless --shape says another way."""
        shape = self.core.settings.shape
        if shape == "hosted":
            return login.detour(self.answers, self.finish(assertion, relay))
        if shape == "hops":
            return self.answers.redirect("/sp/landing?" + urlencode({"ticket": assertion, "back": relay}))
        if shape == "page":
            return login.last_page(self.answers, self.finish(assertion, relay))
        return self.idp.post_back(request, assertion, relay)

    def land(self, call):
        values = call.request.values
        return login.detour(self.answers, self.finish(values.get("ticket", ""), values.get("back", "")))

    def establish(self, call):
        return login.pause(self.answers, "/sp/session/done", call.request.values.get("to", "/"))

    def leave(self, call):
        return self.answers.redirect(call.request.values.get("to", "/"))

    def consume(self, call):
        """Takes the provider's assertion. The redirect does not tell whether the login counted (5.4)."""
        if not call.form.get("SAMLResponse"):
            return self.answers.page("Error", "<p>No SAML message.</p>", status=503)
        return self.finish(call.form["SAMLResponse"], call.form.get("RelayState", ""), call)

    def finish(self, assertion, relay, call=None):
        flow = self.flows.get(relay)
        if flow is None:
            raise UnusableSession
        session = flow.code
        if call:
            call.code = session.code
        accepted = self.idp.accepted(assertion)
        if accepted and accepted[0] == flow.mvpd and accepted[2] == flow.request and self.may_sign_in(flow):
            self.sign_in(session, flow.mvpd, accepted[1])
        return self.answers.redirect(flow.redirect)

    def may_sign_in(self, flow):
        """If several browsers opened the code, only the login of the last one counts (5.5)."""
        session = flow.code
        try:
            return self.sessions.usable(session.sp, session.code) is session and session.flow is flow
        except Refusal:
            return False

    def sign_in(self, session, mvpd, user):
        """The provider whose login finished becomes the session's provider (B44)."""
        session.values["mvpd"], session.is_complete = mvpd, True
        provider = self.core.settings.providers[mvpd]
        session.signed_in_at = self.core.clock.now()
        self.core.profiles.sign_in(session.owner, provider, user, session.identity)

    def logout_hop(self, call, mvpd=None):
        """Redirects to the provider, which ends its own session, and from there to the application."""
        target = call.request.values.get("redirect_url", "/")
        chosen = call.request.values.get("mso_id")
        if mvpd is None and chosen in self.core.settings.providers:
            target = (f"{call.request.origin}/idp/{quote(chosen, safe='')}/logout?"
                      + urlencode({"redirect_url": target}))
        return self.answers.redirect(target)
