import Foundation
import Signing
import TestSupport
import Testing

/// Verifies XML signatures without any of our code: Python's canonicalizer, and openssl.
enum XMLSignature {
    /// `ok`, or what does not hold: `digest` or `signature`.
    static func verdict(on document: String, element: String) throws -> String {
        let folder = TestFolder()
        _ = try folder.write(document, to: "document.xml")
        _ = try folder.write(publicKey, to: "key.pem")
        return try run(["python3", "-c", script, folder.path, element]
        ).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A key that nobody trusts yet, in PEM.
    static func freshKey() throws -> String {
        try run(["openssl", "genrsa", "2048"])
    }

    private static func run(_ command: [String]) throws -> String {
        let program = try Program(command)
        #expect(program.status == 0)
        return program.output
    }

    /// The public half of the demo SAML key.
    private static let publicKey = (try? DemoKeys.saml().publicPEM()) ?? ""

    /// C14N 2.0 with its defaults gives what Exclusive C14N 1.0 gives for documents without comments.
    private static let script = """
        import base64, hashlib, re, subprocess, sys
        import xml.etree.ElementTree as ET
        folder, name = sys.argv[1:]
        text = open(folder + "/document.xml", encoding="utf-8", newline="").read()
        element = re.search(r"<(\\w+:%s) .*</\\1>" % name, text, re.S).group(0)
        signature = re.search(r"<ds:Signature .*</ds:Signature>", element, re.S).group(0)
        info = re.search(r"<ds:SignedInfo .*</ds:SignedInfo>", signature, re.S).group(0)
        digest = re.search(r"<ds:DigestValue>(.*)</ds:DigestValue>", info, re.S).group(1)
        value = re.search(r"<ds:SignatureValue>(.*)</ds:SignatureValue>", signature, re.S).group(1)
        canonical = ET.canonicalize(element.replace(signature, "")).encode()
        if base64.b64encode(hashlib.sha256(canonical).digest()).decode() != digest:
            print("digest")
        else:
            open(folder + "/value", "wb").write(base64.b64decode(value))
            verified = subprocess.run(
                ["openssl", "dgst", "-sha256", "-verify", folder + "/key.pem", "-signature",
                 folder + "/value"], input=ET.canonicalize(info).encode(), stdout=subprocess.PIPE)
            print("ok" if verified.returncode == 0 else "signature")
        """
}
