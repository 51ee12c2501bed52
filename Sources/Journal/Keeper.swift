internal import Dialects
internal import Vocabulary

/// Decides which exchanges are kept one by one (rigs/reference.yaml, `record`). Of a sample, the exchanges
/// of an undecided household wait here until it ends or is found to be not clean.
struct Keeper: Sendable {
    private let recording: Recording
    private let seed: UInt64
    private var waiting: [Int: [Exchange]] = [:]
    private var waitingCount = 0
    /// Living households that are kept whole because something was not clean.
    private var kept: Set<Int> = []
    /// How often each kind of thing that is not clean has had a household kept.
    private var reasons: [Reason: Int] = [:]

    /// Why a household is kept that would not be for the sample.
    private enum Reason: Hashable {
        case error(OperationName, Outcome, status: Int?)
        case leftByViewer
    }

    /// Households that are kept for one reason: the hundredth tells nothing that the first do not, and a run of hours
    /// has thousands.
    static let keptForEachReason = 100

    /// Whether a household is to be kept for this.
    private mutating func isNews(_ reason: Reason) -> Bool {
        reasons[reason, default: 0] += 1
        return reasons[reason, default: 0] <= Self.keptForEachReason
    }

    /// How many exchanges may wait in memory. Beyond it the household at hand is kept although it
    /// may turn out clean: the file grows rather than the memory.
    static let limit = 200_000

    /// `seed` chooses the households of a sample.
    init(_ recording: Recording, seed: UInt64) { (self.recording, self.seed) = (recording, seed) }

    /// What to write now that this exchange ended: nothing, it, or it with all that waited for it.
    mutating func take(_ exchange: Exchange) -> [Exchange] {
        switch recording {
        case .all: return [exchange]
        case .aggregates, .none: return []
        case .sample(let share):
            let household = exchange.device.household
            if kept.contains(household) || Self.isChosen(household, share: share, seed: seed) {
                return [exchange]
            }
            waiting[household, default: []].append(exchange)
            waitingCount += 1
            let isTelling =
                exchange.isError
                && isNews(
                    .error(exchange.operation, exchange.outcome, status: exchange.delivery.status))
            return isTelling || waitingCount > Self.limit ? keep(household) : []
        }
    }

    /// A household is to be kept whole from now on, and what waited of it: to write now.
    mutating func keep(_ household: Int) -> [Exchange] {
        guard case .sample = recording else { return [] }
        kept.insert(household)
        return release(household)
    }

    /// What a household's latest record decides.
    mutating func take(_ record: HouseholdRecord) -> [Exchange] {
        guard case .sample = recording else { return [] }
        let isTelling =
            switch record.fate {
            case .failed: true
            case .abandoned:
                !kept.contains(record.household)
                    && (record.abandonedBy != .viewer || isNews(.leftByViewer))
            default: false
            }
        if isTelling { return keep(record.household) }
        if record.ended != nil {
            kept.remove(record.household)
            _ = release(record.household)
        }
        return []
    }

    /// At the end of a run: what lives still has not ended clean, so all of it is kept.
    mutating func finish() -> [Exchange] {
        waiting.keys.sorted().flatMap { keep($0) }
    }

    private mutating func release(_ household: Int) -> [Exchange] {
        let released = waiting.removeValue(forKey: household) ?? []
        waitingCount -= released.count
        return released
    }

    /// A pure function of household and seed, independent of all other draws.
    static func isChosen(_ household: Int, share: Double, seed: UInt64) -> Bool {
        var hash = SipHash(key: SipHash.HashKey(low: seed, high: 0x7361_6d70_6c65))
        hash.update(word: UInt64(bitPattern: Int64(household)))
        return Double(hash.finish64() >> 11) * 0x1p-53 < share
    }
}
