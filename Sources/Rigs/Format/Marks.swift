/// Where the parts of a value stand in the file, for checks that concern several keys.
struct Marks: Sendable {
    /// Where the value begins.
    var place: Place
    /// Where its name stands, for a value under a name of the user's own.
    var namePlace: Place?
    /// No problem was found in it, so that its values may be compared with each other.
    var isWhole = true
    /// The keys that the file gives, in its order.
    var given: [String] = []
    /// The parts of a map.
    var keys: [String: Marks] = [:]
    /// The parts of a list, one for each item that was read.
    var items: [Marks] = []

    init(_ place: Place) {
        self.place = place
    }

    /// The part under a key; where the file does not give it, the map stands for it.
    subscript(key: String) -> Marks { keys[key] ?? Marks(place) }

    func gives(_ key: String) -> Bool { given.contains(key) }
}
