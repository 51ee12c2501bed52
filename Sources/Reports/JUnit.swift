internal import Checker
internal import Formats
internal import Rendering

/// junit.xml: thresholds, and whether the run is to be trusted, as test cases for a CI server.
enum JUnit {
    private struct TestCase {
        var name: String
        var failure: String?
        /// What a reader should know although it passed.
        var output: String?
    }

    static func text(_ summary: Summary) -> String {
        var run = [
            TestCase(
                name: "the run completed",
                failure: summary.outcome == .aborted ? summary.headline : summary.stoppedEarly),
            TestCase(
                name: "the rig was not the bottleneck",
                failure: summary.rigHealth.valid || !summary.rigHealth.breachFails
                    ? nil : summary.rigHealth.reasons.joined(separator: "; ")),
        ]
        if !summary.shards.isEmpty {
            run.append(
                TestCase(
                    name: "the whole plan was seen",
                    failure: summary.mergeGaps.first.map { first in
                        let others = summary.mergeGaps.dropFirst().filter { !first.contains($0) }
                        return ([first] + others).joined(separator: "; ")
                    },
                    output: summary.lostSentence.map { "households: \($0)" }))
        }
        if let outage = summary.outage {
            run.append(TestCase(name: "the service responded until the end", failure: outage))
        }
        if let noSignIn = summary.noSignIn {
            run.append(TestCase(name: "households signed in", failure: noSignIn))
        }
        let thresholds = summary.thresholds.map { result in
            TestCase(name: result.expression, failure: result.met ? nil : result.sentence)
        }
        run[0].output =
            summary.observations.isEmpty
            ? nil : summary.observations.map { "observed: \($0.sentence)" }.joined(separator: "\n")
        let promises = (summary.findings?.verdicts ?? []).filter { $0.checked > 0 }.map { verdict in
            let result = (summary.findings?.result(of: verdict.invariant)) ?? .kept
            // Its own may be one that fails nothing.
            let telling = result.cause.flatMap { summary.findings?[$0] } ?? verdict
            let example = telling.examples.first.map(Sanitizer.sentence)
            // A failure's message is the breach itself; what is more needs saying what it means.
            let words = result == .broken(with: nil) ? nil : result.words
            let told = [words, example].compactMap(\.self).joined(separator: ": ")
            let worth = result == .kept ? PassWorth(verdict) : nil
            return TestCase(
                name: verdict.invariant.name, failure: result.isBroken ? told : nil,
                output: result.isBroken
                    ? nil
                    : result.isQuiet
                        ? worth.map {
                            [$0.bound, $0.windowSentence].compactMap(\.self).joined(separator: "; ")
                        }
                        : told)
        }
        var suites = [("run", run), ("thresholds", thresholds)]
        let shows = summary.shows.map { result in
            TestCase(name: result.expression, failure: result.held ? nil : result.sentence)
        }
        if !shows.isEmpty { suites.append(("shows", shows)) }
        if !promises.isEmpty { suites.append(("invariants", promises)) }
        let cases = suites.flatMap(\.1)
        let attributes =
            "tests=\"\(cases.count)\" failures=\"\(cases.filter { $0.failure != nil }.count)\" "
            + "errors=\"0\" time=\"\(DecimalText.fixed(summary.run.seconds, 3))\""
        let body = suites.map { suite($0.0, $0.1, summary) }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(Markup.escaped(summary.run.rig))" \(attributes)>
            \(body)</testsuites>

            """
    }

    /// Of the suite that says how the run went: by what promises it was judged, and what was observed.
    private static func properties(_ summary: Summary) -> String {
        guard let findings = summary.findings else { return "" }
        let pairs =
            [("promises", findings.rules.promises.level.rawValue)]
            + summary.observations.map { ("observed", $0.sentence) }
        let rows = pairs.map {
            "      <property name=\"\($0.0)\" value=\"\(Markup.escaped($0.1))\"/>\n" as String
        }
        return "    <properties>\n\(rows.joined() as String)    </properties>\n"
    }

    private static func suite(_ name: String, _ cases: [TestCase], _ summary: Summary) -> String {
        let run = summary.run
        let failures = cases.filter { $0.failure != nil }.count
        let stamp = run.started.hasSuffix("Z") ? String(run.started.dropLast()) : run.started
        // The types are written out: GRDB, which comes along with `Journal`, offers a `joined` for its
        // SQL literals, and without them the compiler prefers it.
        let rows: String = cases.map { test -> String in
            let open =
                "    <testcase classname=\"screenrig.\(name)\" name=\"\(Markup.escaped(test.name))\" time=\"0\""
            let failure = test.failure.map {
                "      <failure message=\"\(Markup.escaped($0))\"/>\n"
            }
            let output = test.output.map {
                "      <system-out>\(Markup.escaped($0))</system-out>\n"
            }
            guard failure != nil || output != nil else { return "\(open)/>\n" }
            return "\(open)>\n\(failure ?? "")\(output ?? "")    </testcase>\n"
        }.joined()
        return """
              <testsuite name="\(name)" tests="\(cases.count)" failures="\(failures)" errors="0" \
            skipped="0" time="\(DecimalText.fixed(name == "run" ? run.seconds : 0, 3))" timestamp="\(stamp)">
            \(name == "run" ? properties(summary) : "")\(rows)  </testsuite>

            """
    }
}
