extension JSON: Encodable {
    /// What `value` encodes: members in the order of its `CodingKeys`, null for nil, a `Duration` in the unit
    /// that ends its key, a `Double` with three decimals or as many as `decimals` has for its key.
    public init(encoding value: some Encodable, decimals: [String: Int] = [:]) {
        let slot = JSONSlot()
        do {
            try JSONValueEncoder(slot: slot, unit: nil, decimals: decimals, places: 3).box(value)
        } catch {
            preconditionFailure("\(type(of: value)) cannot be written as JSON: \(error)")
        }
        self = slot.json
    }

    /// A document: the same, and first of all the name of its schema.
    public init(schema: String, _ value: some Encodable, decimals: [String: Int] = [:]) {
        guard case .object(let members) = JSON(encoding: value, decimals: decimals) else {
            preconditionFailure("\(type(of: value)) is not an object")
        }
        self = .object([Member(name: "schema", value: .string(schema))] + members)
    }

    /// Into a value that `init(encoding:)` makes; for any other encoder, its text.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? JSONValueEncoder {
            encoder.slot.content = .value(self)
        } else {
            var container = encoder.singleValueContainer()
            try container.encode(text(.compact))
        }
    }
}

/// A value that is being put together.
private final class JSONSlot {
    enum Content {
        case value(JSON)
        case object
        case array
    }

    var content = Content.value(.null)
    private var members: [(String, JSONSlot)] = []
    private var items: [JSONSlot] = []

    var json: JSON {
        switch content {
        case .value(let json): json
        case .object: .members(members.map { ($0.0, $0.1.json) })
        case .array: .array(items.map(\.json))
        }
    }

    func member(_ name: String) -> JSONSlot {
        let slot = JSONSlot()
        members.append((name, slot))
        return slot
    }

    func item() -> JSONSlot {
        let slot = JSONSlot()
        items.append(slot)
        return slot
    }
}

/// Writes one value into its slot.
private struct JSONValueEncoder: Encoder {
    let slot: JSONSlot
    let unit: TimeUnit?
    let decimals: [String: Int]
    /// Decimals here.
    let places: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func under(_ key: String) -> JSONValueEncoder {
        JSONValueEncoder(
            slot: slot.member(key), unit: TimeUnit(key: key) ?? unit, decimals: decimals,
            places: decimals[key] ?? places)
    }

    func item() -> JSONValueEncoder {
        JSONValueEncoder(slot: slot.item(), unit: unit, decimals: decimals, places: places)
    }

    func box(_ value: some Encodable) throws {
        switch value {
        case let text as String: slot.content = .value(.string(text))
        case let flag as Bool: slot.content = .value(.bool(flag))
        case let number as Double: slot.content = .value(.decimal(number, places))
        case let number as any BinaryInteger:
            // Readers that know only doubles lose the last digits of those beyond 2^53.
            let whole = Int(exactly: number).map(JSON.integer)
            slot.content = .value(whole ?? .string("\(number)"))
        case let duration as Duration:
            guard let unit else { preconditionFailure("no unit ends the key of a duration") }
            slot.content = .value(unit.number(duration))
        case let members as any MemberList: slot.content = .value(.object(members.members))
        default: try value.encode(to: self)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.content = .object
        return KeyedEncodingContainer(Members<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.content = .array
        return Items(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: JSONValueEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) {
            encoder.under(key.stringValue).slot.content = .value(.null)
        }

        func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
            try (T.self is any InlineCodable.Type ? encoder : encoder.under(key.stringValue))
                .box(value)
        }

        // The library's own of these leave nil out.
        func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
            try optional(value, key)
        }

        func encodeIfPresent(_ value: String?, forKey key: Key) throws {
            try optional(value, key)
        }

        func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
            try optional(value, key)
        }

        func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
            try optional(value, key)
        }

        func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
            try optional(value, key)
        }

        func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
            try optional(value, key)
        }

        func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
            try optional(value, key)
        }

        private func optional<T: Encodable>(_ value: T?, _ key: Key) throws {
            if let value { return try encode(value, forKey: key) }
            if !(T.self is any InlineCodable.Type) { encodeNil(forKey: key) }
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            encoder.under(key.stringValue).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.under(key.stringValue).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { encoder }
        func superEncoder(forKey key: Key) -> any Encoder { encoder.under(key.stringValue) }
    }

    private struct Items: UnkeyedEncodingContainer {
        let encoder: JSONValueEncoder
        var count = 0
        var codingPath: [any CodingKey] { [] }

        mutating func next() -> JSONValueEncoder {
            count += 1
            return encoder.item()
        }

        mutating func encodeNil() { next().slot.content = .value(.null) }
        mutating func encode<T: Encodable>(_ value: T) throws { try next().box(value) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) -> KeyedEncodingContainer<Nested> {
            next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            next().unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder { next() }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: JSONValueEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil() { encoder.slot.content = .value(.null) }
        func encode<T: Encodable>(_ value: T) throws { try encoder.box(value) }
    }
}

private protocol MemberList {
    var members: [JSON.Member] { get }
}

extension Array: MemberList where Element: MemberEncodable {
    fileprivate var members: [JSON.Member] { map(\.member) }
}
