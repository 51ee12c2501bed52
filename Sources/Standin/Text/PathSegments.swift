internal import Formats

/// Where the segments of a path stand: what follows each of its slashes.
struct PathSegments {
    /// Of all of them; the places of the first six are known.
    private(set) var count = 0
    private var starts = InlineArray<6, Int>(repeating: 0)
    private var ends = InlineArray<6, Int>(repeating: 0)

    init(_ path: Span<UInt8>) {
        var slash = path.first(UInt8(ascii: "/"))
        while slash < path.count {
            let end = path.first(UInt8(ascii: "/"), from: slash + 1)
            if count < 6 {
                starts[count] = slash + 1
                ends[count] = end
            }
            count += 1
            slash = end
        }
    }

    /// One of the first six, decoded; empty where there is none.
    func text(_ place: Int, of path: Span<UInt8>) -> String {
        Percent.decode(path.extracting(starts[place]..<ends[place]))
    }

    /// Whether one of the first six stands there as that word.
    func holds(_ word: String, _ place: Int, of path: Span<UInt8>) -> Bool {
        place < count && path.extracting(starts[place]..<ends[place]).isEqual(to: word)
    }
}
