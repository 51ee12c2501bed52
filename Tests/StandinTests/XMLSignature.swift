import Foundation
import Signing
import Testing

/// Verifies XML signatures without any of our code: Python's canonicalizer, and openssl.
enum XMLSignature {
    /// `ok`, or what does not hold: `digest` or `signature`.
    static func verdict(on document: String, element: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-dsig-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try document.write(
            to: folder.appending(path: "document.xml"), atomically: true, encoding: .utf8)
        try publicKey.write(
            to: folder.appending(path: "key.pem"), atomically: true, encoding: .utf8)
        return try run(
            "/usr/bin/env", ["python3", "-c", script, folder.path, element]
        ).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A key that nobody trusts yet, in PEM.
    static func freshKey() throws -> String {
        try run("/usr/bin/env", ["openssl", "genrsa", "2048"])
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
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
