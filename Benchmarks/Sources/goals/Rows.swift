extension Row {
    /// The goals, in the order of the table. None needs another to have run before it.
    static var all: [Row] {
        [
            paced, beyond, growth, cpu, recorded, household,
            householdOfV2, lateness, virtual, virtualOfV2, twoLanes, schedules,
            memory, standin, checker, closed, handshakes, gate, observer, tls, devices, stall,
            peers,
            cores,
        ]
    }
}
