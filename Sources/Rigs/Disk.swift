internal import Foundation

/// Files on disk.
public enum Disk {
    /// The text of a file; nil when it cannot be read or is not UTF-8.
    public static func contents(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }

    /// Whether everybody on this machine may read or write a file. Its group may: secrets that are
    /// mounted into a container are often readable by a group, and cannot be changed there.
    public static func isOpenToAll(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: (path as NSString).resolvingSymlinksInPath)
        guard let mode = attributes?[.posixPermissions] as? NSNumber else { return false }
        return mode.intValue & 0o006 != 0
    }
}
