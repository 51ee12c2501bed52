internal import Foundation

/// A page of the documents with places for tables that a command writes: between
/// `<!-- MARK -->` and `<!-- end of MARK -->`.
struct MarkedPage {
    let path: String

    /// Replaces what stands at that mark.
    func write(_ lines: [String], at mark: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let (start, end) = ("<!-- \(mark) -->\n", "<!-- end of \(mark) -->")
        guard let first = text.range(of: start), let last = text.range(of: end) else {
            throw Failure.badInput("\(path) has no place marked '\(mark)'")
        }
        let whole =
            text[..<first.upperBound] + lines.joined(separator: "\n") + "\n"
            + text[last.lowerBound...]
        try String(whole).write(toFile: path, atomically: true, encoding: .utf8)
    }
}
