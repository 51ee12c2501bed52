internal import COpenSSL

/// One `EVP_PKEY`, freed with its owner.
struct KeyHandle: ~Copyable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }
}

/// One memory `BIO`, freed with its owner.
struct MemoryBIO: ~Copyable {
    let pointer: OpaquePointer

    /// Empty, to be written to.
    init() throws(SigningError) {
        guard let made = BIO_new(BIO_s_mem()) else { throw .last("allocate a buffer") }
        pointer = made
    }

    /// Holding `text`, to be read from.
    static func holding(_ text: String) throws(SigningError) -> MemoryBIO {
        let memory = try MemoryBIO()
        try memory.fill(Array(text.utf8))
        return memory
    }

    private borrowing func fill(_ bytes: [UInt8]) throws(SigningError) {
        guard BIO_write(pointer, bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            throw .last("fill a buffer")
        }
    }

    deinit {
        BIO_free(pointer)
    }

    /// Everything written so far.
    borrowing func text() -> String {
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = BIO_read(pointer, &piece, Int32(piece.count))
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += piece[..<Int(count)]
        }
    }
}

/// An RSA key that signs with SHA-256 and PKCS#1 v1.5 padding: deterministic, so signatures may
/// stand in hashed histories. A signature with 2,048 bits takes about 0.24 ms.
///
/// Safe because the `EVP_PKEY` is never written after `init`, and libcrypto allows any number of
/// threads to sign and verify with one key.
public final class RSAKey: @unchecked Sendable {
    private let handle: KeyHandle
    /// False for a key that can only verify.
    public let isPrivate: Bool

    /// Reads a private key (`BEGIN PRIVATE KEY` or `BEGIN RSA PRIVATE KEY`).
    public init(privatePEM text: String) throws(SigningError) {
        let memory = try MemoryBIO.holding(text)
        guard let key = PEM_read_bio_PrivateKey(memory.pointer, nil, nil, nil) else {
            ERR_clear_error()
            throw .notAKey(expected: "private key")
        }
        handle = KeyHandle(owning: key)
        isPrivate = true
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else {
            throw .notAKey(expected: "RSA key")
        }
    }

    /// Reads a public key (`BEGIN PUBLIC KEY`).
    public init(publicPEM text: String) throws(SigningError) {
        let memory = try MemoryBIO.holding(text)
        guard let key = PEM_read_bio_PUBKEY(memory.pointer, nil, nil, nil) else {
            ERR_clear_error()
            throw .notAKey(expected: "public key")
        }
        handle = KeyHandle(owning: key)
        isPrivate = false
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else {
            throw .notAKey(expected: "RSA key")
        }
    }

    /// The public half in PEM.
    public func publicPEM() throws(SigningError) -> String {
        let memory = try MemoryBIO()
        guard PEM_write_bio_PUBKEY(memory.pointer, handle.pointer) == 1 else {
            throw .last("write a public key")
        }
        return memory.text()
    }

    /// The signature of `bytes`; 256 bytes for 2,048 bits.
    public func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] {
        let context = try DigestContext()
        guard EVP_DigestSignInit(context.pointer, nil, EVP_sha256(), nil, handle.pointer) == 1
        else { throw .last("begin a signature") }
        var count = 0
        guard EVP_DigestSign(context.pointer, nil, &count, bytes, bytes.count) == 1 else {
            throw .last("sign")
        }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context.pointer, &signature, &count, bytes, bytes.count) == 1 else {
            throw .last("sign")
        }
        return Array(signature[..<count])
    }

    /// Whether `signature` is this key's under `bytes`.
    public func verifies(_ signature: [UInt8], of bytes: [UInt8]) throws(SigningError) -> Bool {
        let context = try DigestContext()
        guard EVP_DigestVerifyInit(context.pointer, nil, EVP_sha256(), nil, handle.pointer) == 1
        else { throw .last("begin a verification") }
        let result = EVP_DigestVerify(
            context.pointer, signature, signature.count, bytes, bytes.count)
        ERR_clear_error()
        return result == 1
    }
}

/// One `EVP_MD_CTX`, freed with its owner.
private struct DigestContext: ~Copyable {
    let pointer: OpaquePointer

    init() throws(SigningError) {
        guard let made = EVP_MD_CTX_new() else { throw .last("allocate a digest") }
        pointer = made
    }

    deinit {
        EVP_MD_CTX_free(pointer)
    }
}
