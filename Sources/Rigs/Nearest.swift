extension String {
    /// Longer words are near to nothing: nobody mistypes one.
    private static var longest: Int { 64 }

    /// The one of `words` that this was most likely meant to be: at most a third of its letters
    /// away; the first of several equally near. Nil when none is near.
    package func nearest(among words: some Sequence<String>) -> String? {
        guard utf8.count <= 4 * Self.longest else { return nil }
        let own = Array(lowercased())
        guard own.count <= Self.longest else { return nil }
        var best: (word: String, distance: Int)?
        for word in words where word.utf8.count <= 4 * Self.longest {
            let other = Array(word.lowercased())
            // At least so many letters are to be inserted or deleted.
            guard abs(own.count - other.count) <= Self.allowed(own.count, other.count) else {
                continue
            }
            let distance = Self.distance(own, other)
            if distance < best?.distance ?? .max { best = (word, distance) }
        }
        guard let best, best.distance <= Self.allowed(count, best.word.count),
            best.distance < Swift.max(count, best.word.count)
        else { return nil }
        return best.word
    }

    private static func allowed(_ a: Int, _ b: Int) -> Int { Swift.max(1, Swift.max(a, b) / 3) }

    /// Letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = Swift.min(
                    rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = Swift.min(cost, rows[i - 1][j - 1] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
