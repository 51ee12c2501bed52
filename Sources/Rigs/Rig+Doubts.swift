internal import Dialects
internal import Vocabulary

/// Lines that are each right and say what nobody can have meant.
extension Rig {
    func checkMeaning(_ marks: Marks, _ reader: inout ValueReader) {
        checkHeaders(marks, &reader)
        checkBounds(marks["thresholds"], &reader)
        checkSeries(marks["nightly"]["series"], &reader)
    }

    /// Bodies in a content coding are not read (`ReplyDocument.unreadable`).
    private func checkHeaders(_ marks: Marks, _ reader: inout ValueReader) {
        var given = [(target.headers, marks["target"]["headers"])]
        for (kind, marks) in zip(kinds, marks["kinds"].items) {
            let screens = marks["requests"]
            given.append((kind.requests.first.headers, screens["first-screen"]["headers"]))
            given.append((kind.requests.second.headers, screens["second-screen"]["headers"]))
        }
        for (headers, marks) in given {
            guard let coding = headers["Accept-Encoding"], !coding.equalsIgnoringCase("identity")
            else { continue }
            reader.warn(
                marks.place,
                "Accept-Encoding asks for compressed bodies, which screenrig does not read: such responses count as "
                    + "errors; remove it")
        }
    }

    private func checkBounds(_ marks: Marks, _ reader: inout ValueReader) {
        for (line, marks) in zip(thresholds.suffix(marks.items.count), marks.items) {
            if line.isNeverMet {
                reader.refuse(
                    marks.place, "'\(line.text)' can never be met; write a bound that can")
            } else if line.asksForHarm {
                reader.warn(
                    marks.place,
                    "'\(line.text)' is met when there are more, and missed when all is well; write < to limit them"
                )
            }
        }
    }

    private func checkSeries(_ marks: Marks, _ reader: inout ValueReader) {
        var known: Set<Series> = []
        for (series, marks) in zip(nightly.series, marks.items) {
            var meaning = series
            meaning.text = ""
            guard !known.insert(meaning).inserted else { continue }
            reader.refuse(marks.place, "'\(series.text)' is in the series twice; remove this line")
        }
    }
}

extension Threshold {
    /// No number is below nothing, and no share above all.
    fileprivate var isNeverMet: Bool {
        switch (comparison, measure) {
        case (.below, _): bound <= 0
        case (.above, .errors), (.above, .throttled), (.above, .share): bound >= 1
        default: false
        }
    }

    /// A lower bound of what a rig is there to find little of.
    fileprivate var asksForHarm: Bool {
        guard comparison == .above || comparison == .atLeast else { return false }
        return switch (subject, measure) {
        case (_, .errors): true
        case (.householdsFailed, _), (.householdsAbandoned, _), (.householdsDiverted, _),
            (.violations, _), (.undecided, _), (.invariant, _):
            true
        default: false
        }
    }
}
