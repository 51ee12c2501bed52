/// FNV-1a of a text: any change of the text changes it, and a collision serves no one.
public enum TextHash {
    public static let start: UInt64 = 0xcbf2_9ce4_8422_2325

    /// `before`: of the texts that come first.
    public static func of(_ text: String, after before: UInt64 = start) -> UInt64 {
        text.utf8.reduce(before) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
