/// A list in the memory of its household, which has room for `own` elements: most lists are no longer. Where there are
/// more, or no such memory, it lies in a piece of its own.
///
/// No two lists share elements, for neither a list nor a household can be copied; and the memory of a household outlives
/// its lists, for it is what the household itself lies in (`Households`).
struct Few<let own: Int, Element>: ~Copyable {
    private var elements: UnsafeMutablePointer<Element>?
    private var filled: UInt32 = 0
    /// Above `own`: in a piece of its own.
    private var capacity: UInt32 = 0

    init(in memory: inout HouseholdMemory?) {
        elements = memory?.carve(own, Element.self)
        if elements != nil { capacity = UInt32(own) }
    }

    deinit {
        elements?.deinitialize(count: count)
        if capacity > own { elements?.deallocate() }
    }

    var count: Int { Int(filled) }
    var isEmpty: Bool { filled == 0 }
    var indices: Range<Int> { 0..<Int(filled) }

    /// Of a position below `count`, for which there is memory.
    subscript(position: Int) -> Element {
        @inline(__always) unsafeAddress {
            precondition(UInt(bitPattern: position) < UInt(filled), "a position within the list")
            return UnsafePointer(elements.unsafelyUnwrapped + position)
        }
        @inline(__always) unsafeMutableAddress {
            precondition(UInt(bitPattern: position) < UInt(filled), "a position within the list")
            return elements.unsafelyUnwrapped + position
        }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if filled == capacity { grow() }
        (elements.unsafelyUnwrapped + Int(filled)).initialize(to: element)
        filled += 1
    }

    private mutating func grow() {
        let more = max(UInt32(own) + 1, 2 * capacity)
        let piece = UnsafeMutablePointer<Element>.allocate(capacity: Int(more))
        if let elements {
            piece.moveInitialize(from: elements, count: count)
            if capacity > own { elements.deallocate() }
        }
        (elements, capacity) = (piece, more)
    }

    @discardableResult
    @inline(__always)
    mutating func remove(at position: Int) -> Element {
        precondition(UInt(bitPattern: position) < UInt(filled), "a position within the list")
        let place = elements.unsafelyUnwrapped + position
        let element = place.move()
        filled -= 1
        if position < count { place.moveInitialize(from: place + 1, count: count - position) }
        return element
    }

    /// Has these elements from now on, and no others.
    mutating func replace(with others: [Element]) {
        elements?.deinitialize(count: count)
        filled = 0
        for element in others { append(element) }
    }

    // MARK: Searches

    @inline(__always)
    func contains(where isWanted: (Element) -> Bool) -> Bool { firstIndex(where: isWanted) != nil }

    @inline(__always)
    func allSatisfy(_ isWanted: (Element) -> Bool) -> Bool {
        firstIndex { !isWanted($0) } == nil
    }

    func first(where isWanted: (Element) -> Bool) -> Element? {
        firstIndex(where: isWanted).map { self[$0] }
    }

    func last(where isWanted: (Element) -> Bool) -> Element? {
        lastIndex(where: isWanted).map { self[$0] }
    }

    @inline(__always)
    func firstIndex(where isWanted: (Element) -> Bool) -> Int? {
        for position in indices where isWanted(self[position]) { return position }
        return nil
    }

    @inline(__always)
    func lastIndex(where isWanted: (Element) -> Bool) -> Int? {
        var position = count
        while position > 0 {
            position -= 1
            if isWanted(self[position]) { return position }
        }
        return nil
    }

    func filter(_ isWanted: (Element) -> Bool) -> [Element] {
        var found: [Element] = []
        for position in indices where isWanted(self[position]) { found.append(self[position]) }
        return found
    }

    /// All of them, where time does not matter.
    var all: [Element] { indices.map { self[$0] } }

    /// What its room in the memory of a household takes.
    static var bytes: Int { HouseholdMemory.bytes(own, Element.self) }
}

/// What is left of a household's memory while its lists are laid out in it.
struct HouseholdMemory {
    private var next: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer

    init(_ start: UnsafeMutableRawPointer, bytes: Int) {
        next = start
        end = start + bytes
    }

    var isUsedUp: Bool { next == end }

    mutating func carve<Element>(_ count: Int, _: Element.Type) -> UnsafeMutablePointer<Element> {
        let place = next
        next += Self.bytes(count, Element.self)
        precondition(next <= end, "HouseholdState.bytes has room for every list")
        return place.bindMemory(to: Element.self, capacity: count)
    }

    /// Every element of a household's is aligned to eight bytes or less.
    static func bytes<Element>(_ count: Int, _: Element.Type) -> Int {
        (count * MemoryLayout<Element>.stride + 7) & ~7
    }
}
