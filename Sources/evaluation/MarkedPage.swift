internal import Dialects
internal import Foundation
internal import Runner

/// A page of the documents with places for tables that a command writes: between
/// `<!-- MARK -->` and `<!-- end of MARK -->`.
struct MarkedPage {
    let path: String

    /// What stands at that mark.
    func lines(at mark: String) throws -> [String] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text[try place(of: mark, in: text)].split(separator: "\n").map(String.init)
    }

    /// Replaces what stands at that mark.
    func write(_ lines: [String], at mark: String) throws {
        var text = try String(contentsOfFile: path, encoding: .utf8)
        text.replaceSubrange(
            try place(of: mark, in: text), with: lines.joined(separator: "\n") + "\n")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func place(of mark: String, in text: String) throws -> Range<String.Index> {
        guard let first = text.range(of: "<!-- \(mark) -->\n"),
            let last = text.range(of: "<!-- end of \(mark) -->"),
            first.upperBound <= last.lowerBound
        else { throw RunError.badInput("\(path) has no section marked '\(mark)'") }
        return first.upperBound..<last.lowerBound
    }
}

extension ProtocolName {
    /// What the marks of its tables end with.
    var markSuffix: String {
        switch self {
        case .adobePassV1: ""
        case .adobePassV2: "-v2"
        case .oauthDeviceGrant: "-grant"
        }
    }
}
