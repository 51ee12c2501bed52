internal import Dialects
internal import Vocabulary

/// A rig of REST V1 rewritten for REST V2, and what became of each line that the new protocol has no
/// place for (rest-v2.md § 16.1).
///
/// Only what must change is changed, at its place in the text. Whether households of a rig do in V2 what
/// they did before is for `validate` and `try` to say.
public struct Migration: Sendable, Hashable {
    /// The new rig.
    public var text: String
    /// What was done and what is left to do, in the order of the old rig's lines.
    public var remarks: [Remark]

    public struct Remark: Sendable, Hashable, CustomStringConvertible {
        public enum Action: String, Sendable, CaseIterable {
            /// It says the same in the words of V2.
            case changed
            /// V2 has nothing in its place.
            case removed
            /// It stays as it is, and somebody must see to it.
            case check
        }

        /// In the old rig.
        public var place: Place
        public var action: Action
        /// What stood there, and why.
        public var what: String

        public var description: String { "\(place): \(action.rawValue): \(what)" }
    }

    /// Rewrites the rig in `text`. `file` is its path as the user wrote it. Throws what is wrong with
    /// the rig, or why it cannot move.
    public static func rewriting(
        _ text: String, file: String, with surroundings: RigSurroundings
    ) throws(RigErrors) -> Migration {
        // Columns of the tree are those without it.
        let text = text.withoutByteOrderMark
        let rig = try Rig.read(text, file: file, with: surroundings).rig
        var problems: [RigProblem] = []
        guard let tree = YAMLTree.read(text, file: file, problems: &problems) else {
            throw RigErrors(problems)
        }
        if rig.protocols == [.adobePassV2] {
            throw RigErrors([
                RigProblem(Place(file: file), .conflict("the rig speaks adobe-pass-v2 already"))
            ])
        }
        if rig.protocols.contains(.oauthDeviceGrant) {
            throw RigErrors([
                RigProblem(
                    Place(file: file),
                    .conflict("the rig speaks oauth-device-grant, which nothing replaces"))
            ])
        }
        var rewriter = RigRewriter(tree, TextEdits(text))
        try rewriter.rewrite()
        return Migration(text: rewriter.edits.result, remarks: rewriter.remarks.inOrder)
    }
}

extension [Migration.Remark] {
    /// In the order of the file, those of one line as they were found.
    fileprivate var inOrder: [Migration.Remark] {
        enumerated().sorted { one, other in
            let (left, right) = (one.element.place, other.element.place)
            return (left.line, left.column, one.offset) < (right.line, right.column, other.offset)
        }.map(\.element)
    }
}

/// Goes through the tree of a rig, key by key.
struct RigRewriter {
    let tree: YAMLTree
    var edits: TextEdits
    var remarks: [Migration.Remark] = []
    /// Keys of the top level that have nothing left in them.
    private(set) var emptied: Set<String> = []
    /// Kinds that have no place in V2, by name.
    var goneKinds: Set<String> = []

    init(_ tree: YAMLTree, _ edits: TextEdits) {
        self.tree = tree
        self.edits = edits
    }

    mutating func rewrite() throws(RigErrors) {
        try kinds()
        target()
        remove(
            [
                "ttl": "a session lives as long as the service says, 30 minutes as a rule; "
                    + "checks of codes that run out need another time",
                "delete-after": "V2 has no request that deletes a code; it ends by itself (§ 5.5)",
            ], from: ["code"])
        remove(
            [
                "target": "the TV's poll always asks for its code's profile (§ 14.1)",
                "by": "the TV's poll always names its code (§ 14.1)",
            ],
            from: ["polling"])
        remove(
            ["gone-decays": "V2 has no 410: a code that is over is answered 400 (§ 5.5)"],
            from: ["policies"])
        remove(
            ["gone-decays": "V2 has no 410 (§ 5.5)"], from: ["standin", "policies"])
        remove(
            [
                "delete-on-first-retrieve": "a poll never uses up a code (§ 5.5)",
                "enhanced-errors": "errors of V2 always have an action and a code (§ 12.1)",
            ], from: ["standin"])
        activities()
        removeItems(
            ["faults"], where: Self.isOfDeletion,
            because: "nothing deletes a code in V2, so the fault could not act")
        removeItems(
            ["race", "plans"], where: Self.isVoidPlan,
            because: "a step of this plan has no counterpart in V2")
        remove(
            ["delete-final": "the promise is void: nothing deletes a code in V2 (§ 15, I11)"],
            from: ["promises"])
        lines()
        if edits.remove(emptied, from: tree) { emptied = [] }
    }

    // MARK: Telling

    mutating func tell(_ place: Place, _ action: Migration.Remark.Action, _ what: String) {
        remarks.append(Migration.Remark(place: place, action: action, what: what))
    }

    // MARK: Keys

    /// The tree under some keys, each in the one before.
    func tree(at path: [String]) -> YAMLTree? {
        path.reduce(tree as YAMLTree?) { $0?[$1] }
    }

    /// Takes keys out of the map at `path`, each with its reason; an empty map goes with them.
    private mutating func remove(_ reasons: [String: String], from path: [String]) {
        guard let map = tree(at: path), let entries = map.entries else { return }
        var gone: Set<String> = []
        for entry in entries {
            guard let reason = reasons[entry.key] else { continue }
            tell(
                entry.keyPlace, .removed,
                "\((path + [entry.key]).joined(separator: ".")): \(reason)")
            gone.insert(entry.key)
        }
        if edits.remove(gone, from: map) { isEmpty(path) }
    }

    /// Takes items out of the list at `path`.
    private mutating func removeItems(
        _ path: [String], where isGone: (YAMLTree) -> Bool, because reason: String
    ) {
        guard let list = tree(at: path), case .list(let items) = list.content else { return }
        let gone = items.indices.filter { isGone(items[$0]) }
        for position in gone {
            let name = items[position].scalarText ?? items[position].entries?.first?.key ?? ""
            tell(
                items[position].place, .removed, "\(path.joined(separator: ".")) \(name): \(reason)"
            )
        }
        if edits.remove(itemsAt: Set(gone), from: list) { isEmpty(path) }
    }

    /// Nothing is left under a key: it goes, and what has only it.
    mutating func isEmpty(_ path: [String]) {
        guard let last = path.last else { return }
        guard path.count > 1 else {
            emptied.insert(last)
            return
        }
        let above = Array(path.dropLast())
        if let map = tree(at: above), edits.remove([last], from: map) { isEmpty(above) }
    }

    // MARK: Target

    private mutating func target() {
        guard let target = tree["target"] else { return }
        let name = ProtocolName.adobePassV2.rawValue
        if let given = target["protocol"] {
            edits.replace(given, by: name)
            tell(given.place, .changed, "target.protocol is \(name)")
        } else {
            edits.insert("protocol: \(name)", after: "base", in: target)
            tell(target.place, .changed, "target has protocol: \(name)")
        }
        if let from = target["from"], let path = from.scalarText {
            tell(
                from.place, .check,
                "target.from: the keys of \(path) stay as they are; an address, a statement or a "
                    + "format of V1 in it must be rewritten by hand")
        }
        let statement =
            "V2 needs an application and a statement of its own, with the scope api:client:v2; one of "
            + "V1 is refused (§ 4)"
        for key in ["software-statement", "clients"] {
            guard let given = target[key] else { continue }
            if key == "clients", given.entries == nil { continue }
            tell(given.place, .check, "target.\(key): \(statement)")
        }
        remove(
            [
                "format": "V2 answers in JSON only (§ 1)",
                "auth": "every call of V2 carries a bearer token (§ 3.1)",
            ], from: ["target"])
    }

    // MARK: Kinds

    private mutating func kinds() throws(RigErrors) {
        guard let list = tree["kinds"], case .list(let items) = list.content else { return }
        var gone: Set<Int> = []
        var reasons: [RigProblem] = []
        for (position, kind) in items.enumerated() {
            let name = kind["name"]?.scalarText ?? "household"
            if let screen = kind["first-screen"], let word = screen.scalarText,
                HouseholdKind.FirstScreen(rawValue: word)?.isSDK ?? false
            {
                let reason =
                    "kind '\(name)' is \(word), and the AccessEnabler SDK speaks the older family, "
                    + "which ends with it; an app that speaks V2 itself is "
                    + "first-screen: \(word.dropFirst(4))"
                gone.insert(position)
                goneKinds.insert(name)
                reasons.append(RigProblem(screen.place, .conflict(reason)))
                continue
            }
            if let own = kind["protocol"], own.scalarText == ProtocolName.adobePassV1.rawValue {
                edits.replace(own, by: ProtocolName.adobePassV2.rawValue)
                tell(own.place, .changed, "kind '\(name)' speaks adobe-pass-v2")
            }
            requests(of: kind, name)
            if let own = kind["software-statement"] {
                tell(
                    own.place, .check,
                    "kind '\(name)': V2 needs a statement of its own, with the scope api:client:v2 "
                        + "(§ 4)")
            }
            if kind["temp-pass"]?.scalarText == "true", let pass = kind["temp-pass"] {
                tell(
                    pass.place, .check,
                    "kind '\(name)': a TempPass of V2 has no free-preview; the TV authorizes at once "
                        + "(§ 11)")
            }
        }
        if edits.remove(itemsAt: gone, from: list) { throw RigErrors(reasons) }
        for problem in reasons {
            if case .conflict(let reason) = problem.what {
                tell(problem.place, .removed, "\(reason); the other kinds share its weight")
            }
        }
    }

    /// How requests of V1 look: those of V2 have one look.
    private mutating func requests(of kind: YAMLTree, _ name: String) {
        guard let requests = kind["requests"] else { return }
        var emptied: Set<String> = []
        for screen in requests.entries ?? [] {
            var gone: Set<String> = []
            for entry in screen.value.entries ?? [] {
                guard let reason = Self.requestReasons[entry.key] else { continue }
                gone.insert(entry.key)
                tell(
                    entry.keyPlace, .removed,
                    "kind '\(name)': requests.\(screen.key).\(entry.key): \(reason)")
            }
            if edits.remove(gone, from: screen.value) { emptied.insert(screen.key) }
        }
        if edits.remove(emptied, from: requests) { _ = edits.remove(["requests"], from: kind) }
    }

    private static let requestReasons = [
        "format": "V2 answers in JSON only (§ 1)",
        "device-info": "every call of V2 has X-Device-Info (§ 3.2)",
        "code-request": "a session is always asked for by a form (§ 5.2)",
        "parameters": "V2 has no deprecated parameters (§ 3)",
        "auth": "every call of V2 carries a bearer token (§ 3.1)",
    ]

    // MARK: After the sign-in

    private mutating func activities() {
        guard let list = tree["after-sign-in"], case .list(let items) = list.content else { return }
        let given = items.map { $0.scalarText.flatMap(OperationName.init(name:)) }
        var known = Set(given.compactMap(\.self).filter(\.isOfV2))
        var gone: Set<Int> = []
        for (position, operation) in given.enumerated() {
            guard let operation, !operation.isOfV2 else { continue }
            let item = items[position]
            if let other = operation.counterpartsInV2.first(where: { $0.has(.activity) }),
                known.insert(other).inserted
            {
                edits.replace(item, by: other.name)
                tell(item.place, .changed, "after-sign-in: \(operation.name) is \(other.name)")
                continue
            }
            gone.insert(position)
            tell(
                item.place, .removed,
                "after-sign-in: \(operation.name): \(Self.reason(for: operation))")
        }
        if edits.remove(itemsAt: gone, from: list) { isEmpty(["after-sign-in"]) }
    }

    /// Why V2 has no such operation.
    static func reason(for operation: OperationName) -> String {
        switch operation {
        case .mediaToken: "the answer to authorize has the media token in it (§ 7)"
        case .userMetadata: "every profile has the user's attributes (§ 6)"
        case .authorizationToken:
            "decisions are not stored; authorize is asked before each playback (§ 7)"
        case .preauthorizeCode: "no decision is made for a code (§ 16.1)"
        case .deleteRegistration: "nothing deletes a code (§ 5.5)"
        case .freePreview: "a TempPass begins with its first authorization (§ 11)"
        default: "V2 has no such request (§ 16.1)"
        }
    }

    // MARK: Faults and races

    /// `delete-loses`, or the same with parameters.
    private static func isOfDeletion(_ item: YAMLTree) -> Bool {
        (item.scalarText ?? item.entries?.first?.key)?.hasPrefix("delete-") ?? false
    }

    /// One by its name, with a deletion, a free preview or the end of a code in it, or one of the rig's own with a step
    /// that V2 lacks. Other steps keep their names: a plan names what is done, and the protocol decides
    /// by which request.
    private static func isVoidPlan(_ item: YAMLTree) -> Bool {
        if let name = item.scalarText {
            return name.split(separator: "-").contains {
                ["delete", "preview", "expire"].contains($0)
            }
        }
        guard let actors = item["actors"]?.entries else { return false }
        return actors.contains { actor in
            guard case .list(let steps) = actor.value.content else { return false }
            return steps.contains { step in
                let name = step.scalarText ?? step["step"]?.scalarText ?? ""
                switch OperationName(name: name) {
                case nil: return name == "expire"
                // The phone has no decision to ask for: `race` would refuse the plan.
                case .preauthorizeCode: return true
                case let operation?: return operation.counterpartsInV2.isEmpty
                }
            }
        }
    }
}

extension YAMLTree {
    /// Of a scalar.
    var scalarText: String? {
        if case .scalar(let text, _) = content { text } else { nil }
    }
}
