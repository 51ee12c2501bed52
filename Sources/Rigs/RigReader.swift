internal import Vocabulary

/// Reads a rig in four steps: text to tree; options and other files put into the tree; the tree held
/// against the keys of the format, which put their values into a `Rig`; what concerns several keys.
/// Each step goes on after a problem as far as there is sense in it, so that one run of the reader
/// tells all.
struct RigReader {
    let file: String
    let surroundings: RigSurroundings
    var problems: [RigProblem] = []

    init(file: String, _ surroundings: RigSurroundings) {
        self.file = file
        self.surroundings = surroundings
    }

    mutating func read(_ text: String) throws(RigErrors) -> RigReading {
        guard var tree = YAMLTree.read(text, file: file, problems: &problems) else {
            throw RigErrors(problems)
        }
        let asWritten = tree
        // `--set` last: what it says of a target holds for the one that `--target` names.
        applyTarget(to: &tree)
        apply(surroundings.overrides, to: &tree)
        let source = tree == asWritten ? text : tree.yaml
        guard let entries = tree.entries else {
            let example = "such as 'rig: smoke'"
            problems.append(
                RigProblem(
                    tree.place, .shape("the rig", found: tree.kind, wanted: "a map, \(example)")))
            throw RigErrors(problems)
        }
        var reader = ValueReader(file: file, surroundings)
        var marks = Marks(Place(file: file, line: 1, column: 1))
        var rig = Rig.blank
        for set in reader.section(entries, Rig.keys, called: "a rig", &marks) {
            set(&rig, &reader)
        }
        rig.check(marks, &reader)
        rig.source = source
        rig.secrets = reader.secrets
        problems += reader.problems + reader.conflicts
        let needs = TargetNeeds(rig, marks["target"]).warnings
        if case .listed(let list) = rig.accounts, marks["accounts"].isWhole {
            var accounts = AccountFileReader(
                list, of: rig.target, surroundings, at: marks["accounts"].place)
            rig.accounts = .listed(accounts.read())
            problems += accounts.problems
            place(list.file, of: "accounts", in: &tree, &rig.source)
        }
        if case .listed(let pool) = rig.forwardedFor, let path = pool.file,
            marks["forwarded-for"].isWhole
        {
            rig.forwardedFor = .listed(listed(path, marks["forwarded-for"].place))
            place(path, of: "forwarded-for", in: &tree, &rig.source)
        }
        checkFiles(rig.target.tls, marks["target"]["tls"])
        checkHomes(of: rig, marks["forwarded-for"])
        guard problems.isEmpty else { throw RigErrors(problems) }
        return RigReading(
            rig: rig, warnings: reader.warnings.inOrder, needs: needs.inOrder,
            references: reader.variables.references)
    }
}

// MARK: Options and other files

extension RigReader {
    /// Puts each `--set` into the tree; maps on its way come into being.
    private mutating func apply(
        _ overrides: [(path: String, value: String)], to tree: inout YAMLTree
    ) {
        for (path, text) in overrides {
            // Without the value: it may be a secret.
            let option = "--set \(path)"
            let place = Place(file: file, option: option)
            let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard !path.isEmpty, keys.allSatisfy({ !$0.isEmpty }) else {
                problems.append(
                    RigProblem(
                        place, .conflict("the path is incomplete; write path.to.key=value")))
                continue
            }
            guard keys.count <= YAMLTree.TreeLimit.depth else {
                problems.append(
                    RigProblem(
                        Place(file: file, option: option.shortened),
                        .conflict("the path is more than \(YAMLTree.TreeLimit.depth) keys long")))
                continue
            }
            guard let value = value(text, place) else { continue }
            set(value, at: keys[...], in: &tree, place)
        }
    }

    /// Lists, maps and quoted texts are YAML; everything else is taken as typed.
    private mutating func value(_ text: String, _ place: Place) -> YAMLTree? {
        guard let first = text.first, "[{\"'".contains(first) else {
            return YAMLTree(content: .scalar(text, isQuoted: false), place: place)
        }
        return YAMLTree.read(text, file: file, option: place.option, problems: &problems)
            .map { $0.moved(to: place) }
    }

    private mutating func set(
        _ value: YAMLTree, at keys: ArraySlice<String>, in tree: inout YAMLTree, _ place: Place
    ) {
        guard let key = keys.first else {
            tree = value
            return
        }
        switch tree.content {
        case .map:
            var inner = tree[key] ?? YAMLTree(content: .map([]), place: place)
            set(value, at: keys.dropFirst(), in: &inner, place)
            tree[key] = inner
        case .list(var items):
            guard let position = Int(key), items.indices.contains(position) else {
                let last = items.count - 1
                let remedy =
                    items.isEmpty ? "the list is empty" : "the list has items 0 to \(last)"
                problems.append(
                    RigProblem(place, .conflict("'\(key)' is not an item of the list; \(remedy)")))
                return
            }
            set(value, at: keys.dropFirst(), in: &items[position], place)
            tree.content = .list(items)
        case .scalar:
            // What stood there was a single value: the option replaces it by a map.
            tree = YAMLTree(content: .map([]), place: place)
            set(value, at: keys, in: &tree, place)
        }
    }

    /// `target.from`, then `--target`.
    private mutating func applyTarget(to tree: inout YAMLTree) {
        if case .file(let path)? = surroundings.target {
            let place = Place(file: file, option: "--target \(Spelling.shown(path))")
            if surroundings.contents(path) == nil {
                problems.append(
                    RigProblem(
                        place,
                        .value(
                            "the target", shown: path, remark: Disk.trouble(path),
                            wanted:
                                "a URL such as http://127.0.0.1:8080, 'embedded', or a file with "
                                + "the keys of 'target'")))
            } else if let inner = targetFile(path, place) {
                tree["target"] = inner
            }
        } else if let from = tree["target"]?["from"], case .scalar(let path, _) = from.content {
            let resolved = from.place.path(path)
            if let inner = targetFile(resolved, from.place),
                let own = tree["target"]?.entries?.filter({ $0.key != "from" })
            {
                let rest = (inner.entries ?? []).filter { entry in
                    !own.contains { $0.key == entry.key }
                }
                tree["target"]?.entries = own + rest
            } else {
                tree["target"]?["from"] = nil
            }
        }
        switch surroundings.target {
        case .embedded: point("embedded", "--target embedded", in: &tree)
        case .url(let url): point(url, "--target \(Spelling.shown(url))", in: &tree)
        case .file, nil: break
        }
    }

    /// Replaces the base, and leaves behind what belongs to another host.
    private mutating func point(_ base: String, _ option: String, in tree: inout YAMLTree) {
        let place = Place(file: file, option: option)
        var target = tree["target"] ?? YAMLTree(content: .map([]), place: place)
        guard target.entries != nil else { return }
        let before = target["base"].flatMap { Self.host($0) } ?? "embedded"
        target["base"] = YAMLTree(content: .scalar(base, isQuoted: false), place: place)
        if Self.host(target["base"]) ?? "embedded" != before {
            for key in ["allow", "software-statement", "tls"] { target[key] = nil }
            if target["clients"]?.entries != nil { target["clients"] = nil }
            if case .list(let kinds)? = tree["kinds"]?.content {
                let others = kinds.map { kind in
                    var kind = kind
                    kind["software-statement"] = nil
                    return kind
                }
                tree["kinds"]?.content = .list(others)
            }
            if let headers = target["headers"]?.entries {
                target["headers"]?.entries = headers.filter { !$0.value.mentionsSecret }
            }
        }
        tree["target"] = target
    }

    private static func host(_ base: YAMLTree?) -> String? {
        guard case .scalar(let text, _)? = base?.content,
            case .remote(let origin, _)? = try? Scalar.base.parse(text)
        else { return nil }
        return origin.host
    }

    private mutating func targetFile(_ path: String, _ place: Place) -> YAMLTree? {
        guard let text = surroundings.contents(path) else {
            problems.append(
                RigProblem(place, .unreadable(path)))
            return nil
        }
        guard let tree = YAMLTree.read(text, file: path, problems: &problems) else { return nil }
        guard let entries = tree.entries else {
            problems.append(
                RigProblem(
                    tree.place,
                    .shape("a target file", found: tree.kind, wanted: "a map with keys of target")))
            return nil
        }
        // A file that holds `target:` and nothing else means what stands under it.
        if entries.count == 1, entries[0].key == "target", entries[0].value.entries != nil {
            return entries[0].value
        }
        return tree
    }

    /// Puts the whole path of a file of accounts or addresses into the source, so that a case which carries it can
    /// be replayed from any folder. A source that was read already, and names no file, stays as it is.
    private func place(
        _ path: String, of key: String, in tree: inout YAMLTree, _ source: inout String
    ) {
        guard case .resolved = surroundings.secrets, !path.hasPrefix("/"), !path.contains("${"),
            let value = tree[key]?["file"]
        else { return }
        let whole = Disk.whole(value.place.path(path))
        tree[key]?["file"]?.content = .scalar(whole, isQuoted: true)
        source = tree.yaml
    }

    /// The addresses of a file; none for a report, which needs none.
    private mutating func listed(_ path: String, _ place: Place) -> AddressPool {
        guard case .resolved = surroundings.secrets else { return AddressPool([], file: path) }
        let whole = place.path(path)
        guard let text = surroundings.contents(whole) else {
            problems.append(RigProblem(place, .unreadable(whole)))
            return AddressPool([], file: path)
        }
        var reader = AddressFileReader(whole)
        let blocks = reader.read(text)
        problems += reader.problems
        return AddressPool(blocks, file: path)
    }

    /// Homes that are there together need as many addresses: where two have one, each is throttled for the other.
    private mutating func checkHomes(of rig: Rig, _ marks: Marks) {
        guard problems.isEmpty, case .listed(let pool) = rig.forwardedFor, pool.count > 0 else {
            return
        }
        let estimate = PlanEstimate.Concurrency(Plan(rig, seed: rig.seed))
        let homes = HomeAddresses.homes(.bounded(estimate.alive.rounded(.up)), of: rig)
        guard homes > pool.count else { return }
        let about = estimate.isExact ? "\(homes)" : "about \(homes)"
        problems.append(
            RigProblem(
                marks.place,
                .conflict(
                    "forwarded-for has \(pool.count) \(pool.count == 1 ? "address" : "addresses") for \(about) homes "
                        + "at a time, and homes that share one would be throttled for each other; add "
                        + "\(pool.file == nil ? "ranges" : "addresses"), lower the load, or write per-household, "
                        + "which has enough")))
    }

    /// What secures connections stands in files: one that is not there is a mistake in the rig.
    private mutating func checkFiles(_ tls: TransportOptions.TLS, _ marks: Marks) {
        // A report of a run needs none of them.
        guard case .resolved = surroundings.secrets, marks.isWhole else { return }
        let files = [("ca", tls.ca), ("certificate", tls.certificate), ("key", tls.key)]
        for case (let key, let path?) in files where surroundings.contents(path) == nil {
            problems.append(
                RigProblem(
                    marks[key].place, .unreadable(path))
            )
        }
    }
}

extension YAMLTree {
    /// The tree, every place of which is this one.
    fileprivate func moved(to place: Place) -> YAMLTree {
        switch content {
        case .scalar: YAMLTree(content: content, place: place)
        case .list(let items):
            YAMLTree(content: .list(items.map { $0.moved(to: place) }), place: place)
        case .map(let entries):
            YAMLTree(
                content: .map(
                    entries.map {
                        Entry(key: $0.key, keyPlace: place, value: $0.value.moved(to: place))
                    }), place: place)
        }
    }

    fileprivate var mentionsSecret: Bool {
        switch content {
        case .scalar(let text, _): text.contains("${")
        case .list(let items): items.contains(where: \.mentionsSecret)
        case .map(let entries): entries.contains { $0.value.mentionsSecret }
        }
    }
}
