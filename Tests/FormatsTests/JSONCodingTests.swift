import Formats
import Testing

@Suite struct JSONCodingTests {
    struct Rate: Codable, InlineCodable, Hashable {
        static let firstKey = "k"
        var hits: Int
        var trials: Int

        private enum CodingKeys: String, CodingKey {
            case hits = "k"
            case trials = "n"
        }
    }

    enum Side: String, CaseIterable, Codable { case near, far }

    struct Argument: MemberCodable, Hashable {
        var name: String
        var value: String

        init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

        init(name: String, value: JSONPlace) throws {
            self.init(name, try value.unbox(String.self))
        }

        var member: JSON.Member { JSON.Member(name: name, value: .string(value)) }
    }

    struct Record: Codable, Hashable {
        var offset: Duration
        var side: Side
        var rate: Rate
        var note: String?
        var arguments: [Argument]
        var spread: [Duration]
        var inner: [Record]
        @Quoted var seed: UInt64

        private enum CodingKeys: String, CodingKey {
            case side, rate
            case offset = "offsetUs"
            case note, arguments
            case spread = "spreadNs"
            case inner
            case seed
        }
    }

    static let record = Record(
        offset: .nanoseconds(15_499), side: .far, rate: Rate(hits: 1, trials: 2),
        note: nil, arguments: [Argument("b", "1"), Argument("a", "2")],
        spread: [.microseconds(-1)], inner: [], seed: .max)

    @Test("members come in the order of their keys, times in the unit of theirs, nil as null")
    func written() {
        let text = JSON(schema: "test/1", Self.record).text(.compact)
        #expect(
            text == #"{"schema":"test/1","side":"far","k":1,"n":2,"offsetUs":15,"note":null,"#
                + #""arguments":{"b":"1","a":"2"},"spreadNs":[-1000],"inner":[],"#
                + #""seed":"18446744073709551615"}"#)
    }

    @Test("what was written is read back")
    func roundTrip() throws {
        var record = Self.record
        record.offset = .microseconds(15)
        record.inner = [record]
        record.note = "é"
        #expect(try JSON(encoding: record).decoded(as: Record.self) == record)
        let text = JSON(encoding: record).text(.page)
        #expect(try JSONReader.read(Array(text.utf8))?.decoded(as: Record.self) == record)
    }

    @Test(
        "a mistake is named by its place, with what is right",
        arguments: [
            (
                #""offsetUs": 15"#, #""offsetUs": "x""#,
                "offsetUs is 'x'; it must be a whole number, -34560000000000 to 34560000000000"
            ),
            (#""side": "far""#, #""side": "mid""#, "side is 'mid'; it must be one of near, far"),
            (#""side": "far""#, #""sid": "far""#, "side is missing; it must be one of near, far"),
            (
                "[-1000]", "[true]",
                "spreadNs[0] is true; it must be a whole number, -34560000000000000 to "
                    + "34560000000000000"
            ),
            (#""a": "2""#, #""a": 2"#, "arguments.a is 2; it must be a text"),
            (#""k": 1"#, #""kk": 1"#, "k is missing; it must be a whole number"),
            (#""inner": []"#, #""inner": [{}]"#, "inner[0].side is missing"),
            (#""seed": ""#, #""seed": "-"#, "seed is '-1844"),
        ])
    func mistakes(from: String, to: String, says: String) throws {
        let text = JSON(encoding: Self.record).text(.page).replacing(from, with: to)
        let json = try #require(JSONReader.read(Array(text.utf8)))
        do {
            _ = try json.decoded(as: Record.self)
            Issue.record("it was read")
        } catch {
            #expect("\(error)".hasPrefix(says))
        }
    }

    @Test(
        "layouts",
        arguments: [
            (.compact, #"{"a":[1,{}],"b":"x"}"#), (.line, #"{"a": [1, {}], "b": "x"}"#),
            (.page, #"{"a": [1, {}], "b": "x"}"#),
            (.indented, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x\"\n}"),
        ] as [(JSON.Layout, String)])
    func layout(layout: JSON.Layout, text: String) {
        let value: JSON = .members([("a", .array([.integer(1), .members([])])), ("b", "x")])
        #expect(value.text(layout) == text)
    }

    @Test(
        "a page breaks what does not fit",
        arguments: [(200, false), (260, true)])
    func page(length: Int, breaks: Bool) {
        let text = JSON.array([.string(String(repeating: "x", count: length))]).text(.page)
        #expect(text.contains("\n") == breaks)
    }
}
