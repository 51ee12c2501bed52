/// A value that was read, and where it stands.
struct Item: Sendable {
    /// Of the type that the row's scalar makes; `Section` for maps, `[Item]` for lists, `String`
    /// for words.
    var value: any Sendable
    var place: Place
}

/// A value under a name of the user's own.
struct NamedItem: Sendable {
    var name: String
    var namePlace: Place
    var item: Item
}

/// A map that was read by its rows: every key with a default has a value.
struct Section: Sendable {
    var items: [String: Item]
    /// Where the map begins.
    var place: Place
    /// No problem was found in it, so that its values may be compared with each other.
    var isWhole: Bool
    /// The keys that the file gives, in its order.
    var given: [String]

    /// The value under a key that has a default or is required.
    func value<T>(_ key: String, as type: T.Type = T.self) -> T {
        guard let value: T = optional(key) else {
            preconditionFailure("the format gives '\(key)' no value of type \(T.self)")
        }
        return value
    }

    /// The value under a key; nil when the file does not give it and it has no default.
    func optional<T>(_ key: String, as type: T.Type = T.self) -> T? {
        guard let item = items[key] else { return nil }
        guard let value = item.value as? T else {
            preconditionFailure("the format gives '\(key)' no value of type \(T.self)")
        }
        return value
    }

    /// Where the value of a key stands, or else its map.
    func place(of key: String) -> Place {
        items[key]?.place ?? place
    }
}
