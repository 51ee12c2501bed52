public import Foundation

/// Files of a run directory: what they hold concerns nobody but the user who made the run.
public enum PrivateFile {
    /// Puts `bytes` into `path` at once: nobody ever reads half of them. A new file may be read and written by its
    /// owner only.
    public static func write(_ bytes: Data, to path: String) throws {
        var status = stat()
        // What is renamed onto a device or a pipe takes its place.
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { throw failure(ENXIO) }
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

    /// Waits until a file is on the disk, and its place in its folder where folders can be waited for. False: it may
    /// not be.
    static func sync(_ path: String) -> Bool {
        func isSynced(_ path: String) -> Bool {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return fsync(descriptor) == 0
        }
        let folder = (path as NSString).deletingLastPathComponent
        guard isSynced(path) else { return false }
        _ = isSynced(folder.isEmpty ? "." : folder)
        return true
    }

    /// A folder, unless it is there, and what leads to it. Only its owner may look into it.
    public static func makeFolder(_ path: String) throws {
        if mkdir(path, 0o700) == 0 { return }
        var code = errno
        let above = (path as NSString).deletingLastPathComponent
        if code == ENOENT, !above.isEmpty, above != path {
            try makeFolder(above)
            if mkdir(path, 0o700) == 0 { return }
            code = errno
        }
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard code == EEXIST, isThere, isFolder.boolValue else { throw failure(code) }
    }

    /// Why a file or folder could not be read or written, in the system's words.
    public static func reason(of error: any Error) -> String {
        var next: NSError? = error as NSError
        while let found = next {
            if found.domain == NSPOSIXErrorDomain { return words(for: Int32(found.code)) }
            next = found.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        switch (error as? CocoaError)?.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: return words(for: ENOENT)
        case .fileReadNoPermission, .fileWriteNoPermission: return words(for: EACCES)
        case .fileWriteOutOfSpace: return words(for: ENOSPC)
        case .fileWriteVolumeReadOnly: return words(for: EROFS)
        default: return error.localizedDescription
        }
    }

    private static func failure(_ code: Int32 = errno) -> NSError {
        let below = NSError(domain: NSPOSIXErrorDomain, code: Int(code))
        return NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.fileWriteUnknown.rawValue,
            userInfo: [
                NSUnderlyingErrorKey: below,
                NSLocalizedDescriptionKey: String(cString: strerror(code)),
            ])
    }
}
