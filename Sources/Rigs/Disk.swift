internal import Foundation

/// Files on disk, whatever stands there instead of one: of nothing more than `limit` is read.
public enum Disk {
    /// Bytes of a file.
    static let limit = 32_000_000
    /// How long a pipe may keep silent, in ms: without anybody who writes to it, and with.
    private static let patience: (noWriter: Int32, silentWriter: Int32) = (1_000, 60_000)

    /// The text of a file or a pipe; nil when it cannot be read, is longer than `limit` or not UTF-8.
    public static func contents(_ path: String) -> String? {
        guard let bytes = bytes(path) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Why `contents` gave nothing, such as "is a folder"; nil where there is no file, or one that
    /// may not be read or is no text.
    static func trouble(_ path: String) -> String? {
        guard let state = state(path) else { return nil }
        switch state.st_mode & S_IFMT {
        case S_IFDIR: return "is a folder"
        case S_IFIFO: return "is a pipe without text"
        case S_IFREG where state.st_size > limit:
            return "has \(state.st_size) bytes, more than \(limit)"
        case S_IFREG: return nil
        default: return "is a device, not a file"
        }
    }

    private static func state(_ path: String) -> stat? {
        var state = stat()
        return stat(path, &state) == 0 ? state : nil
    }

    private static func bytes(_ path: String) -> [UInt8]? {
        guard let state = state(path) else { return nil }
        let isPipe = state.st_mode & S_IFMT == S_IFIFO
        guard isPipe || state.st_mode & S_IFMT == S_IFREG, state.st_size <= limit else {
            return nil
        }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = read(descriptor, &piece, piece.count)
            if count > 0 {
                bytes += piece[..<count]
            } else if count == 0 {
                guard isPipe, bytes.isEmpty, waits(descriptor, patience.noWriter) else {
                    return bytes
                }
            } else if errno == EAGAIN {
                guard waits(descriptor, patience.silentWriter) else { return nil }
            } else if errno != EINTR {
                return nil
            }
        }
        return nil
    }

    /// Whether something came within so many milliseconds.
    private static func waits(_ descriptor: Int32, _ milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, milliseconds) > 0 && wanted.revents & Int16(POLLIN) != 0
    }

    /// The path from the root.
    static func whole(_ path: String) -> String { URL(filePath: path).standardizedFileURL.path }

    /// Whether anybody but its owner may read or write a file: its group, or everybody on this
    /// machine.
    public static func isOpenToOthers(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: (path as NSString).resolvingSymlinksInPath)
        guard let mode = attributes?[.posixPermissions] as? NSNumber else { return false }
        return mode.intValue & 0o066 != 0
    }
}
