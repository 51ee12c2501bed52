internal import Dialects
internal import Journal

/// Trials that were given the same code. A service may give a deleted code to whoever asks next: that
/// it is alive again is then no breach, which only who knows of both can tell.
struct SharedCodes {
    /// For each trial that shares a code, by its number, the exchanges of those that it shares it with.
    private(set) var others: [Int: [Exchange]] = [:]

    /// `trials`: the exchanges of each.
    init(_ trials: [[Exchange]]) {
        var owners: [Code: Set<Int>] = [:]
        for (number, exchanges) in trials.enumerated() {
            for exchange in exchanges where exchange.operation.issuesCode {
                guard let code = exchange.observation.code else { continue }
                owners[code, default: []].insert(number)
            }
        }
        var shared: [Int: Set<Int>] = [:]
        for numbers in owners.values where numbers.count > 1 {
            for number in numbers { shared[number, default: []].formUnion(numbers) }
        }
        for (number, numbers) in shared {
            others[number] = numbers.subtracting([number]).sorted().flatMap { trials[$0] }
        }
    }
}
