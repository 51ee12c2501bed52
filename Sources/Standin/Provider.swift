internal import Formats
internal import Journal

extension ServiceSettings {
    /// A pay-TV provider that viewers sign in with.
    public struct Provider: Hashable, Sendable {
        public var id: String
        public var displayName: String
        /// Life of its sign-ins; nil: that of the service.
        public var authenticationTTL: Duration?
        /// Life of its authorizations; nil: that of the service.
        public var authorizationTTL: Duration?
        /// Whether it tells anything about its users (U1).
        public var offersMetadata: Bool
        /// Whether it tells the postal code only to the programmer, encrypted (§ 12).
        public var encryptsZip: Bool
        /// For how long a trial lasts from its first authorization; nil: no trial (§ 10, N5).
        public var passTime: Duration?
        /// The aggregator it stands behind (`proxyMvpd`); nil: none.
        public var proxy: String?
        /// What it is to the platform's single sign-on; nil: nothing.
        public var platform: Platform?
        /// How many resources may be had within a trial; nil: any number (rest-v2.md § 11).
        public var passResources: Int?
        /// Whether its sign-ins are shared by platform identity and service token (rest-v2.md § 8.1).
        public var sharesIdentity = true
        /// Whether it can be logged out of in a browser (rest-v2.md § 9).
        public var hasLogoutPage = true
        /// What its address shows before the login page.
        public var interstitial = Interstitial.none
        /// From this time of the service on nobody is integrated with it; nil: for ever.
        public var integratedFor: Duration?

        /// A page that leads on to the login page without anybody's doing.
        public enum Interstitial: String, Sendable {
            case none
            /// By `location.href = "..."`.
            case script
            /// By `<meta http-equiv="refresh">`.
            case refresh
        }

        func isIntegrated(at now: Instant) -> Bool {
            integratedFor.map { now < .start + $0 } ?? true
        }

        /// Set up for platform single sign-on (rest-v1.md § 7, apple-sso.md § 3.5).
        public struct Platform: Hashable, Sendable {
            public enum Boarding: String, CaseIterable, Sendable {
                /// Signs in on the platform.
                case supported = "SUPPORTED"
                /// Only listed in the platform's picker.
                case picker = "PICKER"
            }

            /// The provider's id on the platform.
            public var mappingID: String
            public var boarding: Boarding
            /// `displayInPlatformPicker`.
            public var isListed: Bool
            /// `enablePlatformServices`.
            public var isEnabled: Bool
            /// From this time of the service on `enablePlatformServices` is false; nil: never.
            public var enabledFor: Duration?
            /// What it turns down although the configuration offers it; nil: nothing.
            public var refuses: Refusal?
            /// `requiredMetadataFields`.
            public var requiredMetadata: [String]

            /// S1 or S2.
            public enum Refusal: String, CaseIterable, Sendable {
                case profileRequest = "profile-request"
                case tokenExchange = "token-exchange"
            }

            /// Whether sign-on is switched on at that time of the service.
            func isEnabled(at now: Instant) -> Bool {
                isEnabled && (enabledFor.map { now < .start + $0 } ?? true)
            }

            public init(
                mappingID: String, boarding: Boarding = .supported, isListed: Bool = true,
                isEnabled: Bool = true, enabledFor: Duration? = nil, refuses: Refusal? = nil,
                requiredMetadata: [String] = ["userID", "zip"]
            ) {
                self.isEnabled = isEnabled
                self.enabledFor = enabledFor
                self.refuses = refuses
                self.mappingID = mappingID
                self.boarding = boarding
                self.isListed = isListed
                self.requiredMetadata = requiredMetadata
            }
        }

        public init(
            id: String, displayName: String? = nil, authenticationTTL: Duration? = nil,
            authorizationTTL: Duration? = nil, offersMetadata: Bool = true,
            encryptsZip: Bool = false, passTime: Duration? = nil,
            proxy: String? = nil, platform: Platform? = nil, integratedFor: Duration? = nil
        ) {
            self.integratedFor = integratedFor
            self.id = id
            self.displayName = displayName ?? id
            self.authenticationTTL = authenticationTTL
            self.authorizationTTL = authorizationTTL
            self.offersMetadata = offersMetadata
            self.encryptsZip = encryptsZip
            self.passTime = passTime
            self.proxy = proxy
            self.platform = platform
        }

        /// A trial without a sign-in.
        public static func tempPass(
            id: String = "TempPass", lasting time: Duration = .seconds(600)
        ) -> Provider {
            Provider(id: id, displayName: "Free preview", offersMetadata: false, passTime: time)
        }

        /// Nobody signs in with a trial.
        var isTempPass: Bool { passTime != nil }
    }
}

// MARK: The configuration, of which protocols tell the same but for the platform's properties

extension ServiceSettings.Requestor {
    /// `offer` writes one provider.
    func write(
        offering providers: [ServiceSettings.Provider], to document: inout DocumentWriter,
        _ offer: (inout DocumentWriter, ServiceSettings.Provider) -> Void
    ) {
        document.object("requestor") {
            $0.text("id", id)
            $0.text("name", name)
            $0.list("domains", of: domains, as: "domain") { item, domain in
                item.text("name", domain)
                item.flag("mvpdInitiated", false)
            }
            $0.list("mvpds", of: providers, as: "mvpd", offer)
        }
    }
}

extension ServiceSettings.Provider {
    /// What is false is left out.
    func writeAsOffered(to item: inout DocumentWriter) {
        item.text("id", id)
        item.text("displayName", displayName)
        item.text("logoUrl", "https://logos.demo.test/\(PercentEncoding.encode(id)).png")
        item.flag("authPerAggregator", true)
        if isTempPass { item.flag("isTempPass", true) }
        if proxy != nil { item.flag("isProxy", true) }
    }
}
