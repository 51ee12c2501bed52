internal import Vocabulary

/// A code's life, as other households' codes are compared with it.
final class SharedLife {
    /// Below zero, with every bit turned: of a device grant (RFC 8628).
    private let householdNumber: Int32
    /// Below zero: of a session (REST V2).
    private let sequenceNumber: Int32
    let code: UInt64
    let text: String
    let record: UInt64
    let call: Int64
    let ret: Int64
    /// When it expires, by our clock: never earlier, never later.
    var low: Int64
    let high: Int64
    /// The earliest call of anything that may have ended it before its expiry: a deletion, a newer
    /// code.
    var endCalled = Int64.max
    /// Of a device grant: the earliest call of a person's decision, or of a poll that may have got the token. Its letters
    /// are of no more use from then on, and may be given out again.
    var settledCalled = Int64.max
    /// When it was surely over: its deletion was answered, or it had expired.
    var over: Int64

    init(
        household: Int, made: CompactOperation, code: UInt64, text: String, record: UInt64,
        low: Int64, high: Int64
    ) {
        let number = Int32(truncatingIfNeeded: household)
        householdNumber = made.operation == .deviceAuthorization ? ~number : number
        self.code = code
        self.text = text
        self.record = record
        sequenceNumber = made.operation == .registrationCode ? made.sequence : -made.sequence
        call = made.call
        ret = made.ret
        self.low = low
        self.high = high
        over = high
    }

    func isHandedOut(before other: SharedLife) -> Bool {
        (ret, call, household, sequence) < (other.ret, other.call, other.household, other.sequence)
    }

    var household: Int { Int(householdNumber < 0 ? ~householdNumber : householdNumber) }
    var sequence: Int { abs(Int(sequenceNumber)) }
    /// What made it; a session that a partner's request fell back to counts as one that was created.
    var operation: OperationName {
        if householdNumber < 0 { return .deviceAuthorization }
        return sequenceNumber < 0 ? .createSession : .registrationCode
    }
}
