public import Foundation

/// Files of a run directory: what they hold concerns nobody but the user who made the run.
public enum PrivateFile {
    /// Puts `bytes` into `path` at once: nobody ever reads half of them. A new file may be read and written by its
    /// owner only.
    public static func write(_ bytes: Data, to path: String) throws {
        let temporary = "\(path).\(getpid())"
        let descriptor = open(
            temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        do {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: bytes)
            try file.close()
            if rename(temporary, path) != 0 { throw failure() }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Makes an empty file for whoever writes it by its path (SQLite gives its `-wal` the same
    /// rights). What is there stays; a place without room says so to whoever writes.
    public static func make(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// A folder, unless it is there, and what leads to it. Only its owner may look into it.
    public static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    private static func failure() -> NSError {
        let code = errno
        let below = NSError(domain: NSPOSIXErrorDomain, code: Int(code))
        return NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.fileWriteUnknown.rawValue,
            userInfo: [
                NSUnderlyingErrorKey: below,
                NSLocalizedDescriptionKey: String(cString: strerror(code)),
            ])
    }
}
