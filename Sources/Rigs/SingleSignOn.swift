/// What first screens of a kind show with each request besides their device: who their user is to others
/// than the service (rest-v2.md § 8.1, § 8.2).
public struct SingleSignOn: Sendable, Hashable {
    public enum Carrier: String, Sendable, CaseIterable {
        /// `Adobe-Subject-Token` of Fire OS, or what a Roku adds.
        case platform
        /// `AD-Service-Token`: an identity service of the programmer's.
        case serviceToken = "service-token"
    }

    /// Who else in the home shows the same identity.
    public enum Sharing: String, Sendable, CaseIterable {
        case nobody
        /// A second app on the same device, registered by itself.
        case app
        /// A second first screen.
        case device
    }

    public var carrier: Carrier = .platform
    public var sharing: Sharing = .nobody
    /// Life of a token; a device takes a new one a tenth of it, and a second at least, before its end.
    public var tokenLife: Duration = .seconds(3_600)
}

extension SingleSignOn: RigSection {
    static let blank = SingleSignOn()
    static let keys: [Key<SingleSignOn>] = [
        Key(
            "by", .words(), into: \.carrier,
            "platform: the identity that Fire OS or Roku OS adds. service-token: a token of the "
                + "programmer's identity service, signed with the demo key."),
        Key(
            "shared-with", .words(), into: \.sharing,
            "Who in the home has the same identity: nobody, a second app on the same device, or a "
                + "second device. Each home is then two households: the second begins when the "
                + "first has signed in, and asks whether it is signed in already."),
        Key(
            "token-life", .scalar(.duration), into: \.tokenLife,
            "Lifetime of an identity token; it is renewed before it expires."),
    ]
}

/// The trial that a household plays on (rest-v1.md § 10, N5; rest-v2.md § 11).
public struct TempPass: Sendable, Hashable {
    /// Nil: the first that the configuration offers.
    public var provider: String?
    /// For a person, whom `AP-TempPass-Identity` names, and for so many resources.
    public var isPromotional = false
}

extension TempPass: RigSection {
    static let blank = TempPass()
    static let keys: [Key<TempPass>] = [
        Key(
            "provider", .scalar(.shownText), ifGiven: \.provider, example: "TempPass",
            "Id of the TempPass provider. Default: the first of the service's configuration."),
        Key(
            "promotional", .scalar(.flag), into: \.isPromotional,
            "The pass is for a person: requests carry a hash of an identity, one per household "
                + "(AP-TempPass-Identity); adobe-pass-v2 only."),
    ]
}

extension HouseholdKind {
    func checkSingleSignOn(_ marks: Marks, _ reader: inout ValueReader) {
        guard let singleSignOn else { return }
        let marks = marks["single-sign-on"]
        if singleSignOn.carrier == .platform, !firstScreen.hasPlatformIdentity {
            reader.refuse(
                marks["by"].place,
                "first-screen \(firstScreen.rawValue) has no platform identity; write by: "
                    + "service-token, or first-screen: fire-tv or roku")
        }
        if hasTempPass || platform != nil {
            reader.refuse(
                marks.place,
                "single-sign-on is about an ordinary sign-in; remove it, or remove "
                    + (hasTempPass ? "temp-pass" : "platform-sign-on"))
        }
        if hasSecondViewer > 0 {
            reader.refuse(
                marks.place,
                "single-sign-on is about one user of a home; remove it, or remove second-viewer")
        }
    }
}
