internal import Glibc

/// A file that holds disk space until it is needed: to finish a history and write its report on a
/// disk that ran full.
struct Reserve {
    let path: String
    static let size = 8 * 1_048_576

    /// Takes the space now.
    init(path: String, directory: String) throws(JournalError) {
        self.path = path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOSPC { throw .noSpace(path: directory, needed: Self.size) }
            throw .cannotCreate(path: directory, reason: words(for: code))
        }
        let code = posix_fallocate(descriptor, 0, off_t(Self.size))
        close(descriptor)
        guard code == 0 else {
            unlink(path)
            if code == ENOSPC || code == EDQUOT {
                throw .noSpace(path: directory, needed: Self.size)
            }
            throw .cannotCreate(path: directory, reason: words(for: code))
        }
    }

    func free() {
        unlink(path)
    }
}

/// The system's words for an error number, lower case as our sentences are.
func words(for code: Int32) -> String {
    strerror(code).map { String(cString: $0).lowercased() } ?? "error \(code)"
}
