internal import Dialects
internal import Formats

/// A place in a case's file while it is read: the value, and the path that names it in errors.
struct CaseNode {
    let file: String
    let key: String
    let value: Tree?

    func member(_ name: String) -> CaseNode {
        CaseNode(file: file, key: key.isEmpty ? name : "\(key).\(name)", value: value?[name])
    }

    /// Absent, or null.
    var isNull: Bool { value == nil || value == .null }

    func wrong(_ wanted: String) -> CaseError {
        guard let value else { return .missing(file: file, key: key, wanted: wanted) }
        let found =
            switch value {
            case .object: "an object"
            case .array: "a list"
            case .string(let text): "'\(text.prefix(60))'"
            case .number(let digits): digits
            case .bool(let flag): flag ? "true" : "false"
            case .null: "null"
            }
        return .wrong(file: file, key: key, found: found, wanted: wanted)
    }

    func text(_ wanted: String = "a text") throws(CaseError) -> String {
        guard case .string(let text) = value else { throw wrong(wanted) }
        return text
    }

    func integer(_ range: ClosedRange<Int> = -1 << 53...1 << 53) throws(CaseError) -> Int {
        guard case .number(let digits) = value, let number = Int(digits), range.contains(number)
        else {
            let isAny = range.lowerBound == -1 << 53
            let bounds =
                range.upperBound == 1 << 53
                ? "a whole number of at least \(range.lowerBound)"
                : "a whole number, \(range.lowerBound) to \(range.upperBound)"
            throw wrong(isAny ? "a whole number" : bounds)
        }
        return number
    }

    /// At most 400 days either way, so that no sum of them overflows.
    func microseconds(atLeast least: Int = -400 * 86_400_000_000) throws(CaseError) -> Duration {
        .microseconds(try integer(least...400 * 86_400_000_000))
    }

    func flag() throws(CaseError) -> Bool {
        guard case .bool(let flag) = value else { throw wrong("true or false") }
        return flag
    }

    /// One of an enumeration's words.
    func word<T: RawRepresentable & CaseIterable>(_ type: T.Type) throws(CaseError) -> T
    where T.RawValue == String {
        let words = T.allCases.map(\.rawValue).joined(separator: ", ")
        let text = try text("one of \(words)")
        guard let value = T(rawValue: text) else { throw wrong("one of \(words)") }
        return value
    }

    func items() throws(CaseError) -> [CaseNode] {
        guard case .array(let items) = value else { throw wrong("a list") }
        return items.enumerated().map { position, item in
            CaseNode(file: file, key: "\(key)[\(position)]", value: item)
        }
    }

    func members() throws(CaseError) -> [(name: String, node: CaseNode)] {
        guard case .object(let members) = value else { throw wrong("an object") }
        return members.map {
            ($0.name, CaseNode(file: file, key: "\(key).\($0.name)", value: $0.value))
        }
    }

    func object() throws(CaseError) -> CaseNode {
        guard case .object = value else { throw wrong("an object") }
        return self
    }

    func optional<T>(_ read: (CaseNode) throws(CaseError) -> T) throws(CaseError) -> T? {
        isNull ? nil : try read(self)
    }

    func list<T>(_ read: (CaseNode) throws(CaseError) -> T) throws(CaseError) -> [T] {
        var values: [T] = []
        for item in try items() { values.append(try read(item)) }
        return values
    }
}
