internal import Formats
internal import Rendering
internal import Vocabulary

/// A case as a text for the people who maintain the server: what was promised, where it says so, what
/// happened, how often, and how to see it again. Markdown, as trackers take it. Holds what the case holds:
/// no secret, and a device code as its fingerprint at most.
struct FindingText {
    let found: Case
    /// Name and version of the server's software, as the sender knows them; nil: a blank to be filled in.
    let server: String?
    /// The file's name of the script that goes with it, or why there is none.
    let script: Script
    /// What would be typed to replay it.
    let command: String

    enum Script {
        case file(String)
        case none(reason: String)
    }

    var text: String {
        let promise = found.expected.invariant
        return
            ([
                "# \(promise.name) violated",
                Sanitizer.line(found.expected.sentence, limit: 600),
                "## What was promised", promised, "## What happened", happened,
                "## How often", often, "## How to see it again", again, "## Versions and settings",
                settings,
            ] + (objections.isEmpty ? [] : ["## Objections that were considered", objections]))
            .joined(separator: "\n\n") + "\n"
    }

    private var isDeviceGrant: Bool { found.spoken == .oauthDeviceGrant }

    private var promised: String {
        let promise = found.expected.invariant
        let clauses = isDeviceGrant ? promise.grantClauses : []
        let binds =
            switch found.expected.source {
            case .documented where isDeviceGrant: "A standard requires it."
            case .documented: "The protocol's documentation requires it."
            case .policy:
                "It is a policy that the test was given, not a requirement of the protocol."
            case .ours:
                "No standard requires it in these words: it is what the test expects of a server, and "
                    + "whether to keep it is the server's decision."
            }
        let safety =
            promise.isSafety
            ? " It is a matter of safety: somebody may get what is another's, or what was refused."
            : ""
        return
            (["Promise: \(promise.line).", "Violated by: \(promise.meaning)", binds + safety]
            + (clauses.isEmpty
                ? [] : [clauses.map { "- \($0.reference): \($0.says)." }.joined(separator: "\n")]))
            .joined(separator: "\n\n")
    }

    // MARK: What happened

    private var happened: String {
        guard let trial = found.trial, let zero = trial.exchanges.map(\.sent).min() else {
            return
                "The case was not replayed yet, so it holds no trial: `\(command) --save` adds one."
        }
        let hasIDs = trial.exchanges.contains { !$0.requestID.isEmpty }
        var lines = [
            "One trial, on \(trial.utc(zero).prefix(10)). ▸ marks the requests that contradict each other; "
                + "times are of one clock: UTC when it was sent, and in ms after the first request: sent, and answered.",
            "",
            "|  | UTC | sent | answered | screen | request | status | answer |"
                + (hasIDs ? " request id |" : ""),
            "|---|---|---|---|---|---|---|---|" + (hasIDs ? "---|" : ""),
        ]
        for entry in trial.exchanges {
            let sent = DecimalText.fixed(Double(entry.sent - zero) / 1e6, 1)
            let answered =
                entry.isOpen ? "never" : DecimalText.fixed(Double(entry.firstByte - zero) / 1e6, 1)
            let status = entry.status.map(String.init) ?? ""
            lines.append(
                "| \(entry.isConflict ? "▸" : "") | \(trial.time(entry.sent)) | \(sent) | \(answered) | "
                    + "\(found.lane(of: entry)) | \(cell(request(entry))) | \(status) | \(cell(entry.answer)) |"
                    + (hasIDs ? " \(cell(entry.requestID)) |" : ""))
        }
        if let aside = found.trialAside { lines += ["", aside] }
        if !found.schedule.ops.isEmpty {
            lines += ["", "What is timed: " + schedule + "." + login]
        }
        return lines.joined(separator: "\n")
    }

    private func request(_ entry: Case.Entry) -> String {
        guard let request = entry.request else {
            return "\(entry.operation.name) #\(entry.sequence)"
        }
        return "\(entry.operation.name) #\(entry.sequence): \(request.method) \(request.url)"
    }

    private var schedule: String {
        found.schedule.ops.map { "\($0.id) (\($0.actor)) \(Case.when($0))" }.joined(separator: ", ")
    }

    /// A login is one op of several requests, which the table has by their own names.
    private var login: String {
        let last = found.trial?.exchanges.last { entry in
            entry.operation != .authenticate
                && found.schedule.ops.contains { $0.step == .authenticate && $0.id == entry.op }
        }
        guard let last else { return "" }
        return " Here '\(last.op)' is the whole login, whose last request is "
            + "\(last.operation.name) #\(last.sequence)."
    }

    /// What a server or a rig has written must not end its cell.
    private func cell(_ text: String) -> String {
        Sanitizer.line(text, limit: 200).replacing("|", with: "\\|").replacing("`", with: "'")
    }

    // MARK: How often

    private var often: String {
        guard let evidence = found.evidence, evidence.rate.trials > 0 else {
            let seen =
                found.evidence == nil ? "Seen in a run" : "Seen in a search that its limit ended"
            return "\(seen); its rate is not measured yet."
        }
        var lines = [
            "\(evidence.rate.text) trials, \(evidence.windowText); each trial has a device, a code and an "
                + "account that nothing has used before."
        ]
        func control(_ name: String, _ arm: Case.Arm?) {
            guard let arm else { return }
            lines.append(
                "- \(name): \(arm.rate.counted) (Fisher's exact test, p = \(Case.exponent(arm.fisher)))."
            )
        }
        control("Control, the same requests outside the window", found.controls.outside)
        control(
            "Control, the same requests on a stand-in that keeps the promise", found.controls.clean)
        for left in found.almost where left.note.isEmpty {
            lines.append("- Without \(left.without): \(left.rate.counted).")
        }
        return lines.joined(separator: "\n")
    }

    // MARK: Again

    private var again: String {
        let times = 40
        switch script {
        case .file(let name):
            let accounts = isDeviceGrant ? "SCREENRIG_ACCOUNTS=accounts.csv " : ""
            // That of an embedded stand-in is gone.
            let target = found.target.name.hasPrefix("http") ? found.target.name : "URL"
            return """
                The script \(name) goes with this text. It needs Python 3.8 and nothing else, and prints how many \
                of \(times) trials show it:

                    \(accounts)python3 \(name) \(Sanitizer.line(target)) \(times)

                The head of the script says what it reads from its environment: accounts that may sign in and, of a \
                confidential client, its secret. Run it against a server of your own, never against one that people \
                use.
                """
        case .none(let reason):
            return """
                With screenrig, because \(reason):

                    \(command) --target URL --times \(times)
                """
        }
    }

    // MARK: Versions

    private var settings: String {
        let facts: [(String, String)] = [
            ("Server", server ?? "??? (name, version, database, number of workers)"),
            ("Its Server header", found.target.server), ("Address", found.target.name),
            ("Protocol", found.target.protocolName), ("Found", found.made),
            ("Found by", found.evidence?.method ?? "an ordinary run"), ("Case", found.name),
            ("screenrig", found.version),
        ]
        let table =
            ["| | |", "|---|---|"]
            + facts.filter { !$0.1.isEmpty }.map { "| \($0.0) | \(cell($0.1)) |" }
        let lines = shownRig
        guard !lines.isEmpty else { return table.joined(separator: "\n") }
        return
            (table + ["", "The settings of the test that concern the server:", ""]
            + lines.map { "    \($0)" }).joined(separator: "\n")
    }

    /// The parts of the rig that say how the server is asked; not whose accounts were used.
    private var shownRig: [String] {
        let wanted = ["target", "policies", "polling", "code"]
        var isShown = false
        return Sanitizer.lines(found.rig.source).split(separator: "\n").compactMap { line in
            if let first = line.first, first.isLetter {
                isShown = wanted.contains(String(line.prefix { $0 != ":" }))
            }
            return isShown ? String(line) : nil
        }
    }

    private var objections: String {
        found.alternatives.map {
            "- \(Sanitizer.line($0.explanation)): ruled out, because "
                + "\(Sanitizer.line($0.ruledOutBy, limit: 400))."
        }.joined(separator: "\n")
    }
}

extension Case {
    /// A text for the server's maintainers, in Markdown. `server`: name and version of its software; nil is
    /// a blank. `script`: the file's name of the emitted script; nil where there is none, for that reason.
    /// `file`: what a reader would type after `replay`.
    public func finding(
        server: String?, script: String?, reason: String = "", replaying file: String
    ) -> String {
        FindingText(
            found: self, server: server,
            script: script.map(FindingText.Script.file) ?? .none(reason: reason),
            command: replayCommand(of: file)
        ).text
    }
}
