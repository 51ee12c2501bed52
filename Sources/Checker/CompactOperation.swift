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
