internal import Foundation

/// What the stand-in's faults did in a run, by its `truth.jsonl`: a fault that struck and that nobody saw
/// is no proof of a service without faults.
public struct Strikes: Sendable, Hashable {
    /// One fault.
    public struct Count: Sendable, Hashable {
        public var fault: String
        public var struck = 0
        /// Strikes that an answer made visible from outside.
        public var shown = 0
    }

    /// In the order of their first strikes.
    public private(set) var counts: [Count] = []

    /// Reads the lines of a truth file; those that are none are passed over.
    public init(lines: String) {
        for line in lines.split(whereSeparator: \.isNewline) {
            guard
                let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
                    as? [String: Any],
                let fault = object["fault"] as? String, let event = object["event"] as? String
            else { continue }
            count(fault, event)
        }
    }

    private mutating func count(_ fault: String, _ event: String) {
        let known = counts.firstIndex { $0.fault == fault }
        let position = known ?? counts.count
        if known == nil { counts.append(Count(fault: fault)) }
        switch event {
        case "activated": counts[position].struck += 1
        case "observable": counts[position].shown += 1
        default: break
        }
    }

    /// For whoever reads the verdict; nil where nothing struck.
    func note(violations: Int) -> String? {
        guard !counts.isEmpty else { return nil }
        let each = counts.map { count in
            "\(Plain.line(count.fault)) struck \(Figures.counted(count.struck, "time")) and showed in "
                + (count.shown == 0 ? "no answer" : Figures.counted(count.shown, "answer"))
        }
        let what = "faults of the stand-in: \(each.joined(separator: "; "))"
        guard violations == 0 else {
            return what + ". An answer may break several promises, or prove a breach with others"
        }
        return what + ". No promise was found broken: a TV stops at its first token and sees "
            + "little of them; rigs/detection.yaml looks longer"
    }
}

extension Summary {
    /// Says what the faults of the stand-in did, after what a reader must know anyway.
    mutating func tell(_ strikes: Strikes?) {
        guard let note = strikes?.note(violations: findings?.failing ?? 0) else { return }
        notes.append(note)
    }
}
