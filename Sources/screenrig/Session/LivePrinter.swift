internal import Foundation
internal import Rendering

/// Redraws a block of lines in place, on standard error: the cursor goes up, each line is written over
/// the old one and cleared to its end, all in one write, so nothing flickers. The cursor is never
/// hidden: whatever ends the process, the terminal is as it was.
struct LivePrinter {
    private var drawn = 0

    private static let clearLine = "\u{1b}[K"
    private static let clearBelow = "\u{1b}[J"

    mutating func draw(_ lines: [String]) {
        let body = lines.map { harmless($0) + Self.clearLine }.joined(separator: "\n")
        write(top + body + Self.clearBelow)
        drawn = lines.count
    }

    /// Takes the block away; what is printed next stands in its place.
    mutating func clear() {
        guard drawn > 0 else { return }
        write(top + Self.clearBelow)
        drawn = 0
    }

    /// A sentence that stays, above the block.
    mutating func say(_ sentence: String, above lines: [String]) {
        clear()
        for line in Wrapping.lines(sentence, width: Terminal.progressWidth, hanging: 2) {
            write(harmless(line) + "\n")
        }
        if !lines.isEmpty { draw(lines) }
    }

    private func harmless(_ line: String) -> String {
        Terminal.harmless(line, keepsColours: Terminal.progressUsesColor)
    }

    /// To the block's first column and line; the cursor rests at the end of its last.
    private var top: String {
        switch drawn {
        case 0: ""
        case 1: "\r"
        default: "\r\u{1b}[\(drawn - 1)A"
        }
    }

    /// A terminal that has been closed takes nothing more, and that is no reason to stop.
    private func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
