internal import Signing

/// An XML signature (XML-DSig, enveloped, RSA-SHA256) over texts of our own making: the canonical
/// form of an element is its bytes, after the runs of spaces and the line breaks that a device takes
/// out of it (apple-sso.md § 4, steps 1 and 2). So a document that was passed on as the page
/// demands verifies, and one that was not does not.
enum SignedXML {
    private static let space = "http://www.w3.org/2000/09/xmldsig#"

    /// `head` and `tail` make one element with that id; the signature goes between them.
    static func sign(_ head: String, _ tail: String, id: String, key: RSAKey) -> String {
        let digest = SHA256.digest(collapsed(head) + collapsed(tail))
        let info =
            #"<ds:SignedInfo xmlns:ds="\#(space)"><ds:CanonicalizationMethod"#
            + #" Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod"#
            + #" Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:Reference"#
            + ##" URI="#\##(id)"><ds:DigestMethod"##
            + #" Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>"#
            + "<ds:DigestValue>\(Base64.encode(digest))</ds:DigestValue></ds:Reference>"
            + "</ds:SignedInfo>"
        // A private RSA key signs any bytes; were it not so, an empty value verifies nowhere.
        let value = (try? key.sign(Array(info.utf8))).map(Base64.encode) ?? ""
        return head + #"<ds:Signature xmlns:ds="\#(space)">\#(info)<ds:SignatureValue>"#
            + "\(value)</ds:SignatureValue></ds:Signature>" + tail
    }

    /// Whether `element` carries `key`'s signature over the rest of itself.
    static func verifies(_ element: ArraySlice<UInt8>, id: String, key: RSAKey) -> Bool {
        guard let signature = element.part("<ds:Signature ", "</ds:Signature>"),
            let info = signature.part("<ds:SignedInfo ", "</ds:SignedInfo>"),
            let value = signature.text("<ds:SignatureValue>", "</ds:SignatureValue>"),
            let bytes = Base64.decode(value),
            (try? key.verifies(bytes, of: Array(info))) == true,
            info.firstRange(of: "URI=\"#\(id)\"") != nil,
            let digest = info.text("<ds:DigestValue>", "</ds:DigestValue>")
        else { return false }
        let rest =
            Array(element[..<signature.startIndex]) + Array(element[signature.endIndex...])
        return Base64.decode(digest) == SHA256.digest(rest)
    }

    /// Each run of spaces and tabs becomes one space; then line breaks go.
    static func collapsed(_ text: String) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count)
        var wasSpace = false
        for byte in text.utf8 {
            let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
            if isSpace {
                if !wasSpace { out.append(UInt8(ascii: " ")) }
            } else if !(10...13).contains(byte) {
                out.append(byte)
            }
            wasSpace = isSpace
        }
        return out
    }
}
