extension OperationName {
    /// Devices send it in REST V1 (rest-v1.md § 2).
    public var isOfV1: Bool {
        switch self {
        case .createSession, .resumeSession, .sessionByCode, .profiles, .profilesByMVPD,
            .profilesByCode, .partnerRequest, .ssoProfile:
            false
        default: !isOfConnection && !isOfDeviceGrant
        }
    }

    /// Devices send it in REST V2 (rest-v2.md § 2).
    public var isOfV2: Bool {
        switch self {
        case .registerClient, .accessToken, .configuration, .authenticate, .mvpdLogin, .assertion,
            .preauthorize, .authorize, .logout, .mvpdLogout:
            true
        default: !isOfV1 && !isOfConnection && !isOfDeviceGrant
        }
    }

    /// Of the OAuth device grant, and of no other protocol (RFC 8628).
    private var isOfDeviceGrant: Bool {
        switch self {
        case .serverMetadata, .deviceAuthorization, .verificationPage, .approval, .refusal,
            .deviceToken, .refreshToken, .userinfo, .revocation:
            true
        default: isOfOtherClient
        }
    }

    /// Another app of the rig shows what was issued to the TV's, to be turned down.
    public var isOfOtherClient: Bool {
        self == .otherClientToken || self == .otherClientRefresh || self == .otherClientRevocation
    }

    /// Devices and browsers send it in the OAuth device grant. Pages of a login are pages of a login.
    public var isInDeviceGrant: Bool { isOfDeviceGrant || self == .mvpdLogin }

    /// What the OAuth device grant has in the place of an operation of REST V1; empty where it has
    /// nothing.
    public var counterpartsInDeviceGrant: [OperationName] {
        switch self {
        case _ where isInDeviceGrant: [self]
        case .configuration: [.serverMetadata]
        case .registrationCode: [.deviceAuthorization]
        case .authenticate: [.verificationPage]
        case .assertion: [.approval]
        case .pollToken: [.deviceToken]
        case .userMetadata: [.userinfo]
        case .logout: [.revocation]
        default: []
        }
    }

    /// What REST V2 has in the place of an operation of V1; empty where it has nothing
    /// (rest-v2.md § 16.1).
    ///
    /// The first is what takes its place everywhere, the others in some flows only.
    public var counterpartsInV2: [OperationName] {
        switch self {
        case _ where isOfV2: [self]
        case .checkAuthentication: [.profiles, .profilesByMVPD]
        case .registrationCode: [.createSession]
        case .registrationRecord: [.resumeSession, .sessionByCode]
        case .pollToken, .checkCode: [.profilesByCode]
        case .profileRequest: [.partnerRequest]
        case .tokenExchange: [.ssoProfile]
        case .preauthorizeCode: [.preauthorize]
        case .mediaToken: [.authorize]
        default: []
        }
    }
}
