import Foundation
import Testing

/// The corpus and the past crashes of `make fuzz`, through the same entry points.
@Suite("Fuzzing", .serialized)
struct ReplayTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// The files of a reader's corpus and its past crashes.
    private static func inputs(of reader: Reader) throws -> [(name: String, bytes: [UInt8])] {
        try ["", "crashes/"].flatMap { part in
            let corpus = folder.appending(path: "Corpus/\(part)\(reader.name)")
            let names = try? FileManager.default.contentsOfDirectory(atPath: corpus.path)
            return try (names ?? []).sorted().map { name in
                let data = try Data(contentsOf: corpus.appending(path: name))
                return ("\(part)\(reader.name)/\(name)", [UInt8](data))
            }
        }
    }

    /// A trap ends the process: the last line of standard error then names its input.
    private static func check(_ bytes: [UInt8], as reader: Reader, named name: String) {
        FileHandle.standardError.write(Data("fuzz: \(name)\n".utf8))
        let began = ContinuousClock.now
        let broken = reader.check(bytes)
        #expect(broken == nil, "\(name): \(broken ?? "")")
        // A hundred times what the slowest takes: only what is not linear misses it.
        #expect(ContinuousClock.now - began < .seconds(30), "\(name) takes too long")
    }

    @Test("corpus and past crashes break nothing", arguments: Reader.all.map(\.name))
    func corpus(_ name: String) throws {
        let reader = try #require(Reader(named: name))
        let inputs = try Self.inputs(of: reader)
        #expect(inputs.count > 3, "Tests/FuzzTests/Corpus/\(name) is all but empty")
        for input in inputs { Self.check(input.bytes, as: reader, named: input.name) }
    }

    /// `Dictionaries/NAME.repeated` has lines of two texts: an opening, and what follows it again and
    /// again. Both are in libFuzzer's syntax for the words of a dictionary.
    @Test("what repeats a thousand times is read in linear time", arguments: Reader.all.map(\.name))
    func repetition(_ name: String) throws {
        let reader = try #require(Reader(named: name))
        let file = Self.folder.appending(path: "Dictionaries/\(name).repeated")
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let texts = Self.texts(in: line)
            try #require(texts.count == 2 && !texts[1].isEmpty, "\(file.path): \(line)")
            let count = reader.repeatedLength / texts[1].count
            let bytes = texts[0] + Array(repeatElement(texts[1], count: count).joined())
            Self.check(bytes, as: reader, named: "\(name), \(count) times \(line)")
        }
    }

    /// What stands in quotes: `\\`, `\"` and `\xAB` are escapes.
    private static func texts(in line: Substring) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        var open: [UInt8]?
        var rest = line.utf8
        while let byte = rest.popFirst() {
            switch (byte, open) {
            case (UInt8(ascii: "\""), nil): open = []
            case (UInt8(ascii: "\""), let text?):
                texts.append(text)
                open = nil
            case (_, nil): continue
            case (UInt8(ascii: "\\"), _):
                let escaped = rest.popFirst()
                guard escaped == UInt8(ascii: "x") else {
                    open? += escaped.map { [$0] } ?? []
                    continue
                }
                open? += UInt8(Substring(rest.prefix(2)), radix: 16).map { [$0] } ?? []
                rest = rest.dropFirst(2)
            default: open?.append(byte)
            }
        }
        return texts
    }
}

extension Reader {
    /// In bytes: the longest that a debug build reads within a second or so.
    fileprivate var repeatedLength: Int {
        switch name {
        case "rig", "history": 10_000
        default: 200_000
        }
    }
}
