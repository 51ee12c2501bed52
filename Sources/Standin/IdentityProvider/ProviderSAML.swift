internal import Dialects
internal import Formats
internal import Signing

/// An `AuthnRequest` that is to be answered (SAML 2.0 core, 3.4.1).
struct SAMLRequest: Sendable {
    var id: String
    var issuer: String
    var consumer: String
    /// Format of the name identifier; nil: none was asked for.
    var nameFormat: String?
    /// At most 80 bytes by the standard, and longer with many; returned as it came.
    var relayState: String?
}

/// SAML 2.0: requests by HTTP-Redirect and HTTP-POST, responses by HTTP-POST, response and assertion
/// signed (RSA-SHA256, exclusive canonicalization). Signatures of requests are not checked.
extension IdentityProvider {
    private static let protocolSpace = "urn:oasis:names:tc:SAML:2.0:protocol"
    private static let assertionSpace = "urn:oasis:names:tc:SAML:2.0:assertion"
    private static let status = "urn:oasis:names:tc:SAML:2.0:status:"
    private static let format = "urn:oasis:names:tc:SAML:"
    private static let bindings = "urn:oasis:names:tc:SAML:2.0:bindings:"
    /// For how long a response counts, and how far clocks may be apart.
    private static let life: Int64 = 300_000
    private static let longest = 100_000

    func entity(base: String) -> String { base + "/saml/metadata" }

    /// What service providers are configured with (SAML 2.0 metadata, 2.4.3).
    public func metadata(base: String) -> String {
        let places = ["HTTP-Redirect", "HTTP-POST"].map { binding in
            "    <md:SingleSignOnService Binding=\"\(Self.bindings)\(binding)\" "
                + "Location=\"\(SignedXML.attribute(base))/saml/sso\"/>\n"
        }
        let formats = [
            "1.1:nameid-format:unspecified", "1.1:nameid-format:emailAddress",
            "2.0:nameid-format:persistent", "2.0:nameid-format:transient",
        ].map { "    <md:NameIDFormat>\(Self.format)\($0)</md:NameIDFormat>\n" }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="\(SignedXML.attribute(entity(base: base)))">
              <md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="\(Self.protocolSpace)">
                <md:KeyDescriptor use="signing">
                  <ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>\(settings.signer.certificate)</ds:X509Certificate></ds:X509Data></ds:KeyInfo>
                </md:KeyDescriptor>
            \(formats.joined())\(places.joined())  </md:IDPSSODescriptor>
            </md:EntityDescriptor>

            """
    }

    // MARK: Requests

    mutating func takeSAML(_ asked: ProviderQuestion, at moment: Moment) -> Reply {
        let isPost = asked.request.method == .post
        count(isPost ? .samlPost : .samlRedirect)
        switch read(asked, deflated: !isPost) {
        case .failure(let reason):
            count(.samlRefused)
            return Self.page(400, ProviderPages.refusal(reason.words))
        case .success(let (request, isPassive)):
            // Nobody is ever signed in before the page.
            if isPassive { return refuse(request, status: "NoPassive", asked.base, at: moment) }
            return showLogin(.saml(request), user: "", at: moment)
        }
    }

    private struct Unreadable: Error {
        var words: String
    }

    private func read(
        _ asked: ProviderQuestion, deflated: Bool
    ) -> Result<(SAMLRequest, isPassive: Bool), Unreadable> {
        func no(_ words: String) -> Result<(SAMLRequest, isPassive: Bool), Unreadable> {
            .failure(Unreadable(words: words))
        }
        guard let text = asked["SAMLRequest"] else { return no("It has no SAMLRequest.") }
        guard var bytes = Base64.decode(text.utf8.filter { $0 > 0x20 }) else {
            return no("The SAMLRequest is not Base64.")
        }
        if deflated {
            guard let inflated = Deflate.inflate(bytes, atMost: Self.longest) else {
                return no("The SAMLRequest is not deflated (HTTP-Redirect binding, 3.4.4.1).")
            }
            bytes = inflated
        }
        guard bytes.count <= Self.longest, let (root, tree) = XMLReader.read(bytes),
            root == "AuthnRequest", let tag = StartTag(of: "AuthnRequest", in: bytes[...])
        else { return no("The SAMLRequest is no AuthnRequest.") }
        guard let id = tag["ID"], !id.isEmpty, let issuer = tree["Issuer"]?.text, !issuer.isEmpty
        else { return no("The AuthnRequest lacks its ID or its Issuer.") }
        let known = settings.serviceProviders.filter { $0.entity == issuer }
        guard settings.serviceProviders.isEmpty || !known.isEmpty else {
            return no("The service provider '\(issuer)' is not registered (--sp).")
        }
        guard let consumer = tag["AssertionConsumerServiceURL"] ?? known.first?.consumer,
            let address = WebAddress(consumer)
        else {
            return no(
                "The AuthnRequest has no AssertionConsumerServiceURL of http or https, and the service "
                    + "provider is not registered with one (--sp).")
        }
        guard known.isEmpty || known.contains(where: { $0.consumer == consumer }) else {
            return no("'\(address.origin)' is not where the service provider is registered (--sp).")
        }
        let policy = StartTag(of: "NameIDPolicy", in: bytes[...])
        let request = SAMLRequest(
            id: id, issuer: issuer, consumer: consumer, nameFormat: policy?["Format"],
            relayState: asked["RelayState"])
        return .success((request, tag["IsPassive"] == "true" || tag["IsPassive"] == "1"))
    }

    // MARK: Responses

    mutating func respond(
        to request: SAMLRequest, user: String, base: String, at moment: Moment
    ) -> Reply {
        let now = UTCTime(milliseconds: moment.milliseconds).rfc3339
        let start = UTCTime(milliseconds: moment.milliseconds - Self.life).rfc3339
        let end = UTCTime(milliseconds: moment.milliseconds + Self.life).rfc3339
        let id = "_a" + Self.random()
        let (nameFormat, name) = nameID(of: user, request)
        let attribute = SignedXML.attribute
        let head =
            "<saml:Assertion xmlns:saml=\"\(Self.assertionSpace)\" ID=\"\(id)\" IssueInstant=\"\(now)\" "
            + "Version=\"2.0\"><saml:Issuer>\(SignedXML.text(entity(base: base)))</saml:Issuer>"
        let claims = [("uid", user), ("mail", Self.mail(user)), ("displayName", user)].map {
            "<saml:Attribute Name=\"\($0)\" NameFormat=\"\(Self.format)2.0:attrname-format:basic\">"
                + "<saml:AttributeValue>\(SignedXML.text($1))</saml:AttributeValue></saml:Attribute>"
        }
        let tail =
            "<saml:Subject><saml:NameID Format=\"\(nameFormat)\">\(SignedXML.text(name))</saml:NameID>"
            + "<saml:SubjectConfirmation Method=\"\(Self.format)2.0:cm:bearer\">"
            + "<saml:SubjectConfirmationData InResponseTo=\"\(attribute(request.id))\" "
            + "NotOnOrAfter=\"\(end)\" Recipient=\"\(attribute(request.consumer))\">"
            + "</saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>"
            + "<saml:Conditions NotBefore=\"\(start)\" NotOnOrAfter=\"\(end)\"><saml:AudienceRestriction>"
            + "<saml:Audience>\(SignedXML.text(request.issuer))</saml:Audience>"
            + "</saml:AudienceRestriction></saml:Conditions>"
            + "<saml:AuthnStatement AuthnInstant=\"\(now)\" SessionIndex=\"_s\(Self.random())\">"
            + "<saml:AuthnContext><saml:AuthnContextClassRef>\(Self.format)2.0:ac:classes:"
            + "PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext>"
            + "</saml:AuthnStatement><saml:AttributeStatement>\(claims.joined())"
            + "</saml:AttributeStatement></saml:Assertion>"
        let assertion = SignedXML.sign(head, tail, id: id, by: settings.signer)
        return send(
            "<samlp:StatusCode Value=\"\(Self.status)Success\"></samlp:StatusCode>", assertion,
            request, base, at: moment)
    }

    mutating func refuse(
        _ request: SAMLRequest, _ refusal: LoginRefusal, base: String, at moment: Moment
    ) -> Reply {
        refuse(
            request, status: refusal == .denied ? "RequestDenied" : "AuthnFailed", base, at: moment)
    }

    private mutating func refuse(
        _ request: SAMLRequest, status: String, _ base: String, at moment: Moment
    ) -> Reply {
        send(
            "<samlp:StatusCode Value=\"\(Self.status)Responder\">"
                + "<samlp:StatusCode Value=\"\(Self.status)\(status)\"></samlp:StatusCode>"
                + "</samlp:StatusCode>", "", request, base, at: moment)
    }

    /// Texts are in their canonical form throughout (see `SignedXML`).
    private mutating func send(
        _ status: String, _ assertion: String, _ request: SAMLRequest, _ base: String,
        at moment: Moment
    ) -> Reply {
        count(.samlResponses)
        let id = "_r" + Self.random()
        let attribute = SignedXML.attribute
        let head =
            "<samlp:Response xmlns:samlp=\"\(Self.protocolSpace)\" "
            + "Destination=\"\(attribute(request.consumer))\" ID=\"\(id)\" "
            + "InResponseTo=\"\(attribute(request.id))\" "
            + "IssueInstant=\"\(UTCTime(milliseconds: moment.milliseconds).rfc3339)\" Version=\"2.0\">"
            + "<saml:Issuer xmlns:saml=\"\(Self.assertionSpace)\">"
            + "\(SignedXML.text(entity(base: base)))</saml:Issuer>"
        let tail = "<samlp:Status>\(status)</samlp:Status>\(assertion)</samlp:Response>"
        let response = SignedXML.sign(head, tail, id: id, by: settings.signer)
        var fields = [("SAMLResponse", Base64.encode(response.utf8))]
        if let state = request.relayState { fields.append(("RelayState", state)) }
        return Self.page(200, ProviderPages.posting(to: request.consumer, fields))
    }

    private func nameID(of user: String, _ request: SAMLRequest) -> (format: String, name: String) {
        switch request.nameFormat {
        case "\(Self.format)2.0:nameid-format:transient"?:
            ("\(Self.format)2.0:nameid-format:transient", "_" + Self.random())
        case "\(Self.format)2.0:nameid-format:persistent"?:
            ("\(Self.format)2.0:nameid-format:persistent", user)
        case "\(Self.format)1.1:nameid-format:emailAddress"?:
            ("\(Self.format)1.1:nameid-format:emailAddress", Self.mail(user))
        default: ("\(Self.format)1.1:nameid-format:unspecified", user)
        }
    }

    static func mail(_ user: String) -> String {
        user.contains("@") ? user : "\(user)@demo.test"
    }
}

/// The first start tag of that local name with its attributes, of a document that is well formed and
/// has no DOCTYPE.
struct StartTag {
    private var attributes: [(name: String, value: String)] = []

    init?(of name: String, in text: ArraySlice<UInt8>) {
        var rest = text
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[open...]
            for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
            where rest.starts(with: start.utf8) {
                guard let close = rest.firstRange(of: end) else { return nil }
                rest = rest[close.upperBound...]
                break
            }
            guard rest.first == UInt8(ascii: "<"), rest.startIndex == open else { continue }
            let tagName = rest.dropFirst().prefix { $0 > 0x20 && !"/>".utf8.contains($0) }
            let local = tagName.split(separator: UInt8(ascii: ":")).last ?? []
            rest = rest[tagName.endIndex...]
            guard local.elementsEqual(name.utf8) else { continue }
            read(rest)
            return
        }
        return nil
    }

    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

    private mutating func read(_ text: ArraySlice<UInt8>) {
        var rest = text.drop { $0 <= 0x20 }
        while let first = rest.first, first != UInt8(ascii: ">"), first != UInt8(ascii: "/") {
            let name = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: "=") }
            rest = rest[name.endIndex...].drop { $0 <= 0x20 || $0 == UInt8(ascii: "=") }
            guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
            else { return }
            let value = rest.dropFirst().prefix { $0 != quote }
            attributes.append(
                (
                    String(decoding: name, as: UTF8.self),
                    Markup.unescape(String(decoding: value, as: UTF8.self))
                ))
            rest = rest[value.endIndex...].dropFirst().drop { $0 <= 0x20 }
        }
    }
}
