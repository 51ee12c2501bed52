public import Dialects
internal import Formats
internal import Journal
internal import Lanes
internal import Rigs
internal import Vocabulary

/// Where devices get their word for who their user is: `Devices` signs nothing.
public struct IdentitySource: Sendable {
    /// Epoch milliseconds at instant zero, for the times in tokens.
    public var startedMilliseconds: Int64
    /// The token of a Fire OS, and of an identity service, with these claims (JSON).
    public var platformToken: @Sendable (String) -> Secret
    public var serviceToken: @Sendable (String) -> Secret
    /// SHA-256 in hexadecimal digits.
    public var digest: @Sendable (String) -> String

    public init(
        startedMilliseconds: Int64, platformToken: @escaping @Sendable (String) -> Secret,
        serviceToken: @escaping @Sendable (String) -> Secret,
        digest: @escaping @Sendable (String) -> String
    ) {
        self.startedMilliseconds = startedMilliseconds
        self.platformToken = platformToken
        self.serviceToken = serviceToken
        self.digest = digest
    }
}

/// What a first screen shows with its requests besides its bearer (rest-v2.md § 3.2).
extension Household {
    /// An identity token, until it is renewed.
    struct HeldToken {
        var token: Secret
        var renewAt: Instant

        /// When a token is renewed that ends at `end`, in epoch seconds: its end was cut to whole seconds, and requests take
        /// their time.
        static func renewal(
            end: Int64, life: Duration, startedMilliseconds: Int64
        ) -> Instant {
            .start + (.milliseconds(end * 1000 - startedMilliseconds) - max(.seconds(1), life / 10))
        }
    }

    /// The provider and the tokens that go along with a request of the TV; nothing where the protocol
    /// has no such thing.
    func complete(_ credential: inout Credential) {
        guard hasSessions else { return }
        credential.mvpd = signedInAt.last
        let kind = plan.kind
        guard kind.singleSignOn != nil || kind.pass != nil || partnerStatus != nil else { return }
        var tokens = IdentityTokens(partner: partnerStatus)
        tokens.isVouched = partnerStatus.map(vouches(_:)) ?? false
        if let source = terms.identities, let subject = plan.subject {
            if kind.pass?.isPromotional == true { tokens.pass = source.digest(subject) }
            if let singleSignOn = kind.singleSignOn {
                tokens.subject = subject
                switch singleSignOn.carrier {
                case .serviceToken: tokens.service = identityToken(singleSignOn, subject, source)
                // Its format is nobody's concern but the system's (§ 3.2).
                case .platform where kind.firstScreen == .roku:
                    tokens.platform = .roku(Secret("roku-\(source.digest(subject))"))
                case .platform:
                    tokens.platform = .fire(identityToken(singleSignOn, subject, source))
                }
            }
        }
        credential.tokens = tokens
    }

    private func identityToken(
        _ terms: SingleSignOn, _ subject: String, _ source: IdentitySource
    ) -> Secret {
        if let held = heldToken, lane.now < held.renewAt { return held.token }
        let now = epochMilliseconds(lane.now) / 1000
        let life = terms.tokenLife
        let end = now + life.components.seconds
        let times = "\"iat\":\(now),\"exp\":\(end)"
        let token =
            switch terms.carrier {
            case .serviceToken:
                source.serviceToken(
                    "{\"iss\":\"identity.demo.test\",\"sub\":\"\(subject)\",\"aud\":\"Adobe\",\(times)}"
                )
            case .platform:
                // The device is named by its id, as far as it is one (§ 3.2).
                source.platformToken(
                    "{\"iss\":\"fire-os.demo.test\",\"sub\":\"\(subject)\",\"aud\":\"adobe\","
                        + "\"did\":\(JSONText.quoted(tv.device.identity.id)),\(times)}")
            }
        heldToken = HeldToken(
            token: token,
            renewAt: HeldToken.renewal(
                end: end, life: life, startedMilliseconds: source.startedMilliseconds))
        return token
    }

    // MARK: Providers

    /// The device keeps with whom it is signed in (rest-v2.md § 14.2); the newest comes last.
    func remember(_ mvpd: String?) {
        if record.mvpd == nil, mvpd != "" { record.mvpd = mvpd }
        guard hasSessions, let mvpd, !mvpd.isEmpty else { return }
        signedInAt.removeAll { $0 == mvpd }
        signedInAt.append(mvpd)
    }

    /// A logout ends the newest sign-in, and others go on; where a device has one at most, that.
    func forgetProvider() {
        _ = signedInAt.popLast()
    }

    // MARK: Partner

    /// Reads anew what the platform's account framework says, without asking anybody (rest-v2.md § 8.3):
    /// when the app comes to the foreground, and whenever it has asked.
    func readPartnerStatus() {
        guard hasSessions, let script = plan.kind.platform else { return }
        var request = MetadataRequest.silent
        request.includesProvider = script.includesProvider
        request.includesExpiry = script.includesExpiry
        let metadata = accounts.enqueue(request, at: lane.now).metadata
        partnerStatus = PartnerStatus(
            access: accounts.access.word,
            provider: metadata?.providerID.flatMap { accounts.name(of: $0) },
            expires: metadata?.expires.map(epochMilliseconds))
    }

    /// Whether the service is to show who sends that the profile that it made of the platform's word (rest-v2.md
    /// § 8.3), also by a clock that is a minute ahead.
    private func vouches(_ status: PartnerStatus) -> Bool {
        guard status.access == .granted, let vouchedBy, status.provider == vouchedBy,
            let expires = status.expires
        else { return false }
        return expires > epochMilliseconds(lane.now + .seconds(60))
    }

    func epochMilliseconds(_ instant: Instant) -> Int64 {
        (terms.identities?.startedMilliseconds ?? 0) + instant.nanoseconds / 1_000_000
    }
}

extension AccountAccess {
    /// As the service is told (rest-v2.md § 3.2).
    fileprivate var word: PartnerStatus.Access {
        switch self {
        case .granted: .granted
        case .denied: .denied
        case .restricted: .restricted
        case .notDetermined: .notDetermined
        }
    }
}
