import Foundation
import Glibc

/// A program that was run to its end: what it said, and the processor time it took.
struct Ended {
    var output: String
    var code: Int32
    /// User and system, in seconds.
    var processor: Double
    /// Of it, the kernel's share.
    var kernelShare: Double
    /// Resident at most, in KB.
    var peakKB: Int
}

struct Trouble: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

/// A program under way.
final class Program {
    let id: pid_t
    private let file: String
    private var hasEnded = false

    /// Starts it, on one core if one is given. Output and errors go to the same file.
    init(_ arguments: [String], core: Int? = nil) throws {
        file = "\(NSTemporaryDirectory())/goals-\(UUID().uuidString)"
        let all = core.map { ["taskset", "-c", String($0)] + arguments } ?? arguments
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 1, file, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var words: [UnsafeMutablePointer<CChar>?] = all.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id: pid_t = 0
        guard posix_spawnp(&id, all[0], &actions, nil, &words, environ) == 0 else {
            throw Trouble("\(all[0]) cannot be started")
        }
        self.id = id
    }

    deinit {
        if !hasEnded {
            kill(id, SIGTERM)
            _ = try? ended()
        }
    }

    var output: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

    func send(_ signal: Int32) { kill(id, signal) }

    /// Ends a server as a user would, and waits for it.
    func stop() {
        send(SIGINT)
        _ = try? ended()
    }

    @discardableResult
    func ended() throws -> Ended {
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(id, &status, 0, &usage) == id else { throw Trouble("a program was lost") }
        hasEnded = true
        defer { unlink(file) }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        let (own, kernel) = (seconds(usage.ru_utime), seconds(usage.ru_stime))
        return Ended(
            output: output, code: status >> 8 & 0xff, processor: own + kernel,
            kernelShare: kernel / (own + kernel), peakKB: usage.ru_maxrss)
    }

    static func run(_ arguments: [String], core: Int? = nil) throws -> Ended {
        try Program(arguments, core: core).ended()
    }

    /// The first number after `words` in a text.
    static func number(after words: String, in text: String) throws -> Double {
        guard let place = text.range(of: words) else {
            throw Trouble("no '\(words)' in: \(text.prefix(400))")
        }
        let digits = text[place.upperBound...].drop { !$0.isNumber }
            .prefix { $0.isNumber || $0 == "." }
        return Double(digits) ?? .nan
    }
}
