internal import Dialects
internal import Foundation
public import Vocabulary

/// What a lane is at, seen from outside: by the watchdog of a run, and by `report` after the process
/// has ended without a word (a trap, `kill -9`).
public struct LaneTurn: Sendable, Hashable {
    public enum TurnPhase: Int64, Sendable {
        /// Nothing to do.
        case waiting
        /// Takes in bytes of answers.
        case receiving
        /// The codec reads the answer to the exchange.
        case reading
        /// The devices go on, the last of them with the answer to the exchange.
        case acting
    }

    public var lane: Int
    public var phase: TurnPhase
    /// On the machine's monotonic clock, in nanoseconds; 0 while it waits.
    public var began: Int64
    /// The last exchange whose answer the lane took up; nil where there was none yet.
    public var exchange: ExchangeName?

    public struct ExchangeName: Sendable, Hashable {
        public var household: Int
        public var sequence: Int
        public var operation: OperationName

        public init(household: Int, sequence: Int, operation: OperationName) {
            self.household = household
            self.sequence = sequence
            self.operation = operation
        }
    }

    public init(lane: Int, phase: TurnPhase, began: Int64 = 0, exchange: ExchangeName? = nil) {
        self.lane = lane
        self.phase = phase
        self.began = began
        self.exchange = exchange
    }

    /// `lane 0 was reading the response of exchange 23 of household 17 (mvpd-login)`.
    public var sentence: String {
        let name = exchange.map {
            "exchange \($0.sequence) of household \($0.household) (\($0.operation.name))"
        }
        guard let name else {
            return
                "lane \(lane) \(phase == .waiting ? "had" : "was busy, and had") read no response yet"
        }
        return switch phase {
        case .waiting: "lane \(lane) was waiting; the last response it had read was that of \(name)"
        case .receiving:
            "lane \(lane) was busy receiving responses; the last one it had read was that of \(name)"
        case .reading: "lane \(lane) was reading the response of \(name)"
        case .acting: "lane \(lane) was acting on the response of \(name)"
        }
    }
}

// MARK: The file

extension LaneTurn {
    /// In the run directory for as long as the run goes on.
    public static let file = "lanes.bin"
    /// Numbers of 64 bits for each lane, in this machine's order of bytes.
    public static let words = 8
    /// The first of a file's; the second is how many lanes follow.
    public static let mark: Int64 = 0x5343_524e_0001

    /// Of a lane's words the first of two that say how many households it has begun.
    public static let begunWord = 6

    /// How many households of its part a lane had begun when its process ended.
    public struct BegunHouseholds: Sendable, Hashable {
        public var lane: Int
        /// Households that do not sign in before the load: those at positions below this one.
        public var arrived: Int
        /// Households that do: likewise.
        public var prepared: Int

        public init(lane: Int, arrived: Int, prepared: Int) {
            self.lane = lane
            self.arrived = arrived
            self.prepared = prepared
        }
    }

    /// Of every lane, from the file that a process left; nil where there is no such file, or it is not one of these.
    public static func begun(at path: String) -> [BegunHouseholds]? {
        guard let numbers = numbers(at: path) else { return nil }
        let all = (0..<Int(numbers[1])).map { lane in
            let first = (lane + 1) * words + begunWord
            return BegunHouseholds(
                lane: lane, arrived: Int(numbers[first]), prepared: Int(numbers[first + 1]))
        }
        return all.allSatisfy { $0.arrived >= 0 && $0.prepared >= 0 } ? all : nil
    }

    /// Whether the process that writes this file still lives. False where the file is not there.
    public static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Of a lane's words: phase, began, 1 where there is an exchange, household, sequence, operation.
    public init?(lane: Int, words: some RandomAccessCollection<Int64>) {
        let words = Array(words.prefix(6))
        guard words.count == 6, let phase = TurnPhase(rawValue: words[0]) else { return nil }
        self.init(lane: lane, phase: phase, began: words[1])
        guard words[2] == 1 else { return }
        guard let operation = UInt8(exactly: words[5]).flatMap(OperationName.init(rawValue:)),
            words[3] >= 0, words[4] >= 0
        else { return nil }
        exchange = ExchangeName(
            household: Int(words[3]), sequence: Int(words[4]), operation: operation)
    }

    /// The turns of a process that has ended, from the file that it left; none where there is no such
    /// file, or it is not one of these.
    public static func left(at path: String) -> [LaneTurn] {
        guard let numbers = numbers(at: path) else { return [] }
        return (0..<Int(numbers[1])).compactMap { lane in
            LaneTurn(lane: lane, words: numbers[((lane + 1) * words)..<((lane + 2) * words)])
        }
    }

    /// A file's words, where it is one of these and whole.
    private static func numbers(at path: String) -> [Int64]? {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: 1 << 20)
        else { return nil }
        let numbers = data.withUnsafeBytes { bytes in
            (0..<bytes.count / 8).map {
                bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)
            }
        }
        guard numbers.count >= words, numbers[0] == mark,
            (1...1024).contains(numbers[1]), numbers.count >= (Int(numbers[1]) + 1) * words
        else { return nil }
        return numbers
    }
}
