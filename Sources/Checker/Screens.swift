internal import Vocabulary

/// What each screen of a household does: how busy it is for the service's throttle, which may have one limit for
/// all of them, and what it asks for again because nobody answered.
struct Screens: ~Copyable {
    struct ScreenRecord {
        var sent: Int32 = 0
        /// When the last of its operations was over.
        var over = Int64.min
        var lastCall = Int64.min
    }

    /// By the number of the screen: 0 is the TV, or all of them.
    private var screens: Few<2, ScreenRecord>
    /// What was asked for and got no answer that counts, until it is asked again.
    private var lost: [(screen: UInt8, operation: OperationName, code: UInt64)] = []
    /// Phones without a positive check so far, by their numbers; from the 31st on they share a bit, which stays.
    private var busy: UInt32 = 0

    private let sharesLimit: Bool

    init(in memory: inout HouseholdMemory?, sharesLimit: Bool) {
        screens = Few(in: &memory)
        self.sharesLimit = sharesLimit
    }

    static let bytes = Few<2, ScreenRecord>.bytes

    /// Whether a phone may still be at something.
    var isPhoneBusy: Bool { busy != 0 }

    /// What shares its limit.
    subscript(screen: UInt8) -> ScreenRecord { screens[sharesLimit ? 0 : Int(screen)] }

    /// An answer came in: a phone is done once it was told so.
    mutating func noteEnd(of operation: Observed) {
        guard operation.screen > 0 else { return }
        let place = min(operation.screen, 31)
        let bit: UInt32 = 1 << UInt32(place)
        let isDone =
            place < 31 && operation.step == .confirm && operation.effect == .success
        busy = isDone ? busy & ~bit : busy | bit
    }

    /// An operation begins; whether nothing that shares its limit was near before, `every` nanoseconds being
    /// the throttle's period.
    mutating func enter(_ operation: inout Observed, every: Int64) -> Bool {
        let screen = sharesLimit ? 0 : Int(operation.screen)
        while screens.count <= screen { screens.append(ScreenRecord()) }
        if operation.operation.isMutator { noteRetry(&operation) }
        guard operation.operation.isThrottled else { return false }
        let isQuiet = screens[screen].over < operation.call.plus(-every - 1_000_000)
        screens[screen].sent += 1
        if operation.effect != .open {
            screens[screen].over = max(screens[screen].over, operation.ret)
        }
        screens[screen].lastCall = operation.call
        return isQuiet
    }

    /// Whether the same screen had asked the same before and nobody answered: then this is one
    /// intent, tried again, whatever the screen did between.
    private mutating func noteRetry(_ operation: inout Observed) {
        let isLost = operation.effect == .open
        guard isLost || !lost.isEmpty else { return }
        let (name, code, screen) = (operation.operation, operation.code, operation.screen)
        let known = lost.firstIndex {
            $0.screen == screen && $0.operation == name && $0.code == code
        }
        if known != nil { operation.flags.insert(.retried) }
        if isLost, known == nil {
            lost.append((screen, name, code))
        } else if !isLost, let known {
            lost.remove(at: known)
        }
    }
}
