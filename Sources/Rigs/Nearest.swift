extension String {
    /// The one of `words` that this was most likely meant to be: at most a third of its letters
    /// away; the first of several equally near. Nil when none is near.
    package func nearest(among words: some Sequence<String>) -> String? {
        var best: (word: String, distance: Int)?
        for word in words {
            let distance = Self.distance(Array(lowercased()), Array(word.lowercased()))
            if distance < best?.distance ?? .max { best = (word, distance) }
        }
        guard let best, best.distance <= Swift.max(1, Swift.max(count, best.word.count) / 3),
            best.distance < Swift.max(count, best.word.count)
        else { return nil }
        return best.word
    }

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
