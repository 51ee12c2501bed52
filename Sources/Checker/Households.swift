/// The households that live, each in one piece of memory: its state, and behind it room for its lists.
///
/// Whoever is given the address of one may use it until that household is removed; a judge does so within one call.
struct Households: ~Copyable {
    typealias Place = UnsafeMutablePointer<HouseholdState>

    private var places = MarkTable<Place>()

    var count: Int { places.count }

    /// In ascending order.
    var numbers: [Int] { places.keys.map { Int(truncatingIfNeeded: $0) }.sorted() }

    @inline(__always)
    subscript(household: Int) -> Place? { places[UInt64(truncatingIfNeeded: household)] }

    /// One that is not there yet.
    mutating func add(_ household: Int, _ registry: SharedState) -> Place {
        let state = MemoryLayout<HouseholdState>.stride
        let piece = UnsafeMutableRawPointer.allocate(
            byteCount: state + HouseholdState.bytes,
            alignment: MemoryLayout<HouseholdState>.alignment)
        var memory: HouseholdMemory? = HouseholdMemory(piece + state, bytes: HouseholdState.bytes)
        let place = piece.bindMemory(to: HouseholdState.self, capacity: 1)
        place.initialize(to: HouseholdState(household, registry, in: &memory))
        places[UInt64(truncatingIfNeeded: household)] = place
        return place
    }

    mutating func remove(_ household: Int) {
        guard let place = places.removeValue(for: UInt64(truncatingIfNeeded: household)) else {
            return
        }
        Self.free(place)
    }

    private static func free(_ place: Place) {
        place.deinitialize(count: 1)
        UnsafeMutableRawPointer(place).deallocate()
    }

    deinit { for place in places.values { Self.free(place) } }
}
