/// A code's life, as other households' codes are compared with it.
final class SharedLife {
    private let householdNumber: Int32
    private let sequenceNumber: Int32
    let code: UInt64
    let text: String
    let record: UInt64
    let call: Int64
    let ret: Int64
    var low: Int64
    let high: Int64
    /// The earliest call of anything that may have ended it before its expiry: a deletion, a newer
    /// code.
    var endCalled = Int64.max
    /// When it was surely over: its deletion was answered, or it had expired.
    var over: Int64

    init(household: Int, life: CodeLife, text: String) {
        householdNumber = Int32(truncatingIfNeeded: household)
        code = life.mark
        self.text = text
        record = life.record
        sequenceNumber = life.made.sequence
        call = life.made.call
        ret = life.made.ret
        low = life.low
        high = life.high
        over = life.high
    }

    var household: Int { Int(householdNumber) }
    var sequence: Int { Int(sequenceNumber) }
}
