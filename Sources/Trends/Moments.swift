/// Dates as a reader sees them.
enum Moments {
    /// `2026-11-21 07:00 UTC` of an ISO 8601 time.
    static func minute(_ iso: String) -> String {
        iso.count >= 16
            ? iso.prefix(16).replacing("T", with: " ") + " UTC" : iso
    }

    /// `2026-11-21`.
    static func day(_ iso: String) -> String { String(iso.prefix(10)) }
}
