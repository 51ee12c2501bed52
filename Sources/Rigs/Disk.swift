internal import Foundation

/// Files on disk.
public enum Disk {
    /// The text of a file; nil when it cannot be read or is not UTF-8.
    public static func contents(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }

    /// Whether anybody but its owner may read or write a file: its group, or everybody on this
    /// machine.
    public static func isOpenToOthers(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: (path as NSString).resolvingSymlinksInPath)
        guard let mode = attributes?[.posixPermissions] as? NSNumber else { return false }
        return mode.intValue & 0o066 != 0
    }
}
