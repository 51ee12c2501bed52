internal import Foundation

/// Files on disk.
public enum Disk {
    /// The text of a file; nil when it cannot be read or is not UTF-8.
    public static func contents(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
