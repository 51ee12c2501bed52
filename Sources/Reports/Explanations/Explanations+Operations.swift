internal import Dialects
internal import Vocabulary

extension Explanation {
    /// Operations say themselves what they are.
    static let operations: [Explanation] = OperationName.allCases.map { operation in
        let said = operation.declaration
        return Explanation(
            .operation, said.name, said.line, said.meaning, harmless: said.harmless,
            send: said.send)
    }
}
