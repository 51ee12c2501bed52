internal import Dialects
internal import Reports
internal import Runner
internal import Standin

extension FaultOptions {
    /// For `explain` and `list`.
    static var explanations: [Explanation] {
        FaultKind.all.map { kind in
            let parameters = kind.parameters.map {
                "\($0.name) (\($0.line); \($0.wanted); default \($0.fallback))"
            }
            let takes =
                parameters.isEmpty ? "" : " It takes \(parameters.joined(separator: ", "))."
            let meant =
                kind.isControl
                ? "It breaks no promise: a violation reported because of it is a false alarm."
                : "A run should report a violation of \(kind.invariants.joined(separator: " or "))."
            let isEverywhere = kind.protocols.count == ProtocolName.allCases.count
            let names = kind.protocols.map(\.rawValue).joined(separator: " and ")
            let scope = isEverywhere ? "" : " It acts in \(names) only."
            return Explanation(
                .fault, kind.name, kind.line,
                "A fault of the stand-in, for rigs ('faults:') and --fault. \(meant)\(takes)\(scope)",
                harmless: "", send: "")
        }
    }
}
