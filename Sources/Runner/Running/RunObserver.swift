package import Reports

/// Whoever shows a run while it goes on: a terminal, a page, a log. Called on threads of the run's own,
/// which are not the lanes'.
package protocol RunObserver: Sendable {
    /// Where the run is, once a second; `second` counts from 1.
    func tick(_ state: LiveState, second: Int)
    /// The same with each batch of exchanges, for those who want it sooner (`wantsBatches`).
    func changed(_ state: LiveState)
    var wantsBatches: Bool { get }
    /// A sentence that stays.
    func say(_ sentence: String)
    /// The lanes have come to rest: there are no more ticks.
    func end()
}

/// Nobody looks on.
package struct NoObserver: RunObserver {
    package init() {}
    package func tick(_ state: LiveState, second: Int) {}
    package func changed(_ state: LiveState) {}
    package var wantsBatches: Bool { false }
    package func say(_ sentence: String) {}
    package func end() {}
}
