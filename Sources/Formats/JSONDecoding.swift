/// What is wrong in a JSON document, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `trials[3].offsetUs`; empty: the whole document.
    public var path: String
    /// Nil: nothing is there.
    public var found: String?
    /// `a whole number, 0 to 9`.
    public var wanted: String

    public var description: String {
        let place = path.isEmpty ? "the document" : path
        return "\(place) is \(found ?? "missing"); it must be \(wanted)"
    }
}

extension JSON {
    /// Reads what `init(encoding:)` writes. Absent is null; members that nobody asks for are left alone. The
    /// first thing that is wrong is thrown.
    public func decoded<T: Decodable>(as type: T.Type = T.self) throws(JSONError) -> T {
        do {
            return try JSONPlace(value: self, path: "", unit: nil).unbox(type)
        } catch let error as JSONError {
            throw error
        } catch {
            preconditionFailure("only errors of JSON: \(error)")
        }
    }

    fileprivate var shown: String {
        switch self {
        case .object: "an object"
        case .array: "a list"
        case .string(let text): "'\(text.prefix(60))'"
        case .number(let digits): digits
        case .bool(let flag): flag ? "true" : "false"
        case .null: "null"
        }
    }
}

extension Decoder {
    /// For a type that reads itself: what stands here must be something else.
    public func wrong(_ wanted: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: wanted))
    }
}

extension KeyedDecodingContainer {
    /// A whole number within bounds.
    public func decode(in range: ClosedRange<Int>, forKey key: Key) throws -> Int {
        let number = try decode(Int.self, forKey: key)
        guard range.contains(number) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "a whole number, \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// A place in a document: the value, and the path that names it in errors.
public struct JSONPlace: Decoder {
    let value: JSON?
    let path: String
    let unit: TimeUnit?

    public var codingPath: [any CodingKey] { [] }
    public var userInfo: [CodingUserInfoKey: Any] { [:] }

    func member(_ name: String) -> JSONPlace {
        JSONPlace(
            value: value?[name], path: path.isEmpty ? name : "\(path).\(name)",
            unit: TimeUnit(key: name) ?? unit)
    }

    private func member(_ key: any CodingKey) -> JSONPlace {
        if let position = key.intValue, case .array(let items)? = value {
            return item(position, of: items)
        }
        return member(key.stringValue)
    }

    func item(_ position: Int, of items: [JSON]) -> JSONPlace {
        JSONPlace(
            value: items.indices.contains(position) ? items[position] : nil,
            path: "\(path)[\(position)]", unit: unit)
    }

    /// Absent, or null.
    var isNull: Bool { value == nil || value == .null }

    func wrong(_ wanted: String) -> JSONError {
        JSONError(path: path, found: value?.shown, wanted: wanted)
    }

    /// The value as that type.
    public func unbox<T: Decodable>(_ type: T.Type) throws -> T {
        if let value = try plain(type) as? T { return value }
        do {
            return try T(from: self)
        } catch {
            let words = Self.words(of: type)
            guard words.isEmpty else { throw wrong("one of \(words.joined(separator: ", "))") }
            guard case DecodingError.dataCorrupted(let context) = error else { throw error }
            throw context.codingPath.reduce(self) { $0.member($1) }
                .wrong(context.debugDescription)
        }
    }

    /// What JSON has itself, and what is written in no other way; nil for every other type.
    private func plain(_ type: any Decodable.Type) throws -> Any? {
        switch type {
        case is String.Type:
            guard case .string(let text) = value else { throw wrong("a text") }
            return text
        case is Bool.Type:
            guard case .bool(let flag) = value else { throw wrong("true or false") }
            return flag
        case is Double.Type:
            guard case .number(let digits) = value, let number = Double(digits), number.isFinite
            else { throw wrong("a number") }
            return number
        case is Duration.Type: return try duration()
        case let type as any FixedWidthInteger.Type: return try integer(type)
        case let type as any MemberListReadable.Type: return try type.init(members: members())
        default: return nil
        }
    }

    /// As exact as any reader of JSON keeps it.
    private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        guard case .number(let digits) = value, let number = Int(digits),
            (-1 << 53...1 << 53).contains(number), let exact = T(exactly: number)
        else { throw wrong("a whole number") }
        return exact
    }

    /// At most 400 days either way, so that no sum of them overflows.
    private func duration() throws -> Duration {
        let (number, limit): (Int?, Int)
        let digits = if case .number(let digits) = value { digits } else { "" }
        switch unit {
        case .nanoseconds: (number, limit) = (Int(digits), 400 * 86_400_000_000_000)
        case .microseconds: (number, limit) = (Int(digits), 400 * 86_400_000_000)
        case .milliseconds, .seconds, nil:
            preconditionFailure("no duration is read from \(path)")
        }
        guard let number, abs(number) <= limit else {
            throw wrong("a whole number, -\(limit) to \(limit)")
        }
        return unit == .nanoseconds ? .nanoseconds(number) : .microseconds(number)
    }

    private func members() throws -> [(name: String, place: JSONPlace)] {
        guard case .object(let members) = value else { throw wrong("an object") }
        return members.map { member in
            (
                member.name,
                JSONPlace(value: member.value, path: "\(path).\(member.name)", unit: unit)
            )
        }
    }

    /// Of an enumeration of texts.
    private static func words(of type: Any.Type) -> [String] {
        func words<E: CaseIterable>(_ type: E.Type) -> [String] {
            type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        }
        return (type as? any CaseIterable.Type).map { words($0) } ?? []
    }

    // MARK: Decoder

    public func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard case .object = value else { throw wrong("an object") }
        return KeyedDecodingContainer(Members<Key>(place: self))
    }

    public func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let items) = value else { throw wrong("a list") }
        return Items(place: self, items: items)
    }

    public func singleValueContainer() -> any SingleValueDecodingContainer { Single(place: self) }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let place: JSONPlace
        var codingPath: [any CodingKey] { [] }

        var allKeys: [Key] {
            guard case .object(let members) = place.value else { return [] }
            return members.compactMap { Key(stringValue: $0.name) }
        }

        func contains(_ key: Key) -> Bool { place.member(key.stringValue).value != nil }
        func decodeNil(forKey key: Key) -> Bool { place.member(key.stringValue).isNull }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            try (T.self is any InlineCodable.Type ? place : place.member(key.stringValue))
                .unbox(type)
        }

        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
            let first = (T.self as? any InlineCodable.Type)?.firstKey ?? key.stringValue
            return place.member(first).isNull ? nil : try decode(type, forKey: key)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try place.member(key.stringValue).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try place.member(key.stringValue).unkeyedContainer()
        }

        func superDecoder() -> any Decoder { place }
        func superDecoder(forKey key: Key) -> any Decoder { place.member(key.stringValue) }
    }

    private struct Items: UnkeyedDecodingContainer {
        let place: JSONPlace
        let items: [JSON]
        var currentIndex = 0

        var codingPath: [any CodingKey] { [] }
        var count: Int? { items.count }
        var isAtEnd: Bool { currentIndex == items.count }

        private mutating func next() -> JSONPlace {
            defer { currentIndex += 1 }
            return place.item(currentIndex, of: items)
        }

        mutating func decodeNil() -> Bool {
            guard !isAtEnd, items[currentIndex] == .null else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().unbox(type) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            try next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try next().unkeyedContainer()
        }

        mutating func superDecoder() -> any Decoder { next() }
    }

    private struct Single: SingleValueDecodingContainer {
        let place: JSONPlace
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { place.isNull }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try place.unbox(type) }
    }
}

private protocol MemberListReadable {
    init(members: [(name: String, place: JSONPlace)]) throws
}

extension Array: MemberListReadable where Element: MemberCodable {
    fileprivate init(members: [(name: String, place: JSONPlace)]) throws {
        self = try members.map { try Element(name: $0.name, value: $0.place) }
    }
}
