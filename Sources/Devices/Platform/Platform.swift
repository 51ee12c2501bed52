internal import Dialects
internal import Formats
internal import Journal
internal import Lanes
internal import Rigs

/// What a platform is asked to vouch for, as the framework gathers it.
public struct AttributeQuery: Sendable, Hashable {
    /// The profile request, unchanged.
    public var verificationToken: [UInt8]
    /// The provider, as the platform calls it.
    public var provider: String
    /// Whom the provider knows.
    public var subject: String
    /// The attributes that the app asks for.
    public var attributes: [String]
}

/// Who signs for a platform.
public enum Platform: Sendable {
    /// The built-in one: asked and answered in one go.
    case builtIn(@Sendable (AttributeQuery) -> PlatformAnswer)
    /// A program of the user's; a household waits for it so long, its turn included.
    case program(any UserProgram, within: Duration)
}

/// What a platform makes of an attribute query.
public enum PlatformAnswer: Sendable, Hashable {
    /// The signed response (`samlAttributeQueryResponse`): XML text.
    case document(String)
    /// None; the error code of apple-sso.md § 2, and why, in words.
    case refused(code: Int, why: String)
}

/// The question to a program: one line of JSON.
///
///     {"verificationToken": "PHNhbWxw...", "attributes": ["userID", "zip"],
///      "channelIdentifier": "https://saml.sp.auth.adobe.com", "provider": "demo-cable",
///      "mvpd": "DemoCable", "deviceType": "tvOS", "subject": "u-17", "user": "ann",
///      "password": "..."}
///
/// `verificationToken` is the profile request (S1) in Base64, as X1 of REST V2 has it already; `attributes` are those that
/// X1 or the configuration names, `provider` is the platform's name of the provider and `mvpd` the service's, `subject` the
/// `user-id` of the account.
struct PlatformQuestion {
    var query: AttributeQuery
    var channelIdentifier: String
    var provider: String
    var device: PlatformDevice
    var account: Account

    var json: String {
        let attributes = query.attributes.map(JSONText.quoted).joined(separator: ", ")
        let fields = [
            ("channelIdentifier", channelIdentifier), ("provider", query.provider),
            ("mvpd", provider), ("deviceType", device.rawValue), ("subject", query.subject),
            ("user", account.user), ("password", account.password.reveal()),
        ]
        let members = fields.map { "\"\($0.0)\": \(JSONText.quoted($0.1))" }
        // That of REST V2 is Base64 already; XML never is.
        var token = String(decoding: query.verificationToken, as: UTF8.self)
        if Base64.decode(token) == nil { token = Base64.encode(query.verificationToken) }
        return
            "{\"verificationToken\": \(JSONText.quoted(token)), \"attributes\": [\(attributes)], "
            + members.joined(separator: ", ") + "}\n"
    }
}

extension PlatformAnswer {
    /// What a program answers: the XML of the response itself, or a JSON object with `response` (the
    /// XML) or with `failed`, in words, and perhaps `error`, a code of apple-sso.md § 2 (3 unless
    /// given).
    init(_ text: String) {
        let start = text.unicodeScalars.first { !$0.properties.isWhitespace }
        if start == "<" {
            self = .document(text)
            return
        }
        guard let tree = JSONReader.read(Array(text.utf8)) else {
            self = .failed("answered neither XML nor JSON")
            return
        }
        if let words = tree["failed"]?.text {
            let code = tree["error"]?.integer.map { Int($0) } ?? Self.unavailable
            let isKnown = PlatformSignOn.errorCodes.contains(code)
            self = .refused(
                code: isKnown ? code : Self.unavailable, why: "the platform program says '\(words)'"
            )
        } else if let document = tree["response"]?.text {
            self = .document(document)
        } else {
            self = .failed("answered neither 'response' nor 'failed'")
        }
    }

    /// `serviceTemporarilyUnavailable`: what a device is told when its platform does not work.
    private static let unavailable = 3

    /// `reason` is the end of "the platform program ...".
    static func failed(_ reason: String) -> PlatformAnswer {
        .refused(code: unavailable, why: "the platform program \(reason)")
    }
}

extension Household {
    /// Has the platform of this kind sign.
    func platformAnswer(
        to query: AttributeQuery, for provider: String
    ) async throws(StopReason) -> PlatformAnswer {
        // A race drives households whose kind has no platform of its own.
        switch terms.platforms[plan.kind.platform?.signer ?? .demo] {
        case nil: return .refused(code: 7, why: "no platform is configured to sign")
        case .builtIn(let sign): return sign(query)
        case .program(let program, let limit):
            expectEchoes(of: account)
            let question = PlatformQuestion(
                query: query, channelIdentifier: MetadataRequest.channelIdentifier,
                provider: provider, device: platformDevice, account: account)
            // No time of the service's.
            let began = lane.now
            let answer = try await answer(of: program, to: question.json, within: limit)
            noteViewerTime(since: began)
            switch answer {
            case .output(let text): return PlatformAnswer(text)
            case .failed(let reason): return .failed(shown(reason))
            }
        }
    }
}
