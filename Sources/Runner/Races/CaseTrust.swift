internal import Dialects
internal import Rigs

/// What a case takes from the machine that replays it, and whether its user meant that. A case may come
/// from anybody: one that names `${STATEMENT}` or `${file:PATH}` sends what they stand for to wherever
/// its own rig says.
///
/// It may where the user has named every place that its requests go to (`--target`, `--allow`), and for
/// the stand-in in this process. Files outside of the working directory, and programs, take `--trust`.
struct CaseTrust {
    /// As `replay` was called.
    let target: String?
    let allowed: [String]
    let overrides: [(path: String, value: String)]
    let isTrusted: Bool

    /// Why the case is not played as it is; nil where it may be.
    func objection(to reading: RigReading, of name: String) -> String? {
        guard !isTrusted else { return nil }
        let programs = reading.rig.kinds.compactMap { kind -> String? in
            guard case .command(let path, _)? = kind.platform?.signer else { return nil }
            return path
        }
        let head = "\(name) comes with a rig that"
        let trust = "if you trust its maker, pass --trust"
        if let program = programs.first {
            return "\(head) runs the program '\(program)' on this machine; \(trust)"
        }
        var taken = reading.references.map { "${\($0)}" }
        if case .listed(let list) = reading.rig.accounts {
            taken.append("accounts of \(list.file)")
        }
        let places = receivers(reading.rig.target)
        guard !taken.isEmpty, !places.isEmpty || reading.rig.target.base != .embedded else {
            return nil
        }
        let list = taken.joined(separator: ", ")
        if !places.isEmpty {
            let options = places.map { " --allow \($0)" }.joined()
            return "\(head) reads \(list) from this machine and sends it to "
                + "\(places.joined(separator: " and ")); if that is intended, pass\(options)"
        }
        let beyond = reading.references.first {
            $0.hasPrefix("file:") && ($0.hasPrefix("file:/") || $0.contains(".."))
        }
        return beyond.map {
            "\(head) reads ${\($0)}, a file outside the working directory; \(trust)"
        }
    }

    /// Hosts that requests go to and that the user has not named.
    private func receivers(_ target: Target) -> [String] {
        func isGiven(_ key: String) -> Bool {
            overrides.contains {
                $0.path == key || $0.path.hasPrefix(key + ".") || $0.path == "target"
            }
        }
        var places: [String] = []
        if self.target == nil, !isGiven("target.base"), case .remote(let origin, _) = target.base {
            places.append(origin.host)
        }
        if !isGiven("target.proxy"), case .url(let proxy) = target.proxy {
            places.append(WebAddress(proxy)?.origin.host ?? "its proxy")
        }
        if !isGiven("target.resolve") { places += target.pinned.flatMap(\.addresses) }
        let named = Set(allowed.map { $0.lowercased() })
        return places.filter { !named.contains($0.lowercased()) }
    }
}
