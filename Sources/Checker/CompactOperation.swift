internal import Dialects
internal import Vocabulary

/// An operation as a device's record keeps it: 32 bytes.
struct CompactOperation: Sendable, Hashable {
    var call: Int64
    var ret: Int64
    var sequence: Int32
    var operation: OperationName
    var effect: Observed.ObservedEffect
    var screen: UInt8
    var flags: UInt8
    /// What the device may have been after it returned (`Frontier.belief`).
    var belief: UInt16 = 0

    /// `the TV's poll-token #12`.
    var name: String { "\(screenName)'s \(operation.name) #\(sequence)" }

    var screenName: String {
        switch screen {
        case 0: "the TV"
        case 1: "the phone"
        default: "phone-\(screen)"
        }
    }

    /// `success`, `absent` ...: for signatures and pictures.
    var answer: String {
        switch effect {
        case .success: "success"
        case .absent: "absent"
        case .expired: "expired"
        case .unauthenticated: "unauthenticated"
        case .unauthorized: "unauthorized"
        case .denied: flags & Observed.Flags.throttled.rawValue != 0 ? "throttled" : "denied"
        case .maybe, .doubtful: "redirect"
        case .open: "lost"
        case .nothing: "none"
        }
    }
}

extension CompactOperation {
    init(_ operation: Observed) {
        self.init(
            call: operation.call, ret: operation.ret, sequence: operation.sequence,
            operation: operation.operation, effect: operation.effect, screen: operation.screen,
            flags: operation.flags.rawValue)
    }
}

/// The last operations of a device, in 24 bytes each.
struct Ring: Sendable {
    static let limit = 64
    private var entries: [RingEntry] = []
    private var next = 0

    /// A beat whose length has 48 bits, which are 78 hours.
    private struct RingEntry: Sendable {
        var call: Int64
        var length: UInt32
        var lengthHigh: UInt16
        var operation: OperationName
        var effect: Observed.ObservedEffect
        var sequence: Int32
        var screen: UInt8
        var flags: UInt8
        var belief: UInt16

        init(_ beat: CompactOperation) {
            let nanoseconds = UInt64(min(max(0, beat.ret.plus(-beat.call)), 0xffff_ffff_ffff))
            call = beat.call
            length = UInt32(truncatingIfNeeded: nanoseconds)
            lengthHigh = UInt16(truncatingIfNeeded: nanoseconds >> 32)
            operation = beat.operation
            effect = beat.effect
            sequence = beat.sequence
            screen = beat.screen
            flags = beat.flags
            belief = beat.belief
        }

        var beat: CompactOperation {
            CompactOperation(
                call: call, ret: call.plus(Int64(lengthHigh) << 32 | Int64(length)),
                sequence: sequence, operation: operation, effect: effect, screen: screen,
                flags: flags, belief: belief)
        }
    }

    mutating func append(_ beat: CompactOperation) {
        if entries.count < Self.limit {
            if entries.isEmpty { entries.reserveCapacity(Self.limit / 4) }
            entries.append(RingEntry(beat))
        } else {
            entries[next] = RingEntry(beat)
            next = next + 1 == Self.limit ? 0 : next + 1
        }
    }

    /// Oldest first.
    var all: [CompactOperation] { (entries[next...] + entries[..<next]).map(\.beat) }
}
