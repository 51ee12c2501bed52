internal import Dialects

/// An operation as a device's record keeps it: 32 bytes.
struct Beat: Sendable, Hashable {
    var call: Int64
    var ret: Int64
    var sequence: Int32
    var operation: OperationName
    var effect: Observed.Effect
    var screen: UInt8
    var flags: UInt8
    /// What the device may have been after it returned (`Frontier.belief`).
    var belief: UInt16 = 0

    init(_ operation: Observed) {
        call = operation.call
        ret = operation.ret
        sequence = operation.sequence
        self.operation = operation.operation
        effect = operation.effect
        screen = operation.screen
        flags = operation.flags.rawValue
    }

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
        case .denied: flags & Observed.Flags.throttled.rawValue != 0 ? "throttled" : "denied"
        case .maybe, .doubtful: "redirect"
        case .open: "lost"
        case .nothing: "none"
        }
    }
}

/// The last operations of a device.
struct Ring: Sendable {
    static let limit = 64
    private var beats: [Beat] = []
    private var next = 0

    mutating func append(_ beat: Beat) {
        if beats.count < Self.limit {
            beats.append(beat)
        } else {
            beats[next] = beat
            next = next + 1 == Self.limit ? 0 : next + 1
        }
    }

    /// Oldest first.
    var all: [Beat] { Array(beats[next...] + beats[..<next]) }
}
