/// The reference rig, rigs/reference.yaml: every key of the format with its explanation and a value,
/// made of the same rows as the reader. It can be run; what cannot stand beside something else is
/// commented out.
public enum RigReference {
    /// The reference rig as YAML text.
    public static func yaml() -> String {
        let head = """
            # yaml-language-server: $schema=screenrig.schema.json
            # Every key of a rig file, with its default or an example. This file is generated from the
            # description of the format, and is itself a small rig: screenrig run rigs/reference.yaml
            # A key that is commented out is an alternative to another one.
            #
            # Durations, rates, shares, sizes and distributions need a unit. Inside braces and
            # brackets, put a distribution or a ${NAME} in quotes. ${NAME} reads an environment
            # variable, ${file:PATH} a file; both count as secrets and are never written to any output,
            # except in what reports speak of: names (rig, requestor, providers, resources) and addresses.
            #
            # A rig has at most \(YAMLTree.TreeLimit.size / 1_000) kB, \(YAMLTree.TreeLimit.items) items in a list or keys in a map, \(YAMLTree.TreeLimit.nodes)
            # values (including those that aliases repeat) and \(YAMLTree.TreeLimit.depth) nested lists and maps; a run has at most
            # \(Load.householdsAtMost / 1_000_000) million households and takes at most \(Int(Load.longest.seconds / 86_400)) days. An accounts file has at most
            # 32 MB and a million accounts. At most \(RigErrors.shownAtMost) errors are shown at a time.

            """
        let body = lines(Rig.keys.map(\.row), sample: sample, depth: 0, isCommented: false)
        return head + "\n" + body.joined(separator: "\n") + "\n"
    }

    /// Values of the reference rig that differ from the rows' examples, so that it ends soon.
    private static let sample: [String: String] = [
        "rig": "reference",
        "load.arrivals": "[{ramp-to: 4/s, over: 2s}, {hold: 3s}, {ramp-to: 0/s, over: 1s}]",
        "load.settle": "1s",
        "kinds.viewer.notices-code": "\"uniform(100ms, 300ms)\"",
        "kinds.viewer.signs-in": "\"uniform(100ms, 300ms)\"",
        "kinds.viewer.gives-up": "0%",
        "polling.every": "3s",
        "after-sign-in":
            "[user-metadata, preauthorize, authorize, media-token, {watch: 200ms}, "
            + "{logout: 20%}, {again: 0%}]",
        "thresholds": "[sign-in p95 < 8s, poll-token service p99 < 2s, errors < 0.1%]",
        "shows": "[media-token 200, logout 204, households signed-in]",
        "faults": "[none]",
        "target.allow": "[]",
        "target.mvpds": "[]",
    ]

    private static func lines(
        _ keys: [KeyRow], path: String = "", sample: [String: String], depth: Int,
        isCommented: Bool,
        isItem: Bool = false
    ) -> [String] {
        let indent = String(repeating: "  ", count: depth)
        return keys.enumerated().flatMap { position, key -> [String] in
            let name = path.isEmpty ? key.name : "\(path).\(key.name)"
            let isOut = isCommented || key.isAlternative
            let dash = isItem ? (position == 0 ? "- " : "  ") : ""
            let start = indent + dash + (isOut ? "# " : "")
            let comments = wrapped(comment(key), width: 96 - start.count).map {
                indent + (isItem ? "  " : "") + "# " + $0
            }
            let value = sample[name] ?? key.example
            var own: [String]
            switch key.shape {
            case .map(let inner):
                own = ["\(start)\(key.name):"]
                own += lines(
                    inner, path: name, sample: sample, depth: depth + (isItem ? 2 : 1),
                    isCommented: isOut)
            case .list(.map(let inner)) where name == "kinds":
                own = ["\(start)\(key.name):"]
                own += lines(
                    inner, path: name, sample: sample, depth: depth + 1, isCommented: isOut,
                    isItem: true)
            default: own = ["\(start)\(key.name): \(value)"]
            }
            let gap = depth == 0 && position > 0 ? [""] : []
            // The dash of an item stands before its first key, so the comment goes above it.
            return gap + comments + own
        }
    }

    private static func comment(_ key: KeyRow) -> String {
        var text = key.text
        if let fallback = key.fallback, key.hasPlainDefault {
            text += " Default: \(fallback)."
        }
        let words = key.shape.words
        if words.count > 1, !words.allSatisfy({ text.contains("\($0):") }) {
            text += " One of: \(words.joined(separator: ", "))."
        }
        return text
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
