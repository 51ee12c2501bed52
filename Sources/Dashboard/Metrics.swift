internal import Checker
internal import Dialects
internal import Journal
internal import Reports
internal import Statistics
internal import Vocabulary

/// A run as Prometheus reads it. docs/live.md lists the metrics; their names are kept.
enum Metrics {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Upper bounds of the buckets of latencies and of the rig's lateness, in seconds. Counted from
    /// histograms of 256 buckets to an octave: a value within 0.4 % of a bound may stand on its
    /// other side.
    static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
    /// The same of sign-ins, which wait for people.
    static let slowBounds: [Double] = [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800]

    static func text(_ state: LiveState, _ subject: ShownRun) -> String {
        var page = Exposition()
        about(subject, state, &page)
        exchanges(state.progress, &page)
        latencies(state.progress, &page)
        if let search = state.search {
            trials(search, &page)
        } else {
            households(state, &page)
        }
        if let findings = state.findings { promises(findings, &page) }
        return page.text
    }

    private static func about(_ subject: ShownRun, _ state: LiveState, _ page: inout Exposition) {
        page.begin("screenrig_info", .gauge, help: "Rig, run and target; always 1.")
        page.sample(
            "screenrig_info",
            [
                ("rig", subject.rig), ("run", subject.run), ("target", subject.target),
                ("version", subject.version),
            ], 1)
        page.begin("screenrig_elapsed_seconds", .gauge, help: "Elapsed time of the run.")
        page.sample(
            "screenrig_elapsed_seconds", [], state.progress.elapsed.milliseconds / 1000)
    }

    private static func exchanges(_ progress: Progress, _ page: inout Exposition) {
        page.begin(
            "screenrig_requests_sent_total", .counter,
            help: "Requests sent, by operation, including connection attempts (connect, tls).")
        for work in progress.works {
            page.sample("screenrig_requests_sent_total", label(work), work.sent)
        }
        page.begin(
            "screenrig_exchanges_total", .counter,
            help: "Completed requests, by operation and outcome.")
        for work in progress.works {
            for outcome in Outcome.allCases where work.outcomes[Int(outcome.rawValue)] > 0 {
                page.sample(
                    "screenrig_exchanges_total", label(work) + [("outcome", outcome.name)],
                    work.outcomes[Int(outcome.rawValue)])
            }
        }
        page.begin(
            "screenrig_errors_total", .counter,
            help: "Requests that failed, by operation.")
        for work in progress.works {
            page.sample("screenrig_errors_total", label(work), work.errors)
        }
        page.begin(
            "screenrig_requests_held_back_total", .counter,
            help: "Requests delayed by a rate limit of the rig.")
        page.sample("screenrig_requests_held_back_total", [], progress.heldBack)
    }

    private static func latencies(_ progress: Progress, _ page: inout Exposition) {
        page.begin(
            "screenrig_latency_seconds", .histogram,
            help: "Time from when a request was due to the end of its response.")
        for work in progress.works {
            page.histogram("screenrig_latency_seconds", label(work), work.latency, bounds)
        }
        page.begin(
            "screenrig_lateness_seconds", .histogram,
            help: "Delay with which the rig sent a request.")
        page.histogram("screenrig_lateness_seconds", [], progress.lateness, bounds)
        page.begin(
            "screenrig_sign_in_seconds", .histogram,
            help: "Time from the code to the token on the TV, including the viewer's own time.")
        page.histogram("screenrig_sign_in_seconds", [], progress.signIn, slowBounds)
    }

    private static func households(_ state: LiveState, _ page: inout Exposition) {
        let households = state.progress.households
        page.begin(
            "screenrig_households_started_total", .counter, help: "Households that have arrived.")
        page.sample("screenrig_households_started_total", [], households.started)
        if let planned = state.plannedHouseholds {
            page.begin(
                "screenrig_households_planned", .gauge, help: "Planned households.")
            page.sample("screenrig_households_planned", [], planned)
        }
        page.begin(
            "screenrig_households", .gauge,
            help: "Households by outcome; signed-in ones may still be in progress.")
        let known = [
            ("signed-in", households.signedIn - households.preSignedIn),
            ("pre-signed-in", households.preSignedIn),
            ("failed", households.failed), ("abandoned", households.abandoned),
        ]
        let open = households.started - known.reduce(0) { $0 + $1.1 }
        for (state, count) in [("running", open)] + known {
            page.sample("screenrig_households", [("state", state)], count)
        }
        page.begin(
            "screenrig_households_at", .gauge,
            help: "Households in progress, by furthest stage.")
        for stage in Stage.allCases {
            page.sample(
                "screenrig_households_at", [("stage", stage.name)],
                households.runningAt[Int(stage.rawValue)])
        }
    }

    private static func trials(_ search: LiveSearch, _ page: inout Exposition) {
        page.begin("screenrig_race_trials_total", .counter, help: "Trials of the search.")
        page.sample("screenrig_race_trials_total", [], search.trials)
        page.begin(
            "screenrig_race_discarded_total", .counter, help: "Inconclusive trials.")
        page.sample("screenrig_race_discarded_total", [], search.discarded)
        page.begin(
            "screenrig_race_findings", .gauge,
            help: "Promises found violated so far, by plan; always 1.")
        for found in search.found {
            page.sample(
                "screenrig_race_findings", [("plan", found.plan), ("invariant", found.invariant)],
                1)
        }
    }

    private static func promises(_ findings: LiveFindings, _ page: inout Exposition) {
        page.begin(
            "screenrig_judged_exchanges_total", .counter,
            help: "Requests checked so far.")
        page.sample("screenrig_judged_exchanges_total", [], findings.judged)
        page.begin(
            "screenrig_violations", .gauge,
            help: "Violations that fail the run, by promise, so far.")
        for invariant in Invariant.allCases {
            let found = findings.counts.first { $0.invariant == invariant }
            page.sample(
                "screenrig_violations", [("invariant", invariant.name)],
                found?.violations ?? 0)
        }
    }

    private static func label(_ work: Progress.Work) -> Exposition.Labels {
        [("operation", work.operation.name)]
    }
}

extension Exposition {
    /// Cumulative buckets up to each bound, then all, their sum and their count.
    mutating func histogram(
        _ name: String, _ labels: Labels, _ histogram: Histogram, _ bounds: [Double]
    ) {
        let filled = histogram.filled
        var (position, seen) = (0, 0)
        for bound in bounds {
            let limit = Int64((bound * 1e9).rounded())
            while position < filled.count,
                filled[position].low + filled[position].width / 2 <= limit
            {
                seen += filled[position].count
                position += 1
            }
            sample("\(name)_bucket", labels + [("le", Self.number(bound))], seen)
        }
        sample("\(name)_bucket", labels + [("le", "+Inf")], histogram.count)
        sample("\(name)_sum", labels, Double(histogram.sum) / 1e9)
        sample("\(name)_count", labels, histogram.count)
    }
}
