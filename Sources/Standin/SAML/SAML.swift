internal import Formats
internal import Signing

/// The messages between service and provider (SAML 2.0 core and bindings), as far as the stand-in
/// plays both sides: real in shape, and small.
///
/// The assertion carries an HMAC-SHA256 (an algorithm of XML-DSig, RFC 6931, 2.2.2) under a key that
/// both sides are: an RSA signature would cost more than all the rest of a sign-in.
enum SAML {
    private static let key = KeyedDigest(key: Array("screenrig demo saml, not secret".utf8))
    private static let success = "urn:oasis:names:tc:SAML:2.0:status:Success"
    private static let failure = "urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"

    private static let requestText = Template(
        #"<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol""#
            + #" ID="_{}" Version="2.0" IssueInstant="{}" Destination="{}""#
            + #" ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST""#
            + #" AssertionConsumerServiceURL="/sp/saml/SAMLAssertionConsumer">"#
            + #"<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">"#
            + "screenrig-standin</saml:Issuer></samlp:AuthnRequest>")

    private static let responseHead = Template(
        #"<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol""#
            + #" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r{}""#
            + #" InResponseTo="_{}" Version="2.0" IssueInstant="{}">"#
            + #"<samlp:Status><samlp:StatusCode Value="{}"/></samlp:Status>"#)

    private static let assertionText = Template(
        #"<saml:Assertion ID="_a{}" Version="2.0" IssueInstant="{}">"#
            + "<saml:Issuer>{}</saml:Issuer><saml:Subject><saml:NameID>{}</saml:NameID>"
            + #"<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">"#
            + #"<saml:SubjectConfirmationData InResponseTo="_{}"/>"#
            + "</saml:SubjectConfirmation></saml:Subject></saml:Assertion>")

    /// The deflated `AuthnRequest` of the redirect binding.
    static func request(login: String, destination: String, at time: Int64) -> [UInt8] {
        stored(requestText.filled(login, UTCTime(milliseconds: time).rfc3339, destination))
    }

    /// DEFLATE without compression: one stored block (RFC 1951, 3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(truncatingIfNeeded: bytes.count)
        let head = [1, UInt8(length & 255), UInt8(length >> 8)]
        return head + [UInt8(~length & 255), UInt8(~length >> 8)] + bytes
    }

    /// The `Response`; `user` nil says that nobody logged in.
    static func response(login: String, mvpd: String, user: String?, at time: Int64) -> [UInt8] {
        let now = UTCTime(milliseconds: time).rfc3339
        var text = responseHead.filled(login, login, now, user == nil ? failure : success)
        if let user {
            let assertion = assertionText.filled(
                login, now, Markup.xml(mvpd), Markup.xml(user), login)
            text += assertion
            text += "<ds:SignatureValue>\(signature(of: assertion))</ds:SignatureValue>".utf8
        }
        text += "</samlp:Response>".utf8
        return text
    }

    /// The user that a response names; nil for a failure, a forgery, or an answer to something else.
    static func user(in bytes: [UInt8], login: String, mvpd: String) -> String? {
        let text = bytes[...]
        let answers = #"<saml:SubjectConfirmationData InResponseTo="_\#(login)"/>"#
        guard text.firstRange(of: success) != nil,
            let assertion = text.part("<saml:Assertion", "</saml:Assertion>"),
            let signed = text.between("<ds:SignatureValue>", "</ds:SignatureValue>"),
            signed.elementsEqual(signature(of: Array(assertion)).utf8),
            assertion.firstRange(of: answers) != nil,
            assertion.text("<saml:Issuer>", "</saml:Issuer>") == mvpd
        else { return nil }
        return assertion.text("<saml:NameID>", "</saml:NameID>")
    }

    private static func signature(of assertion: [UInt8]) -> String {
        Base64.encode(key.digest(assertion))
    }
}

/// Looking for markup by bytes: XML is ASCII where we look.
extension ArraySlice<UInt8> {
    /// Where `part` first stands.
    func firstRange(of part: String) -> Range<Int>? {
        guard let start = span.first(part.utf8Span.span) else { return nil }
        return startIndex + start..<startIndex + start + part.utf8.count
    }

    /// From `start` to `end`, both included.
    func part(_ start: String, _ end: String) -> ArraySlice<UInt8>? {
        between(start, end).map {
            self[$0.startIndex - start.utf8.count..<$0.endIndex + end.utf8.count]
        }
    }

    func between(_ start: String, _ end: String) -> ArraySlice<UInt8>? {
        guard let first = firstRange(of: start) else { return nil }
        let rest = self[first.upperBound...]
        guard let last = rest.firstRange(of: end) else { return nil }
        return rest[..<last.lowerBound]
    }

    /// What stands between, unescaped.
    func text(_ start: String, _ end: String) -> String? {
        between(start, end).map { Markup.unescape(String(decoding: $0, as: UTF8.self)) }
    }
}
