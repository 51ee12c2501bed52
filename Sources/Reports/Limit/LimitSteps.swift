internal import Rendering
package import Statistics

/// The steps of a search for a limit: which comes next, and the results of those before it.
package struct LimitSteps {
    /// The result of playing a step.
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
    /// The step before, where the rig was late in it.
    private var late: (number: Int, reason: String)?

    package init(_ terms: LimitSearch.Terms) { search = LimitSearch(terms) }

    /// Begins a step: its number, from 1, and its rate in households per second; nil once there is an end.
    package mutating func begin() -> (number: Int, rate: Double)? {
        guard ended == nil, let rate = search.next else { return nil }
        number += 1
        return (number, rate)
    }

    /// Takes the result of the step that `begin` gave. Where the rig was late, the same rate is next; where it was late twice in
    /// a row, the rig is the limit.
    package mutating func take(_ played: Played, at rate: Double) {
        switch played {
        case .ended(let ending): ended = ending
        case .late(let reason) where late != nil:
            ended = .rigWasLimit(rate: rate, reason: reason)
        case .late(let reason): late = (number, reason)
        case .step(var step):
            if let late {
                step.repeats =
                    "repeats step \(late.number), in which the rig was late: \(Sanitizer.line(late.reason))"
            }
            late = nil
            search.note(rate: step.rate, held: step.held)
            steps.append(step)
        }
    }

    /// Nil while a step is to be played.
    package var ending: LimitReport.Ending? { ended ?? search.ending.map { .init($0) } }
}
