internal import Formats
internal import Rendering
internal import Statistics

/// The tables of a race, for machines.
extension RaceReport {
    /// Every file but summary.json.
    var pages: [(name: String, text: String)] {
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
            "window_high_ms", "best_ms", "when", "method", "case", "sentence", "source", "known",
        ])
        for found in findings {
            let finding = found.finding
            let rate = finding.isRare ? finding.total : finding.rate
            text += CSV.line([
                finding.plan, finding.invariant.name, String(rate.hits), String(rate.trials),
                DecimalText.trimmed(rate.interval.low), DecimalText.trimmed(rate.interval.high),
                finding.window.map { DecimalText.trimmed($0.low.milliseconds) } ?? "",
                finding.window.map { DecimalText.trimmed($0.high.milliseconds) } ?? "",
                DecimalText.trimmed(finding.best.milliseconds), RaceText.whenText(finding),
                finding.method, found.file ?? "", Sanitizer.line(finding.sentence, limit: 600),
                finding.source.rawValue,
                outcome.isKnown(finding.promise, in: finding.plan) ? "true" : "false",
            ])
        }
        return text
    }

    private var curveRows: String {
        var text = CSV.line(["plan", "invariant", "offset_ms", "hits", "trials"])
        for finding in outcome.findings {
            for point in finding.curve {
                text += CSV.line([
                    finding.plan, finding.invariant.name,
                    DecimalText.trimmed(point.offset.milliseconds), String(point.rate.hits),
                    String(point.rate.trials),
                ])
            }
        }
        return text
    }

    private var sweepRows: String {
        var text = CSV.line([
            "plan", "way", "rounds", "trials", "discarded", "broken", "obstacle",
        ])
        for sweep in outcome.sweeps {
            text += CSV.line([
                sweep.plan, sweep.title, String(sweep.rounds), String(sweep.trials),
                String(sweep.discarded), broken(sweep).joined(separator: " "),
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
                isInterrupted
                    ? .failed("it was interrupted")
                    : outcome.whyMostWereLost.map { .failed($0) } ?? .passed
            )
        ]
        for sweep in outcome.sweeps {
            let broken = broken(sweep)
            let own = outcome.findings.first {
                $0.plan == sweep.plan && !outcome.isKnown($0.promise, in: $0.plan)
            }
            let new = outcome.new.filter { $0.plan == sweep.plan }
            let ending: Ending =
                if new.isEmpty, !broken.isEmpty {
                    .skipped("known from the baseline: \(broken.joined(separator: ", ")) violated")
                } else if let own {
                    .failed(
                        "\(own.invariant.name): \(RaceText.whenText(own)); \(own.sentence)")
                } else if !broken.isEmpty {
                    .failed("\(broken.joined(separator: ", ")) violated here as well")
                } else if !sweep.obstacle.isEmpty {
                    .skipped(sweep.obstacle)
                } else if sweep.rounds == 0 {
                    .skipped("not swept")
                } else if !sweep.isWhole {
                    .skipped("nothing found, and not swept whole")
                } else { .passed }
            cases.append((sweep.title, ending))
        }
        for arm in outcome.comparisons {
            cases.append(
                (
                    arm.plan.name,
                    arm.isBroken
                        ? outcome.isKnown(arm.plan.promise, in: arm.plan.name)
                            ? .skipped("known from the baseline: \(sentence(arm))")
                            : .failed(sentence(arm))
                        : arm.isPartial ? .skipped(sentence(arm)) : .passed
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
        let time = "time=\"\(DecimalText.fixed(outcome.elapsed / .seconds(1), 3))\""
        let stamp = started.hasSuffix("Z") ? String(started.dropLast()) : started
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(Markup.escaped(about.rig))" \(counts) \(time)>
              <testsuite name="race" \(counts) skipped="\(skipped)" \(time) timestamp="\(stamp)">
            \(rows)  </testsuite>
            </testsuites>

            """
    }
}
