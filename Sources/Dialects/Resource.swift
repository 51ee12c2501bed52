/// Resources as requests and answers name them.
enum Resource {
    /// Services trim ids, and write MRSS anew (observed.md), which is no other resource.
    static func isSame(_ answered: String, as asked: String) -> Bool {
        asked == answered || asked.utf8.contains(UInt8(ascii: "<"))
            || asked.trimmingSpaces().lowercased() == answered.trimmingSpaces().lowercased()
    }
}
