extension Rig {
    /// The effective settings of a recorded rig, by its keys at the top level: equal texts for rigs that ask for the
    /// same, however they are written. Comments, style and order of keys say nothing, and neither does a key whose
    /// removal leaves the rig that is read as it is: a default that was written out. What this version cannot read any
    /// more is compared as it is written, keys sorted.
    public static func settings(of source: String) -> [String: String] {
        var problems: [RigProblem] = []
        let read = YAMLTree.read(source, file: "", problems: &problems)
        guard let read else { return [:] }
        var reduced = ReducedRig(read)
        reduced.sort()
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
    mutating func sort() {
        for path in [[]] + tree.paths {
            let sorted = tree.sorted(at: path[...])
            guard sorted != tree, effective == nil || Self.read(sorted) == effective else {
                continue
            }
            tree = sorted
        }
    }

    mutating func reduce() {
        guard let effective else { return }
        for path in tree.paths {
            guard let shorter = tree.without(path[...]), Self.read(shorter) == effective else {
                continue
            }
            tree = shorter
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
        rig.target.courtesy.breaker = courtesy.breaker(onLoopback: isNear).map { .at($0) } ?? .none
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
        var changed = self
        switch (path.first, content) {
        case (nil, .map(let entries)):
            changed.content = .map(entries.sorted { $0.key < $1.key })
        case (.key(let key), .map):
            changed[key] = self[key]?.sorted(at: path.dropFirst())
        case (.item(let position), .list(var items)):
            items[position] = items[position].sorted(at: path.dropFirst())
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
