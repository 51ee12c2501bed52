/// Resources as requests and answers name them.
enum Resource {
    /// Services trim ids, and write MRSS anew (observed.md), which is no other resource.
    static func isSame(_ answered: String, as asked: String) -> Bool {
        asked == answered || asked.utf8.contains(UInt8(ascii: "<"))
            || asked.trimmingSpaces().lowercased() == answered.trimmingSpaces().lowercased()
    }

    /// An answer that is about another resource. `page`: where the page says that it is not.
    static func other(_ answered: String, than asked: String, _ page: String) -> Deviation {
        Deviation(
            rule: "\(page): resource is the one asked for",
            found: "'\(answered.prefix(60))' for '\(asked.prefix(60))'")
    }
}
