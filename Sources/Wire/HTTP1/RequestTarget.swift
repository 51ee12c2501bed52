/// The target of a request line (RFC 9112, 3.2).
enum RequestTarget {
    /// Spaces and controls would end the request line; a browser escapes them, and what is not
    /// ASCII (RFC 3986, 2.1).
    static func escaped(_ target: String) -> String {
        guard target.utf8.contains(where: mustEscape) else { return target }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in target.utf8 {
            if mustEscape(byte) {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func mustEscape(_ byte: UInt8) -> Bool { byte <= 0x20 || byte >= 0x7f }
}
