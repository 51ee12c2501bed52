internal import Formats
internal import Signing

/// An XML signature (XML-DSig, enveloped, RSA-SHA256) over texts of our own making. They are written
/// in their canonical form (Exclusive XML Canonicalization 1.0: namespaces first and only where they
/// are used, attributes in order, no empty-element tags), so that the bytes of an element are what is
/// digested, and any library of XML signatures verifies them.
///
/// What is signed is the element after the runs of spaces and the line breaks that a device takes out
/// of it (apple-sso.md § 4, steps 1 and 2): a document that was passed on as the page demands
/// verifies, and one that was not does not.
enum SignedXML {
    private static let space = "http://www.w3.org/2000/09/xmldsig#"
    private static let canonical = "http://www.w3.org/2001/10/xml-exc-c14n#"

    /// `head` and `tail` make one element with that id; the signature goes between them.
    static func sign(_ head: String, _ tail: String, id: String, key: RSAKey) -> String {
        let digest = SHA256.digest(collapsed(head) + collapsed(tail))
        let info = info(digest, id: id)
        // A private RSA key signs any bytes; were it not so, an empty value verifies nowhere.
        let value = (try? key.sign(Array(info.utf8))).map(Base64.encode) ?? ""
        return head + #"<ds:Signature xmlns:ds="\#(space)">\#(info)<ds:SignatureValue>"#
            + "\(value)</ds:SignatureValue></ds:Signature>" + tail
    }

    /// The same for readers that take the bytes as they are, with the certificate of the key.
    static func sign(_ head: String, _ tail: String, id: String, by signer: SigningPair) -> String {
        let info = info(SHA256.digest(head + tail), id: id)
        let value = (try? signer.key.sign(Array(info.utf8))).map(Base64.encode) ?? ""
        // By itself it declares its namespace; within the signature, which does, it must not: an element
        // around it may be signed, too.
        let inner = info.replacing(#" xmlns:ds="\#(space)""#, with: "", maxReplacements: 1)
        return head + #"<ds:Signature xmlns:ds="\#(space)">\#(inner)<ds:SignatureValue>"#
            + "\(value)</ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>"
            + "\(signer.certificate)</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>"
            + tail
    }

    /// What is signed in place of an element: its digest, and how it came about.
    private static func info(_ digest: [UInt8], id: String) -> String {
        #"<ds:SignedInfo xmlns:ds="\#(space)">"#
            + empty("CanonicalizationMethod", canonical)
            + empty("SignatureMethod", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256")
            + ##"<ds:Reference URI="#\##(id)"><ds:Transforms>"##
            + empty("Transform", space + "enveloped-signature") + empty("Transform", canonical)
            + "</ds:Transforms>"
            + empty("DigestMethod", "http://www.w3.org/2001/04/xmlenc#sha256")
            + "<ds:DigestValue>\(Base64.encode(digest))</ds:DigestValue></ds:Reference>"
            + "</ds:SignedInfo>"
    }

    private static func empty(_ name: String, _ algorithm: String) -> String {
        #"<ds:\#(name) Algorithm="\#(algorithm)"></ds:\#(name)>"#
    }

    /// A text between tags, and one within an attribute, as their canonical form has them.
    static func text(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\r", with: "&#xD;")
    }

    static func attribute(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing("\"", with: "&quot;").replacing("\t", with: "&#x9;")
            .replacing("\n", with: "&#xA;").replacing("\r", with: "&#xD;")
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
