internal import Vocabulary

/// What the lines of a rig say of operations: thresholds, checks, series.
extension RigRewriter {
    mutating func lines() {
        for path in [["thresholds"], ["nightly", "series"]] {
            rewrite(path) { words, others in Self.measured(words, others: others) }
        }
        rewrite(["shows"]) { [goneKinds] words, _ in
            Self.shown(words, hasLostSDK: !goneKinds.isEmpty)
        }
        if let entry = tree.entries?.first(where: { $0.key == "shows" }), !emptied.contains("shows")
        {
            tell(
                entry.keyPlace, .check,
                "shows: flows of V2 have other requests, and other numbers of them; 'screenrig simulate' of the "
                    + "new rig names the lines that no longer hold")
        }
        known()
    }

    /// What becomes of a line, as its words behind the kind.
    enum Line {
        case same
        case changed([String])
        case removed(String)
        /// It stays, and may mean something else.
        case doubtful(String)
    }

    /// Rewrites each line of a list; `others` are the subjects of the other lines.
    private mutating func rewrite(
        _ path: [String], _ become: ([String], Set<String>) -> Line
    ) {
        guard let list = tree(at: path), case .list(let items) = list.content else { return }
        let subjects = items.map { Self.words(Self.parts($0).line).first ?? "" }
        var gone: Set<Int> = []
        var written: Set<String> = []
        for (position, item) in items.enumerated() {
            let (kind, line) = Self.parts(item)
            let said = "\(path.joined(separator: ".")) '\(line)'"
            if let kind, goneKinds.contains(kind) {
                tell(item.place, .removed, "\(said): its kind '\(kind)' is gone")
                gone.insert(position)
                continue
            }
            let others = Set(subjects.indices.filter { $0 != position }.map { subjects[$0] })
            switch become(Self.words(line), others) {
            case .same: written.insert("\(kind ?? ""): \(line)")
            case .removed(let reason):
                tell(item.place, .removed, "\(said): \(reason)")
                gone.insert(position)
            case .changed(let words):
                let new = words.joined(separator: " ")
                guard written.insert("\(kind ?? ""): \(new)").inserted else {
                    tell(item.place, .removed, "\(said): it would repeat '\(new)'")
                    gone.insert(position)
                    continue
                }
                write(new, in: item)
                tell(item.place, .changed, "\(said) is '\(new)'")
            case .doubtful(let doubt):
                tell(item.place, .check, "\(said): \(doubt)")
                written.insert("\(kind ?? ""): \(line)")
            }
        }
        if edits.remove(itemsAt: gone, from: list) { isEmpty(path) }
    }

    /// Another line in the place of an item, behind its kind.
    private mutating func write(_ line: String, in item: YAMLTree) {
        if let entry = item.entries?.first {
            edits.replace(entry.value, by: line)
        } else if let text = item.scalarText {
            let prefix = text.dropLast(Self.parts(item).line.count)
            edits.replace(item, by: prefix + line)
        }
    }

    /// The kind that a line is about, and the rest of it.
    private static func parts(_ item: YAMLTree) -> (kind: String?, line: String) {
        let whole = item.lineOfKind ?? item.scalarText ?? ""
        var rest = whole[...]
        let kind = try? Threshold.kind(&rest)
        return (kind, String(rest))
    }

    private static func words(_ line: String) -> [String] {
        line.split(separator: " ").map(String.init)
    }

    // MARK: Thresholds and series

    /// `poll-token p99 < 200ms`.
    private static func measured(_ words: [String], others: Set<String>) -> Line {
        guard let first = words.first else { return .same }
        if first == Invariant.deleteFinal.name {
            return .removed("the promise is void: nothing deletes a code in V2 (§ 15, I11)")
        }
        guard let operation = OperationName(name: first), !operation.isOfV2 else { return .same }
        if operation == .mediaToken, others.contains(OperationName.authorize.name) {
            return .removed("the answer to authorize has the media token in it (§ 7)")
        }
        guard let other = operation.counterpartsInV2.first else {
            return .removed(reason(for: operation))
        }
        return .changed([other.name] + words.dropFirst())
    }

    // MARK: Checks

    /// `poll-token 404 >= 3`.
    private static func shown(_ words: [String], hasLostSDK: Bool) -> Line {
        guard let first = words.first else { return .same }
        if first == "violation", words.dropFirst().first == Invariant.deleteFinal.name {
            return .removed("the promise is void: nothing deletes a code in V2 (§ 15, I11)")
        }
        if first == "event", hasLostSDK, isOfSDK(words.dropFirst().joined(separator: " ")) {
            return .removed("only an app with the SDK has this event")
        }
        guard let operation = OperationName(name: first) else { return .same }
        let bound = words.firstIndex { Threshold.Relation(rawValue: $0) != nil } ?? words.count
        var result = Array(words[1..<bound])
        let rest = words[bound...]
        let isBelow = ["<", "<=", "=="].contains(rest.first ?? "")
        if isBelow, operation == .pollToken || operation == .checkCode {
            return .removed(
                "profiles-by-code is the TV's poll and the phone's check in one count (§ 16.1)")
        }
        if operation == .authorize, result == ["403"] {
            return .doubtful(
                "in V2 403 means that nobody is signed in; a denial is answered 200 and counted as "
                    + "'authorize not-entitled' (§ 7)")
        }
        guard let position = result.firstIndex(where: { Int($0) != nil }),
            let status = Int(result[position])
        else {
            if operation.isOfV2 { return .same }
            guard let other = operation.counterpartsInV2.first else {
                return .removed(reason(for: operation))
            }
            return .changed([other.name] + result + rest)
        }
        guard let other = answer(operation, status) else {
            return .removed(
                operation.counterpartsInV2.isEmpty
                    ? reason(for: operation)
                    : "no answer of V2 says what \(status) says in V1; write it anew")
        }
        guard (other.operation, other.result) != (operation, "\(status)") else { return .same }
        result[position] = other.result
        return .changed([other.operation.name] + result + rest)
    }

    /// What V2 answers where V1 answers `status`: a status, or the outcome where several meanings share
    /// a status (rest-v2.md § 5.5, § 6, § 7, § 9). Nil where nothing says the same.
    private static func answer(
        _ operation: OperationName, _ status: Int
    ) -> (operation: OperationName, result: String)? {
        guard let other = operation.counterpartsInV2.first else { return nil }
        switch (operation, status) {
        case (_, 429), (_, 401), (_, 500...599): return (other, "\(status)")
        case (.pollToken, 200), (.checkCode, 200), (.checkAuthentication, 200): return (other, "ok")
        case (.pollToken, 404), (.checkCode, 403), (.checkCode, 404), (.checkAuthentication, 403):
            return (other, "pending")
        case (.registrationCode, 201): return (other, "200")
        case (.registrationRecord, 200): return (other, "200")
        case (.registrationRecord, 404), (.registrationRecord, 410): return (other, "400")
        case (.authorize, 200), (.mediaToken, 200): return (other, "ok")
        case (.authorize, 403), (.mediaToken, 403): return (other, "not-entitled")
        case (.profileRequest, 200): return (other, "200")
        case (.tokenExchange, 204): return (other, "201")
        case (.tokenExchange, 400): return (other, "400")
        case (.logout, 204): return (other, "200")
        case (.logout, 302): return (.mvpdLogout, "302")
        default: return operation.isOfV2 ? (other, "\(status)") : nil
        }
    }

    /// Calls and callbacks of the AccessEnabler; the rest is the platform's.
    private static func isOfSDK(_ event: String) -> Bool {
        let names = HistoryCheck.events.prefix { $0 != "sign-on path" }
        return names.contains { event == $0 || event.hasPrefix($0 + " ") }
    }

    // MARK: Known violations

    /// `known:` names the operation that showed a violation.
    private mutating func known() {
        guard let list = tree["known"], case .list(let items) = list.content else { return }
        var gone: Set<Int> = []
        for (position, item) in items.enumerated() {
            if item["invariant"]?.scalarText == Invariant.deleteFinal.name {
                tell(item.place, .removed, "known: nothing deletes a code in V2 (§ 15, I11)")
                gone.insert(position)
                continue
            }
            guard let given = item["operation"], let name = given.scalarText,
                let operation = OperationName(name: name), !operation.isOfV2
            else { continue }
            guard let other = operation.counterpartsInV2.first else {
                tell(item.place, .removed, "known: \(name): \(Self.reason(for: operation))")
                gone.insert(position)
                continue
            }
            edits.replace(given, by: other.name)
            tell(given.place, .changed, "known.operation '\(name)' is '\(other.name)'")
        }
        if edits.remove(itemsAt: gone, from: list) { isEmpty(["known"]) }
    }
}
