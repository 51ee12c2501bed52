internal import CLinux
internal import Dialects
internal import Glibc
internal import Journal
internal import Vocabulary

/// What each lane is at, in memory that outlives the process where it is a file's: lanes write, a
/// watchdog reads. Eight stores of a word for each exchange.
///
/// Safe because each lane has words of its own, and all of them are read and written atomically. The
/// words of an exchange may be read while they change: it is told with care ("was"), never judged by.
public final class TurnRecord: @unchecked Sendable {
    private let memory: UnsafeMutablePointer<Int64>
    private let size: Int
    private let path: String?
    /// Of the file, locked for as long as this process lives: whoever would continue what it left finds out that it
    /// goes on. -1 in memory.
    private let descriptor: Int32

    /// For `lanes` lanes, in the memory of this process.
    public convenience init(lanes: Int) {
        self.init(lanes: lanes, descriptor: -1, path: nil)
    }

    /// The same in a new file at `path`; in memory where that cannot be made. Its place on the disk is
    /// taken at once: writing to memory behind which a full disk stands would end the process.
    public convenience init(lanes: Int, path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        let isTaken = descriptor >= 0 && posix_fallocate(descriptor, 0, Self.size(lanes)) == 0
        if descriptor >= 0, !isTaken { unlink(path) }
        self.init(
            lanes: lanes, descriptor: isTaken ? descriptor : -1, path: isTaken ? path : nil)
        if isTaken { _ = flock(descriptor, LOCK_EX | LOCK_NB) }
        if descriptor >= 0, !isTaken { close(descriptor) }
    }

    private static func size(_ lanes: Int) -> Int { (lanes + 1) * LaneTurn.words * 8 }

    private init(lanes: Int, descriptor: Int32, path: String?) {
        size = Self.size(lanes)
        (self.path, self.descriptor) = (path, descriptor)
        let kind = descriptor >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, kind, descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else {
            preconditionFailure("no memory for the record of \(lanes) lanes")
        }
        memory = mapped.bindMemory(to: Int64.self, capacity: size / 8)
        memory[0] = LaneTurn.mark
        memory[1] = Int64(lanes)
    }

    deinit {
        munmap(memory, size)
        unlock()
        if descriptor >= 0 { close(descriptor) }
    }

    /// The run has ended, and another is to continue it: what is told here is to outlive this machine.
    public func seal() {
        if path != nil { msync(memory, size, MS_SYNC) }
        unlock()
    }

    /// A process that was just started may hold the file for a moment longer than this one.
    private func unlock() {
        if descriptor >= 0 { _ = flock(descriptor, LOCK_UN) }
    }

    /// The run has ended with a word: nothing has to be told from here.
    public func remove() {
        if let path { unlink(path) }
    }

    /// The words of one lane, for as long as the lane keeps their record. Without a reference to it: counting them
    /// up and down at each turn, lanes would wait for each other.
    struct TurnSlot {
        private let words: UnsafeMutablePointer<Int64>

        init(_ lane: Int, of record: TurnRecord) {
            words = record.memory + (lane + 1) * LaneTurn.words
        }

        /// A turn begins, with what the sockets have brought.
        func begin() {
            lane_store(words + 1, LiveLoop.monotonic())
            lane_store(words, LaneTurn.TurnPhase.receiving.rawValue)
        }

        func end() {
            lane_store(words, LaneTurn.TurnPhase.waiting.rawValue)
            lane_store(words + 1, 0)
        }

        /// The answer to this exchange is about to be read.
        func read(_ operation: OperationName, of household: Int, _ sequence: Int) {
            lane_store(words + 2, 1)
            lane_store(words + 3, Int64(household))
            lane_store(words + 4, Int64(sequence))
            lane_store(words + 5, Int64(operation.rawValue))
            lane_store(words, LaneTurn.TurnPhase.reading.rawValue)
        }

        /// The codec is through with it.
        func act() {
            lane_store(words, LaneTurn.TurnPhase.acting.rawValue)
        }

        /// The first `arrived` households of the lane's part have arrived, but for those that sign in before the
        /// load; of these the first `prepared` have begun. Stored before they begin: a process that is killed has
        /// begun no more.
        func begun(arrived: Int, prepared: Int) {
            lane_store(words + LaneTurn.begunWord, Int64(arrived))
            lane_store(words + LaneTurn.begunWord + 1, Int64(prepared))
        }

        func turn(of lane: Int) -> LaneTurn? {
            LaneTurn(lane: lane, words: (0..<LaneTurn.words).map { lane_load(words + $0) })
        }
    }
}
