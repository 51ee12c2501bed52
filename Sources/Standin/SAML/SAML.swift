internal import Formats
internal import Signing

/// The messages between service and provider (SAML 2.0 core and bindings), as far as the stand-in
/// plays both sides: real in shape, and small.
///
/// The assertion carries an HMAC-SHA256 (an algorithm of XML-DSig, RFC 6931, 2.2.2) under a key that
/// both sides are: an RSA signature would cost more than all the rest of a sign-in.
enum SAML {
    private static let key = Array("screenrig demo saml, not secret".utf8)
    private static let success = "urn:oasis:names:tc:SAML:2.0:status:Success"
    private static let failure = "urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"

    /// The deflated `AuthnRequest` of the redirect binding.
    static func request(login: String, destination: String, at time: Int64) -> [UInt8] {
        let text =
            #"<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol""#
            + #" ID="_\#(login)" Version="2.0" IssueInstant="\#(UTCTime(milliseconds: time).rfc3339)""#
            + #" Destination="\#(destination)""#
            + #" ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST""#
            + #" AssertionConsumerServiceURL="/sp/saml/SAMLAssertionConsumer">"#
            + #"<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">"#
            + "screenrig-standin</saml:Issuer></samlp:AuthnRequest>"
        return stored(Array(text.utf8))
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
        var text =
            #"<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol""#
            + #" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r\#(login)""#
            + #" InResponseTo="_\#(login)" Version="2.0" IssueInstant="\#(now)">"#
            + #"<samlp:Status><samlp:StatusCode Value="\#(user == nil ? failure : success)"/>"#
            + "</samlp:Status>"
        if let user {
            let assertion =
                #"<saml:Assertion ID="_a\#(login)" Version="2.0" IssueInstant="\#(now)">"#
                + "<saml:Issuer>\(Markup.xml(mvpd))</saml:Issuer>"
                + "<saml:Subject><saml:NameID>\(Markup.xml(user))</saml:NameID>"
                + #"<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">"#
                + #"<saml:SubjectConfirmationData InResponseTo="_\#(login)"/>"#
                + "</saml:SubjectConfirmation></saml:Subject></saml:Assertion>"
            text += assertion
            text += "<ds:SignatureValue>\(signature(of: Array(assertion.utf8)))</ds:SignatureValue>"
        }
        return Array((text + "</samlp:Response>").utf8)
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
        Base64.encode(SHA256.authenticate(assertion, key: key))
    }
}

/// Looking for markup by bytes: XML is ASCII where we look.
extension ArraySlice<UInt8> {
    /// Where `part` first stands.
    func firstRange(of part: String) -> Range<Int>? {
        let wanted = Array(part.utf8)
        var start = startIndex
        while let candidate = self[start...].firstIndex(of: wanted[0]) {
            if self[candidate...].starts(with: wanted) {
                return candidate..<candidate + wanted.count
            }
            start = candidate + 1
        }
        return nil
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
