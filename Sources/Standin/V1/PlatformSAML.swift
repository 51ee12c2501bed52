internal import Signing

/// The messages between the service and the platform (apple-sso.md §§ 1, 3; rest-v1.md § 13), as
/// far as the stand-in and a demo platform play both sides: the profile request that S1 gives out,
/// and the platform's answer to it that S2 takes back. Both are signed with the demo SAML key.
public enum PlatformSAML {
    /// The channel identifier: "a SAML issuer despite its name" (apple-sso.md § 3.3).
    public static let issuer = "https://saml.sp.auth.adobe.com"
    /// How long a profile request is good, in milliseconds (rest-v1.md § 13, own).
    static let life: Int64 = 300_000

    private static let namespaces =
        #"xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol""#
        + #" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion""#
    private static let success = "urn:oasis:names:tc:SAML:2.0:status:Success"

    /// S1's body: which attributes of the viewer the service would like to know.
    static func request(
        id: String, requestor: String, attributes: [String], at time: Int64, key: RSAKey
    ) -> String {
        let head =
            "<samlp:AttributeQuery \(namespaces) ID=\"\(id)\" Version=\"2.0\""
            + " IssueInstant=\"\(Calendar.isoDate(time))\""
            + " NotOnOrAfter=\"\(Calendar.isoDate(time + life))\">"
            + "<saml:Issuer>\(issuer)</saml:Issuer>"
            + "<samlp:RequesterID>\(Markup.escape(requestor))</samlp:RequesterID>"
        let wanted = attributes.map { "<saml:Attribute Name=\"\(Markup.escape($0))\"/>" }
        return SignedXML.sign(
            head, wanted.joined() + "</samlp:AttributeQuery>", id: id, key: key)
    }

    /// What a demo platform answers to a verification token (`samlAttributeQueryResponse`): XML
    /// text with tabs and line breaks, for the device to pass on as apple-sso.md § 4 says. Nil when
    /// the token is no profile request of this service, unchanged: the platform's error 5. Its age
    /// is for the caller to judge: it is good for five minutes.
    ///
    /// `provider` is the account's provider as the platform calls it, `subject` its viewer;
    /// `attributes` are the names that the app asked for.
    public static func response(
        to token: [UInt8], provider: String, subject: String, attributes: [String]
    ) -> String? {
        let key = DemoKeys.saml()
        let whole = token[...]
        guard let query = whole.part("<samlp:AttributeQuery ", "</samlp:AttributeQuery>"),
            query.count == token.count, let id = query.text(" ID=\"", "\""),
            let issued = query.text(" IssueInstant=\"", "\""),
            let end = query.text(" NotOnOrAfter=\"", "\""),
            SignedXML.verifies(query, id: id, key: key)
        else { return nil }
        let values = attributes.map { name in
            "\t\t\t<saml:Attribute Name=\"\(Markup.escape(name))\">"
                + "<saml:AttributeValue>\(Markup.escape(name == "userID" ? subject : "demo-\(name)"))"
                + "</saml:AttributeValue></saml:Attribute>\n"
        }
        let assertionID = "_a\(id)"
        let head =
            "<saml:Assertion ID=\"\(assertionID)\" Version=\"2.0\" IssueInstant=\"\(issued)\">\n"
            + "\t\t<saml:Issuer>\(Markup.escape(provider))</saml:Issuer>\n\t\t"
        let tail =
            "\n\t\t<saml:Subject>\n\t\t\t<saml:NameID>\(Markup.escape(subject))</saml:NameID>\n"
            + "\t\t\t<saml:SubjectConfirmation>\n\t\t\t\t<saml:SubjectConfirmationData"
            + " InResponseTo=\"\(id)\" NotOnOrAfter=\"\(end)\"/>\n"
            + "\t\t\t</saml:SubjectConfirmation>\n\t\t</saml:Subject>\n"
            + "\t\t<saml:Conditions NotOnOrAfter=\"\(end)\">\n\t\t\t<saml:AudienceRestriction>\n"
            + "\t\t\t\t<saml:Audience>\(issuer)</saml:Audience>\n"
            + "\t\t\t</saml:AudienceRestriction>\n\t\t</saml:Conditions>\n"
            + (values.isEmpty
                ? ""
                : "\t\t<saml:AttributeStatement>\n\(values.joined())\t\t</saml:AttributeStatement>\n")
            + "\t</saml:Assertion>"
        return "<samlp:Response \(namespaces) ID=\"_r\(id)\" InResponseTo=\"\(id)\""
            + " Version=\"2.0\" IssueInstant=\"\(issued)\">\r\n"
            + "\t<samlp:Status>\n\t\t<samlp:StatusCode Value=\"\(success)\"/>\n\t</samlp:Status>\r\n"
            + "\t" + SignedXML.sign(head, tail, id: assertionID, key: key)
            + "\r\n</samlp:Response>\n"
    }

    /// What a verified response says.
    struct Assertion {
        /// The profile request that it answers.
        var request: String
        var provider: String
        var subject: String
    }

    /// The assertion of a response that names us and bears the platform's signature; nil for
    /// anything else. Whether its request still counts is for the caller to say.
    static func assertion(in bytes: [UInt8], key: RSAKey) -> Assertion? {
        let text = bytes[...]
        guard text.firstRange(of: "Value=\"\(success)\"") != nil,
            let element = text.part("<saml:Assertion ", "</saml:Assertion>"),
            let id = element.text("<saml:Assertion ID=\"", "\""),
            SignedXML.verifies(element, id: id, key: key),
            element.text("<saml:Audience>", "</saml:Audience>") == issuer,
            let request = element.text("<saml:SubjectConfirmationData InResponseTo=\"", "\""),
            let provider = element.text("<saml:Issuer>", "</saml:Issuer>"),
            let subject = element.text("<saml:NameID>", "</saml:NameID>")
        else { return nil }
        return Assertion(request: request, provider: provider, subject: subject)
    }
}

/// Profile requests that were given out and are still good.
struct ProfileRequests: Sendable {
    struct Request: Sendable {
        var requestor: String
        var mvpd: String
        var expires: Int64
    }

    private var requests: [String: Request] = [:]
    private var queue = DueQueue<String>()

    mutating func add(_ id: String, _ request: Request) {
        requests[id] = request
        queue.add(id, due: request.expires)
    }

    func live(_ id: String, at time: Int64) -> Request? {
        guard let request = requests[id], time < request.expires else { return nil }
        return request
    }

    mutating func sweep(at time: Int64) {
        for _ in 0..<sweepStep {
            guard let id = queue.next(dueBy: time) else { return }
            requests[id] = nil
        }
    }
}
