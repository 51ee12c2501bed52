"""The settings of the service: providers, lives, limits."""

from errors import Refusal



class Provider:
    """A pay-TV provider or a TempPass."""

    def __init__(self, name, temp_pass=None):
        self.id, self.temp_pass = name, temp_pass  # temp_pass: None, "basic" or "promotional"
        self.integrated = True
        self.single_sign_on = temp_pass is None
        self.boarding = "SUPPORTED"
        self.has_logout, self.posts_form = True, False

    @property
    def mapping_id(self):
        return "mso-" + self.id

    def listed(self, origin):
        """Its entry in the configuration. Flags that are false are left out (14.3)."""
        entry = {"id": self.id, "displayName": self.id, "logoUrl": f"{origin}/logo/{self.id}.png"}
        if self.temp_pass:
            return {**entry, "isTempPass": True}
        if self.single_sign_on:
            entry.update(enablePlatformServices=True, displayInPlatformPicker=True,
                         boardingStatus=self.boarding, platformMappingId=self.mapping_id)
        return entry


class Settings:
    """Lives are in milliseconds, except the bearer's, which the protocol gives in seconds."""

    def __init__(self, options, more_providers=()):
        self.service_providers = options.service_provider or ["DEMOTV"]
        self.domains = [domain.lower() for domain in options.domain or ["demo.test"]]
        self.providers = self.known_providers(options, more_providers)
        self.code_life = int(options.code_life * 1000)
        self.profile_life = int(options.profile_life * 1000)
        self.token_life = int(options.token_life * 1000)
        self.decision_life = int(options.decision_life * 1000)
        self.trial_life = int(options.trial_life * 1000)
        self.bearer_life = int(options.bearer_life)
        self.trial_resources = options.trial_resources
        self.preauthorize_limit, self.authorize_limit = options.preauthorize_limit, options.authorize_limit
        self.denied, self.ungated = dict(options.deny), set(options.ungated or ["ungated"])
        self.strict, self.refuses_old_codes = options.strict, options.code_after_expiry == "refuse"
        self.rate, self.burst = options.rate, options.burst
        self.shape = options.shape

    @staticmethod
    def known_providers(options, more):
        names = (options.mvpd or [f"demo-{number}" for number in range(1, 10)]) + list(more)
        known = {name: Provider(name) for name in names}
        known.update({name: Provider(name, "basic") for name in options.temp_pass or ["TempPass"]})
        known.update({name: Provider(name, "promotional") for name in options.promotional or ["TempPassPromo"]})

        def change(names, attribute, value):
            for name in names:
                setattr(known.setdefault(name, Provider(name)), attribute, value)

        change(options.not_integrated, "integrated", False)
        change(options.no_sso, "single_sign_on", False)
        change(options.picker, "boarding", "PICKER")
        change(options.no_logout, "has_logout", False)
        change(options.form, "posts_form", True)
        return known

    def provider(self, name):
        """The provider with this name. Refuses unknown ones, and ones that are not integrated."""
        provider = self.providers.get(name)
        if provider is None:
            raise Refusal("invalid_parameter_mvpd")
        if not provider.integrated:
            raise Refusal("invalid_integration")
        return provider

    def provider_of_mapping(self, mapping_id):
        return next((each for each in self.providers.values()
                     if each.temp_pass is None and each.mapping_id == mapping_id), None)

    def has_domain(self, host):
        host = host.lower()
        return any(host == domain or host.endswith("." + domain) for domain in self.domains)
