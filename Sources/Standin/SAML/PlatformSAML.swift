internal import Dialects
internal import Formats
public import Signing

/// The messages between the service and the platform (apple-sso.md §§ 1, 3; rest-v1.md § 13): the
/// profile request that S1 gives out, and the platform's answer to it that S2 takes back. The stand-in
/// and the built-in platform sign with the demo SAML key unless told otherwise.
public enum PlatformSAML {
    /// The channel identifier: "a SAML issuer despite its name" (apple-sso.md § 3.3).
    public static let issuer = "https://saml.sp.auth.adobe.com"
    /// How long a profile request is good, in milliseconds (rest-v1.md § 13, own).
    static let life: Int64 = 300_000

    private static let messages = #"xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol""#
    private static let assertions = #"xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion""#
    private static let success = "urn:oasis:names:tc:SAML:2.0:status:Success"
    private static let bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"

    /// S1's body: which attributes of the viewer the service would like to know.
    static func request(
        id: String, requestor: String, attributes: [String], at time: Int64, key: RSAKey
    ) -> String {
        let head =
            "<samlp:AttributeQuery \(messages) ID=\"\(id)\""
            + " IssueInstant=\"\(UTCTime(milliseconds: time).rfc3339)\""
            + " NotOnOrAfter=\"\(UTCTime(milliseconds: time + life).rfc3339)\" Version=\"2.0\">"
            + "<saml:Issuer \(assertions)>\(issuer)</saml:Issuer>"
        let wanted = attributes.map {
            "<saml:Attribute \(assertions) Name=\"\(SignedXML.attribute($0))\"></saml:Attribute>"
        }
        return SignedXML.sign(
            head,
            "<samlp:RequesterID>\(SignedXML.text(requestor))</samlp:RequesterID>"
                + wanted.joined() + "</samlp:AttributeQuery>", id: id, key: key)
    }

    /// Why the built-in platform does not answer (its error 5).
    public enum Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        /// The token is no attribute query.
        case noQuery
        /// The query does not bear the signature of the demo key.
        case unknownSigner

        public var description: String {
            switch self {
            case .noQuery:
                "the profile request is no SAML AttributeQuery with an ID, as XML or in Base64"
            case .unknownSigner:
                "the profile request does not bear the stand-in's demo signature, so the built-in "
                    + "platform does not know this service; give platform-sign-on a key that the "
                    + "service trusts (key: FILE), or a platform (command: PROGRAM)"
            }
        }
    }

    /// What a built-in platform answers to a verification token (`samlAttributeQueryResponse`): XML
    /// text with tabs and line breaks, for the device to pass on as apple-sso.md § 4 says. The age of
    /// the token is for the caller to judge: it is good for five minutes.
    ///
    /// Without a `key` it plays the demo platform: it answers only what the stand-in has signed, and
    /// signs with the demo key. With one it answers any query: what the service signs with it cannot
    /// know. `provider` is the account's provider as the platform calls it, `subject` its viewer;
    /// `attributes` are the names that the app asked for; `now`, in epoch milliseconds, stands in for
    /// times that the query does not give.
    public static func response(
        to token: [UInt8], provider: String, subject: String, attributes: [String],
        key: RSAKey? = nil, at now: Int64 = 0
    ) throws(Refusal) -> String {
        let plain = token.firstIndex { !Self.isBlank($0) }.map { token[$0] == UInt8(ascii: "<") }
        let document =
            plain == true ? token : Base64.decode(token.filter { !Self.isBlank($0) }) ?? []
        guard let query = AttributeQueryText(document[...]) else { throw .noQuery }
        let signer = key ?? DemoKeys.saml()
        if key == nil {
            guard query.isWhole(document),
                SignedXML.verifies(query.element, id: query.id, key: signer)
            else { throw .unknownSigner }
        }
        let id = SignedXML.attribute(query.id)
        let issued = query.issued ?? UTCTime(milliseconds: now).rfc3339
        let end = query.end ?? UTCTime(milliseconds: now + life).rfc3339
        let values = attributes.map { name in
            "\t\t\t<saml:Attribute Name=\"\(SignedXML.attribute(name))\">"
                + "<saml:AttributeValue>"
                + SignedXML.text(name == "userID" ? subject : "demo-\(name)")
                + "</saml:AttributeValue></saml:Attribute>\n"
        }
        let assertionID = "_a\(id)"
        let head =
            "<saml:Assertion \(assertions) ID=\"\(assertionID)\" IssueInstant=\"\(issued)\""
            + " Version=\"2.0\">\n"
            + "\t\t<saml:Issuer>\(SignedXML.text(provider))</saml:Issuer>\n\t\t"
        let tail =
            "\n\t\t<saml:Subject>\n\t\t\t<saml:NameID>\(SignedXML.text(subject))</saml:NameID>\n"
            + "\t\t\t<saml:SubjectConfirmation Method=\"\(bearer)\">\n"
            + "\t\t\t\t<saml:SubjectConfirmationData InResponseTo=\"\(id)\""
            + " NotOnOrAfter=\"\(end)\"></saml:SubjectConfirmationData>\n"
            + "\t\t\t</saml:SubjectConfirmation>\n\t\t</saml:Subject>\n"
            + "\t\t<saml:Conditions NotOnOrAfter=\"\(end)\">\n\t\t\t<saml:AudienceRestriction>\n"
            + "\t\t\t\t<saml:Audience>\(query.issuer ?? SignedXML.text(issuer))</saml:Audience>\n"
            + "\t\t\t</saml:AudienceRestriction>\n\t\t</saml:Conditions>\n"
            + (values.isEmpty
                ? ""
                : "\t\t<saml:AttributeStatement>\n\(values.joined())\t\t</saml:AttributeStatement>\n")
            + "\t</saml:Assertion>"
        return "<samlp:Response \(messages) ID=\"_r\(id)\" InResponseTo=\"\(id)\""
            + " IssueInstant=\"\(issued)\" Version=\"2.0\">\r\n"
            + "\t<samlp:Status>\n\t\t<samlp:StatusCode Value=\"\(success)\"/>\n\t</samlp:Status>\r\n"
            + "\t" + SignedXML.sign(head, tail, id: assertionID, key: signer)
            + "\r\n</samlp:Response>\n"
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    /// What a verified response says.
    struct Assertion {
        /// The profile request that it answers.
        var request: String
        var provider: String
        var subject: String
    }

    /// The assertion of a response that names us and bears the platform's signature; nil for
    /// anything else. Whether its request still counts is for the caller to say. Without a `key` it is read as
    /// it stands, whoever signed it, whatever its prefixes.
    static func assertion(in bytes: [UInt8], key: RSAKey?) -> Assertion? {
        guard let key else { return unverified(bytes) }
        let text = bytes[...]
        guard text.firstRange(of: "Value=\"\(success)\"") != nil,
            let element = text.part("<saml:Assertion ", "</saml:Assertion>"),
            let id = element.part("<saml:Assertion ", ">")?.text(" ID=\"", "\""),
            SignedXML.verifies(element, id: id, key: key),
            element.text("<saml:Audience>", "</saml:Audience>") == issuer,
            let request = element.part("<saml:SubjectConfirmationData ", ">")?
                .text(" InResponseTo=\"", "\""),
            let provider = element.text("<saml:Issuer>", "</saml:Issuer>"),
            let subject = element.text("<saml:NameID>", "</saml:NameID>")
        else { return nil }
        return Assertion(request: request, provider: provider, subject: subject)
    }

    /// Of somebody else's platform, which writes its XML as it likes.
    private static func unverified(_ bytes: [UInt8]) -> Assertion? {
        guard XMLReader.read(bytes)?.root == "Response" else { return nil }
        let text = bytes[...]
        guard element("StatusCode", in: text)?.tag.attribute("Value") == success,
            let assertion = element("Assertion", in: text)?.rest,
            let request = element("SubjectConfirmationData", in: assertion)?.tag
                .attribute("InResponseTo"),
            let provider = element("Issuer", in: assertion)?.text,
            let subject = element("NameID", in: assertion)?.text,
            element("Audience", in: assertion)?.text == issuer
        else { return nil }
        return Assertion(request: request, provider: provider, subject: subject)
    }

    /// The first element of that name, whatever its prefix: its start tag, its text, and all behind its tag.
    fileprivate static func element(
        _ name: String, in text: ArraySlice<UInt8>
    ) -> (tag: ArraySlice<UInt8>, text: String, rest: ArraySlice<UInt8>)? {
        var from = text
        while let found = from.firstRange(of: name) {
            from = text[found.upperBound...]
            let before = text[..<found.lowerBound].last
            let after = from.first
            guard before == UInt8(ascii: "<") || before == UInt8(ascii: ":"),
                after == UInt8(ascii: ">") || after == UInt8(ascii: "/")
                    || after.map(isBlank) == true,
                let open = text[..<found.lowerBound].lastIndex(of: UInt8(ascii: "<")),
                open + 1 == text.endIndex || text[open + 1] != UInt8(ascii: "/"),
                let end = from.firstIndex(of: UInt8(ascii: ">"))
            else { continue }
            let rest = text[(end + 1)...]
            let inside = rest.prefix { $0 != UInt8(ascii: "<") }
            return (
                text[open...end], String(decoding: inside, as: UTF8.self).trimmingSpaces(), rest
            )
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// The value of an attribute of a start tag.
    fileprivate func attribute(_ name: String) -> String? {
        text(" \(name)=\"", "\"") ?? text(" \(name)='", "'")
    }
}

/// The attribute query in a profile request, whichever prefix its service writes.
private struct AttributeQueryText {
    /// From its start tag to its end tag.
    let element: ArraySlice<UInt8>
    let id: String
    let issued: String?
    let end: String?
    /// Whom the answer is for, as it stands there: the service's own SAML name.
    let issuer: String?

    init?(_ text: ArraySlice<UInt8>) {
        guard let name = text.firstRange(of: "AttributeQuery"),
            let open = text[..<name.lowerBound].lastIndex(of: UInt8(ascii: "<")),
            let tag = text[open...].part("<", ">"), let id = tag.text(" ID=\"", "\""), !id.isEmpty
        else { return nil }
        // An empty element has no end tag.
        let close = text[name.upperBound...].firstRange(of: "AttributeQuery>")?.upperBound
        guard let end = close ?? (tag.dropLast().last == UInt8(ascii: "/") ? tag.endIndex : nil)
        else { return nil }
        element = text[open..<end]
        self.id = id
        issued = tag.text(" IssueInstant=\"", "\"")
        self.end = tag.text(" NotOnOrAfter=\"", "\"")
        issuer = PlatformSAML.element("Issuer", in: element).map(\.text).flatMap {
            $0.isEmpty ? nil : $0
        }
    }

    /// Nothing stands around it.
    func isWhole(_ document: [UInt8]) -> Bool { element.count == document.count }
}

/// Profile requests that were given out and are still good.
struct ProfileRequests: Sendable {
    struct ProfileRequest: Sendable {
        var requestor: String
        var mvpd: String
        var expires: Int64
        /// Good for a profile, once, and for nothing else (rest-v2.md § 8.3).
        var isOfSession = false
    }

    private var requests: [String: ProfileRequest] = [:]
    private var queue = DueQueue<String>()

    mutating func add(_ id: String, _ request: ProfileRequest) {
        requests[id] = request
        queue.add(id, due: request.expires)
    }

    func live(_ id: String, at time: Int64) -> ProfileRequest? {
        guard let request = requests[id], time < request.expires else { return nil }
        return request
    }

    /// It has been answered.
    mutating func spend(_ id: String) { requests[id] = nil }

    mutating func sweep(at time: Int64) {
        for _ in 0..<sweepStep {
            guard let id = queue.next(dueBy: time) else { return }
            requests[id] = nil
        }
    }
}
