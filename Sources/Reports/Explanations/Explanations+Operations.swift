internal import Dialects
internal import Vocabulary

extension Explanation {
    /// Operations say themselves what they are; protocols say which are theirs.
    static let operations: [Explanation] = OperationName.allCases.map { operation in
        let said = operation.declaration
        return Explanation(
            .operation, said.name, said.line,
            [said.meaning, place(operation)].filter { !$0.isEmpty }.joined(separator: " "),
            harmless: said.harmless, send: said.send)
    }

    /// `Asked in adobe-pass-v1; adobe-pass-v2 has profiles-by-code in its place.`
    private static func place(_ operation: OperationName) -> String {
        let own = ProtocolName.allCases.filter { $0.operations.contains(operation) }
        guard !own.isEmpty else { return "" }
        let names = own.map(\.rawValue).joined(separator: " and ")
        guard own.count < ProtocolName.allCases.count else { return "Asked in \(names)." }
        let others = ProtocolName.allCases.filter { !own.contains($0) }.map { name in
            let instead = name.counterparts(of: operation).map(\.name)
            return instead.isEmpty
                ? "\(name.rawValue) has nothing in its place"
                : "\(name.rawValue) has \(instead.joined(separator: " or ")) in its place"
        }
        return "Asked in \(names); \(others.joined(separator: ", "))."
    }

    /// `v1`, `v2`, `v1 v2`, for the list of operations.
    static func protocolMarks(_ operation: OperationName) -> String {
        ProtocolName.allCases.map { name in
            let mark = name.rawValue.split(separator: "-").last.map(String.init) ?? name.rawValue
            return name.operations.contains(operation)
                ? mark : String(repeating: " ", count: mark.count)
        }.joined(separator: " ")
    }

    /// What rigs may name under `protocol:`.
    static let protocols: [Explanation] = ProtocolName.allCases.map { name in
        let (line, fate) =
            switch name {
            case .adobePassV1:
                (
                    "Adobe Pass REST API V1, for code-based sign-ins of TVs",
                    "Its vendor ended the support on 2025-12-31 and announced its end of life for the end "
                        + "of 2026. 'screenrig migrate RIG' rewrites a rig for adobe-pass-v2."
                )
            case .oauthDeviceGrant:
                (
                    "OAuth 2.0 Device Authorization Grant (RFC 8628), for sign-ins with a code on another device",
                    "Settings of the server stand under target.device-grant (docs/device-grant.md)."
                )
            case .adobePassV2:
                (
                    "Adobe Pass REST API V2, the successor of V1",
                    "It needs a software statement of its own; sign-ins of V1 are not carried over "
                        + "(docs/migration.md)."
                )
            }
        return Explanation(
            .protocolName, name.rawValue, line,
            "\(fate) A rig names it under target.protocol, or under protocol of a kind of household. Its "
                + "operations: \(name.operations.map(\.name).joined(separator: ", ")).",
            harmless: "", send: "")
    }
}
