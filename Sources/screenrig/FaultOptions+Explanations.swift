internal import Reports
internal import Runner
internal import Standin

extension FaultOptions {
    /// For `explain` and `list`.
    static var explanations: [Explanation] {
        FaultName.allCases.map { name in
            let parameters = name.parameters.map {
                "\($0.name) (\($0.line); \($0.wanted); default \($0.fallback))"
            }
            let takes =
                parameters.isEmpty ? "" : " It takes \(parameters.joined(separator: ", "))."
            let meant =
                name.isControl
                ? "It breaks no promise: a violation reported because of it is a false alarm."
                : "A run should report a violation of \(name.invariants.joined(separator: " or "))."
            return Explanation(
                .fault, name.rawValue, name.line,
                "A fault of the stand-in, for rigs ('faults:') and --fault. \(meant)\(takes)",
                harmless: "", send: "")
        }
    }
}
