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
            /// `requiredMetadataFields`.
            public var requiredMetadata: [String]

            public init(
                mappingID: String, boarding: Boarding = .supported, isListed: Bool = true,
                requiredMetadata: [String] = ["userID", "zip"]
            ) {
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
            proxy: String? = nil, platform: Platform? = nil
        ) {
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
