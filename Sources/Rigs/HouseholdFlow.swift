internal import Vocabulary

/// What one average household asks for, and how long it lives: the end-to-end sequence of
/// rest-v1.md § 16, with the rig's shares and mean times. This table is the one place to change when
/// a household does something new.
struct HouseholdFlow {
    /// Expected requests by operation, in the order in which they are first sent; none that are 0.
    let requests: [(OperationName, Double)]
    /// From arrival to the end, on average and for a slow one (the last in twenty).
    let life: Duration
    let longLife: Duration
    /// Devices of a household, on average.
    let devices: Double

    init(_ rig: Rig) {
        let total = max(1, rig.kinds.reduce(0) { $0 + $1.weight })
        let flows = rig.kinds.map { (share: Double($0.weight) / Double(total), KindFlow($0, rig)) }
        requests = Self.summed(
            flows.flatMap { share, flow in
                flow.requests.map { ($0.0, $0.1 * share) }
            }
        ).filter { $0.1 > 0 }
        func average(_ value: (KindFlow) -> Double) -> Double {
            flows.reduce(0) { $0 + value($1.1) * $1.share }
        }
        life = .bounded(seconds: average { $0.life })
        longLife = .bounded(seconds: average { $0.longLife })
        devices = average { $0.devices }
    }

    /// One row for each operation, in the order of their first ones.
    static func summed(
        _ requests: [(OperationName, Double)]
    ) -> [(OperationName, Double)] {
        var rows: [(OperationName, Double)] = []
        for (name, count) in requests {
            if let position = rows.firstIndex(where: { $0.0 == name }) {
                rows[position].1 += count
            } else {
                rows.append((name, count))
            }
        }
        return rows
    }
}
