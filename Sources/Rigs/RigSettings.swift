extension Rig {
    /// The effective settings of a recorded rig, by its keys at the top level: equal texts for rigs that ask for the
    /// same, however they are written. Comments, style, order of keys and units say nothing, and neither does a key
    /// whose removal leaves the rig that is read as it is: a default that was written out. What this version cannot
    /// read any more is compared as it is written, keys sorted.
    public static func settings(of source: String) -> [String: String] {
        var problems: [RigProblem] = []
        let read = YAMLTree.read(source, file: "", problems: &problems)
        guard let read else { return [:] }
        var reduced = ReducedRig(read)
        reduced.sort()
        reduced.spell()
        reduced.reduce()
        return Dictionary(
            (reduced.tree.entries ?? []).map { ($0.key, $0.value.yaml) },
            uniquingKeysWith: { first, _ in first })
    }
}

/// A tree on its way to the shortest one that is read as the same rig.
private struct ReducedRig {
    private(set) var tree: YAMLTree
    /// What it is read as; nil where it cannot be read.
    private let effective: Rig?

    init(_ written: YAMLTree) {
        tree = written
        effective = Self.read(written)
    }

    /// Sorts the keys of each map in which their order says nothing; all, where nothing can be read.
    mutating func sort() { changeEach { $0.sorted(at: $1) } }

    /// Writes each duration, rate and share in the one way of `Scalar.spelled`: 3000ms is 3s.
    mutating func spell() {
        guard effective != nil else { return }
        changeEach { $0.spelled(at: $1) }
    }

    /// Takes away each key that says no more than its absence.
    mutating func reduce() {
        guard effective != nil else { return }
        changeEach { $0.without($1) }
    }

    /// Makes a change at each place, an outer one before those in it, and keeps it where the rig that is read stays as it
    /// is, or where none can be read.
    private mutating func changeEach(_ change: (YAMLTree, ArraySlice<YAMLTree.Step>) -> YAMLTree?) {
        for path in [[]] + tree.paths {
            guard let changed = change(tree, path[...]), changed != tree,
                effective == nil || Self.read(changed) == effective
            else { continue }
            tree = changed
        }
    }

    private static func read(_ tree: YAMLTree) -> Rig? {
        guard var rig = (try? Rig.read(tree.yaml, file: "", with: .recorded))?.rig else {
            return nil
        }
        rig.source = ""
        // Where a fault stands says nothing.
        rig.faults = rig.faults.map { .init($0.text, at: Place(file: "", option: "")) }
        // What holds, whether it was written or is the default of this target.
        let isNear = rig.target.isNear
        let courtesy = rig.target.courtesy
        rig.target.courtesy.maxRate = courtesy.ceiling(onLoopback: isNear).map { .at($0) } ?? .none
        // It ends a run, and shapes no request.
        rig.target.courtesy.breaker = .none
        rig.target.probes = rig.target.probes(isNear: isNear)
        return rig
    }
}

extension YAMLTree {
    fileprivate enum Step {
        case key(String)
        case item(Int)
    }

    /// With the keys of the map there sorted, and not those of the maps in it.
    fileprivate func sorted(at path: ArraySlice<Step>) -> YAMLTree {
        with(path) { content in
            guard case .map(let entries) = content else { return }
            content = .map(entries.sorted { $0.key < $1.key })
        }
    }

    /// With the duration, the rate or the share there as `Scalar.spelled` writes it; as it is, where another value stands
    /// there.
    fileprivate func spelled(at path: ArraySlice<Step>) -> YAMLTree {
        with(path) { content in
            guard case .scalar(let text, let isQuoted) = content,
                let spelled = Scalar.duration.respelled(text) ?? Scalar.rate.respelled(text)
                    ?? Scalar.share.respelled(text)
            else { return }
            content = .scalar(spelled, isQuoted: isQuoted)
        }
    }

    /// With another content at a place.
    private func with(
        _ path: ArraySlice<Step>, _ change: (inout Content) -> Void
    ) -> YAMLTree {
        var changed = self
        switch (path.first, content) {
        case (nil, _):
            change(&changed.content)
        case (.key(let key), .map):
            changed[key] = self[key]?.with(path.dropFirst(), change)
        case (.item(let position), .list(var items)):
            items[position] = items[position].with(path.dropFirst(), change)
            changed.content = .list(items)
        default: break
        }
        return changed
    }

    /// Of each key and item, an outer one before those in it.
    fileprivate var paths: [[Step]] {
        switch content {
        case .scalar: []
        case .list(let items):
            items.enumerated().flatMap { position, item in
                [[.item(position)]] + item.paths.map { [.item(position)] + $0 }
            }
        case .map(let entries):
            entries.flatMap { entry in
                [[.key(entry.key)]] + entry.value.paths.map { [.key(entry.key)] + $0 }
            }
        }
    }

    /// Nil where the key is not there any more, and for an item: it is never a default.
    fileprivate func without(_ path: ArraySlice<Step>) -> YAMLTree? {
        guard let step = path.first else { return nil }
        var changed = self
        switch (step, content) {
        case (.key(let key), .map):
            guard let value = self[key] else { return nil }
            if path.count == 1 {
                changed[key] = nil
            } else {
                guard let inner = value.without(path.dropFirst()) else { return nil }
                changed[key] = inner
            }
        case (.item(let position), .list(var items)):
            guard let inner = items[position].without(path.dropFirst()) else { return nil }
            items[position] = inner
            changed.content = .list(items)
        default: return nil
        }
        return changed
    }
}

extension Scalar {
    /// Nil where the text is no such value, or where its value has no spelling of its own.
    fileprivate func respelled(_ text: String) -> String? {
        (try? parse(text)).flatMap { spelled($0) }
    }
}
