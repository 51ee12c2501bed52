package import Statistics

/// The steps of a search for a limit: which comes next, and what those before it came to.
package struct LimitSteps {
    /// What playing a step came to.
    package enum Played {
        case step(LimitReport.Step)
        /// The rig was late, though none of its lanes had too much to do: another program, or a pause of the machine, may
        /// be why, and the next try may be in time.
        case late(String)
        case ended(LimitReport.Ending)
    }

    package private(set) var search: LimitSearch
    /// Those that count.
    package private(set) var steps: [LimitReport.Step] = []
    private var ended: LimitReport.Ending?
    private var number = 0
    /// Of the step before, if the rig was late in it.
    private var late: (number: Int, reason: String)?

    package init(_ terms: LimitSearch.Terms) { search = LimitSearch(terms) }

    /// The step to play: its number, from 1, and its rate in households per second; nil once there is an end.
    package mutating func next() -> (number: Int, rate: Double)? {
        guard ended == nil, let rate = search.next else { return nil }
        number += 1
        return (number, rate)
    }

    /// What the step that `next` gave came to. Where the rig was late, the same rate is next; where it was late twice in a row,
    /// it is the limit.
    package mutating func take(_ played: Played, at rate: Double) {
        switch played {
        case .ended(let ending): ended = ending
        case .late(let reason) where late != nil:
            ended = .rigWasLimit(rate: rate, reason: reason)
        case .late(let reason): late = (number, reason)
        case .step(var step):
            if let late { step.note(repeats: late.number, because: late.reason) }
            late = nil
            search.note(rate: step.rate, held: step.held)
            steps.append(step)
        }
    }

    /// Nil while a step is to be played.
    package var ending: LimitReport.Ending? { ended ?? search.ending.map { .init($0) } }
}
