internal import Formats
internal import Rendering

/// What a race's report shows, in plain values: this module knows of no races, and who races knows of no
/// HTML.
package struct RacePicture: Sendable {
    package enum Verdict: String, Sendable { case pass, fail, aborted }

    package var rig: String
    package var target: String
    package var version: String
    /// UTC.
    package var started: String
    package var seconds: Double
    package var verdict: Verdict
    package var headline: String
    package var findings: [Finding]
    package var arms: [Arms]
    package var sweeps: [Sweep]
    /// Name and value: what it rests on.
    package var facts: [(name: String, value: String)]

    /// One broken promise, drawn as its case is; `command` is empty where there is no case.
    package struct Finding: Sendable {
        package var plan: String
        package var picture: CasePicture
        /// `when poll-token (tv) leaves +1 ms to +30 ms after authenticate (phone)`.
        package var when: String
        package var rate: String
        package var method: String
        /// Path of its case from the report on; nil: none was written.
        package var file: String?
    }

    /// Two arms that were compared.
    package struct Arms: Sendable {
        package var plan: String
        package var isBroken: Bool
        package var isDecided: Bool
        package var sentence: String
    }

    /// One way to play a plan.
    package struct Sweep: Sendable {
        package var plan: String
        package var title: String
        package var rounds: Int
        package var trials: Int
        package var discarded: Int
        /// Promises that broke there.
        package var broken: [String]
        /// Why it could not be played; empty where it could.
        package var obstacle: String
    }

    /// Every file but summary.json.
    package var files: [(name: String, text: String)] {
        [
            ("report.html", RacePage.text(self)), ("junit.xml", junit),
            ("findings.csv", findingRows),
            ("curves.csv", curveRows), ("sweeps.csv", sweepRows),
        ]
    }

    // MARK: Tables

    private var findingRows: String {
        var text = CSV.line([
            "plan", "invariant", "hits", "trials", "ci95_low", "ci95_high", "window_low_ms",
            "window_high_ms", "best_ms", "when", "method", "case", "sentence",
        ])
        for finding in findings {
            let picture = finding.picture
            let hits = picture.hits
            text += CSV.line([
                finding.plan, picture.invariant, hits.map { String($0.hits) } ?? "",
                hits.map { String($0.trials) } ?? "",
                hits.map { DecimalText.trimmed($0.low) } ?? "",
                hits.map { DecimalText.trimmed($0.high) } ?? "",
                picture.window.map { DecimalText.trimmed($0.low) } ?? "",
                picture.window.map { DecimalText.trimmed($0.high) } ?? "",
                picture.best.map { DecimalText.trimmed($0) } ?? "", finding.when, finding.method,
                finding.file ?? "", Sanitizer.line(picture.sentence, limit: 600),
            ])
        }
        return text
    }

    private var curveRows: String {
        var text = CSV.line(["plan", "invariant", "offset_ms", "hits", "trials"])
        for finding in findings {
            for point in finding.picture.curve {
                text += CSV.line([
                    finding.plan, finding.picture.invariant, DecimalText.trimmed(point.offset),
                    String(point.share.hits), String(point.share.trials),
                ])
            }
        }
        return text
    }

    private var sweepRows: String {
        var text = CSV.line([
            "plan", "way", "rounds", "trials", "discarded", "broken", "obstacle",
        ])
        for sweep in sweeps {
            text += CSV.line([
                sweep.plan, sweep.title, String(sweep.rounds), String(sweep.trials),
                String(sweep.discarded), sweep.broken.joined(separator: " "),
                Sanitizer.line(sweep.obstacle),
            ])
        }
        return text
    }

    // MARK: JUnit

    /// A case for each way to play a plan and for each two arms; what could not be played is skipped.
    private var junit: String {
        enum Ending {
            case passed
            case failed(String)
            case skipped(String)
        }
        var cases: [(name: String, ending: Ending)] = [
            (
                "the race completed",
                verdict == .aborted ? .failed("it was interrupted") : .passed
            )
        ]
        for sweep in sweeps {
            let own = findings.first {
                $0.plan == sweep.plan && sweep.broken.contains($0.picture.invariant)
            }
            let ending: Ending =
                if let own {
                    .failed("\(own.picture.invariant): \(own.when); \(own.picture.sentence)")
                } else if !sweep.broken.isEmpty {
                    .failed("\(sweep.broken.joined(separator: ", ")) violated here as well")
                } else if !sweep.obstacle.isEmpty {
                    .skipped(sweep.obstacle)
                } else if sweep.rounds == 0 {
                    .skipped("not swept")
                } else { .passed }
            cases.append((sweep.title, ending))
        }
        for arm in arms {
            cases.append(
                (
                    arm.plan,
                    arm.isBroken
                        ? .failed(arm.sentence)
                        : arm.isDecided ? .passed : .skipped(arm.sentence)
                ))
        }
        var failures = 0
        var skipped = 0
        var rows = ""
        for test in cases {
            rows +=
                "    <testcase classname=\"screenrig.race\" name=\"\(Markup.escaped(test.name))\" time=\"0\""
            switch test.ending {
            case .passed: rows += "/>\n"
            case .failed(let why):
                failures += 1
                rows +=
                    ">\n      <failure message=\"\(Markup.escaped(Sanitizer.line(why, limit: 600)))\"/>\n    </testcase>\n"
            case .skipped(let why):
                skipped += 1
                rows +=
                    ">\n      <skipped message=\"\(Markup.escaped(Sanitizer.line(why)))\"/>\n    </testcase>\n"
            }
        }
        let counts = "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"0\""
        let time = "time=\"\(DecimalText.fixed(seconds, 3))\""
        let stamp = started.hasSuffix("Z") ? String(started.dropLast()) : started
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(Markup.escaped(rig))" \(counts) \(time)>
              <testsuite name="race" \(counts) skipped="\(skipped)" \(time) timestamp="\(stamp)">
            \(rows)  </testsuite>
            </testsuites>

            """
    }
}
