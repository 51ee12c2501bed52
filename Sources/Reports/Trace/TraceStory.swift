internal import Checker
internal import Dialects
internal import Formats
internal import Journal
internal import Rendering
internal import Vocabulary

extension Exchange {
    /// What it is in a sign-in, whatever the protocol.
    var signInStep: SignInStep { operation.step(onFirstScreen: device.role == .firstScreen) }
}

// MARK: The household in a few sentences

extension Trace {
    /// An instant as the page's clock shows it: since the household arrived, `4.902 s`; on the page of a household
    /// that lasted a minute or longer `0:04.902`.
    func clock(_ instant: Instant) -> String {
        let milliseconds = Int((instant - origin).milliseconds.rounded())
        if through - origin < .seconds(60) {
            return "\(DecimalText.fixed(Double(milliseconds) / 1000, 3)) s"
        }
        let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
        let minutes = seconds / 60
        let shown = [
            seconds % 60 < 10 ? "0\(seconds % 60)" : "\(seconds % 60)", String(rest + 1000),
        ]
        return "\(minutes):\(shown[0]).\(shown[1].dropFirst())"
    }

    /// Who did what, in the order of time.
    var story: [String] {
        var lines: [String] = []
        if let shown = record.codeShown {
            let code = shownCode.map { " code \($0.text)" } ?? " a code"
            lines.append("The TV showed\(code) at \(clock(shown)).")
        } else if record.fate == .preSignedIn {
            lines.append("The TV was signed in already when it was switched on.")
        }
        lines += [phoneSentence, tokenSentence].compactMap(\.self)
        if let played = first(.mediaToken) {
            lines.append("The TV was given a media token at \(clock(played.ended)).")
        }
        if let out = first(.logout) { lines.append("It logged out at \(clock(out.ended)).") }
        if let ended = record.ended { lines.append("It ended at \(clock(ended)): \(fate).") }
        return lines.map { Sanitizer.line($0) }
    }

    /// The household's own first exchange of that step that succeeded.
    private func first(_ step: SignInStep) -> Exchange? {
        exchanges.lazy.map(\.exchange).first {
            $0.signInStep == step && $0.outcome == .ok && $0.device.household == household
        }
    }

    private var phoneSentence: String? {
        let phones = exchanges.map(\.exchange).filter {
            $0.device.household == household && $0.device.role == .secondScreen
        }
        guard let begun = phones.first else { return nil }
        let typed =
            phones.contains { $0.signInStep == .lookUpCode }
            ? "The phone looked the code up at \(clock(begun.sent))"
            : "The phone began at \(clock(begun.sent))"
        if record.phoneDone == nil, let seen = record.tokenSeen, begun.sent > seen {
            return "\(typed), for another sign-in."
        }
        let login = phones.last { exchange in
            exchange.ended <= record.phoneDone ?? through && exchange.observation.result != .denied
                && exchange.observation.tag.map { !$0.user.isEmpty } ?? false
        }
        let account = login?.observation.tag.map(BeliefText.name)
        guard let done = record.phoneDone else {
            return (account.map { "\(typed), typed the password of \($0)," } ?? "\(typed),")
                + " and was not told that it is signed in."
        }
        return (account.map { "\(typed), signed in as \($0)," } ?? "\(typed),")
            + " and was told at \(clock(done)) that it is signed in."
    }

    private var tokenSentence: String? {
        guard let seen = record.tokenSeen else {
            guard record.codeShown != nil else { return nil }
            return "The TV polled \(Figures.counted(record.polls, "time")) and never saw a token."
        }
        let polls = exchanges.map(\.exchange).filter { exchange in
            exchange.signInStep == .poll && exchange.device.household == household
                && exchange.device.role == .firstScreen && exchange.ended <= seen
                && exchange.sent >= record.arrived
        }
        let last = polls.last.flatMap { $0.observation.result == .success ? $0 : nil }
        let token = last?.observation.tag.map { "the token of \(BeliefText.name($0))" }
        let number = last == nil ? "" : ", by poll \(Figures.count(polls.count))"
        let after = record.phoneDone.map { done in
            let distance = Figures.time(milliseconds: max(seen - done, done - seen).milliseconds)
            return ", \(distance) \(seen < done ? "before" : "after") the phone was told"
        }
        return "The TV saw \(token ?? "its token") at \(clock(seen))\(number)\(after ?? "")."
    }

    /// How it ended: `signed in`, `failed: no code`.
    var fate: String {
        let cause = record.cause.isEmpty ? "" : ": \(record.cause)"
        return switch record.fate {
        case .running: "still in progress"
        case .signedIn: "signed in"
        case .preSignedIn: "signed in on arrival"
        case .failed: "failed\(cause)"
        case .abandoned:
            switch record.abandonedBy {
            case .viewer: "the viewer gave up\(cause)"
            case .service: "abandoned because of the service\(cause)"
            case .run: record.wasCutOff ? "the run ended first\(cause)" : "gave up\(cause)"
            case nil: "gave up\(cause)"
            }
        }
    }

    // MARK: The verdict

    /// As colours have it: a class of the page's sheet.
    var tone: String {
        let standings = violations.map(\.violation.standing)
        if standings.contains(.fails) || record.fate == .failed { return "fail" }
        if !standings.isEmpty || record.fate == .abandoned || record.fate == .running {
            return "observed"
        }
        return "pass"
    }

    /// How it ended, and which promises were violated.
    var verdict: String {
        let end = fate.prefix(1).uppercased() + fate.dropFirst()
        guard let first = violations.first?.violation else {
            return Sanitizer.line(
                isJudged ? "\(end). No promise was violated." : "\(end).", limit: 400)
        }
        let others = violations.count - 1
        let more = others == 0 ? "" : ", and \(Figures.counted(others, "other violation"))"
        return Sanitizer.line(
            "Violated: \(first.invariant.name) (“\(first.invariant.line)”)\(more). \(end).",
            limit: 400)
    }
}

/// A belief in words.
enum BeliefText {
    /// `signed in as viewer-3 of DemoCable, or signed out`.
    static func words(_ view: Belief.View) -> String {
        switch view {
        case .possible(let states): states.map(state).joined(separator: ", or ")
        case .contradicted: "no state explains all responses so far"
        case .undecided: "unknown: too many requests in flight at once"
        }
    }

    /// The same where there is little room.
    static func brief(_ view: Belief.View) -> String {
        switch view {
        case .possible(let states):
            states.map { $0.isEmpty ? "no token" : $0.map { user($0) }.joined(separator: " + ") }
                .joined(separator: " or ")
        case .contradicted: "contradiction"
        case .undecided: "unknown"
        }
    }

    /// A class of the page's sheet.
    static func style(_ view: Belief.View?) -> String {
        switch view {
        case .possible(let states) where states.count > 1: "b-open"
        case .possible(let states): states.first?.isEmpty ?? true ? "b-out" : "b-in"
        case .contradicted: "b-broken"
        case .undecided, nil: "b-none"
        }
    }

    private static func state(_ signIns: [Tag]) -> String {
        signIns.isEmpty
            ? "no token" : "token of " + signIns.map(name).joined(separator: " and of ")
    }

    /// What the service calls the user is not always known: then the provider has to do.
    private static func user(_ tag: Tag) -> String {
        if !tag.user.isEmpty { return Sanitizer.line(tag.user, limit: 60) }
        return tag.mvpd.isEmpty
            ? "somebody" : "sign-in at \(Sanitizer.line(tag.mvpd, limit: 60))"
    }

    /// `viewer-3 of DemoCable`.
    static func name(_ tag: Tag) -> String {
        if tag.user.isEmpty { return tag.mvpd.isEmpty ? user(tag) : "the \(user(tag))" }
        let provider = tag.mvpd.isEmpty ? "" : " of \(Sanitizer.line(tag.mvpd, limit: 60))"
        return "\(user(tag))\(provider)"
    }
}
