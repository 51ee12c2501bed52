import Testing

@testable import Rigs

@Suite("Links to the tools of the server's team")
struct LinkTests {
    private static func rig(_ links: String) -> String {
        """
        rig: links
        target: {base: embedded}
        load: {closed: {households: 1}}
        links: \(links)

        """
    }

    private static func refusal(_ links: String) -> String {
        do throws(RigErrors) {
            _ = try Rig.read(rig(links), file: "rigs/x.yaml")
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test("values are URL-encoded, and a link without one of its values is left out")
    func filled() throws {
        let links = """
            {trace: "https://tempo.example/trace/{trace-id}", logs: "http://k.example:5601/app#/?_q=(a:'{request-id}')&h={household}"}
            """
        let rig = try Rig.read(Self.rig(links), file: "x").rig
        #expect(rig.links.map(\.name) == ["trace", "logs"])
        let values: [LinkTemplate.Placeholder: String] = [
            .request: "a b&\"<x>/é", .household: "17", .trace: "",
        ]
        #expect(
            rig.links.map { $0.address { values[$0] } } == [
                nil, "http://k.example:5601/app#/?_q=(a:'a%20b%26%22%3Cx%3E%2F%C3%A9')&h=17",
            ])
    }

    @Test(
        "what is no link of the web has its place and its remedy",
        arguments: [
            ("{a: \"https://x.example/{traceid}\"}", "{traceid}; did you mean {trace-id}?"),
            ("{a: \"https://x.example/{nothing-like-it}\"}", "any of {trace-id}, {span-id}"),
            ("{a: \"javascript:alert(1)\"}", "does not begin with http:// or https://"),
            ("{a: \"https://{request-id}.example/\"}", "a placeholder in its host"),
            ("{a: \"https://me@x.example/\"}", "a user name in its host"),
            ("{a: \"https:///x\"}", "no host"),
            ("{a: \"https://x.example/{trace-id\"}", "a brace without its other half"),
            ("{a: \"https://x.example/a b\"}", "a space in it"),
            ("{a: \"https://x.example/'<b>\"}", "U+003C"),
        ])
    func refused(links: String, words: String) {
        let told = Self.refusal(links)
        #expect(told.contains(words), "\(told)")
        #expect(told.hasPrefix("rigs/x.yaml:4:"), "\(told)")
    }

    @Test("there are at most ten of them")
    func many() {
        let entries = (0...10).map { "l\($0): \"https://x.example/\"" }.joined(separator: ", ")
        #expect(Self.refusal("{\(entries)}").contains("links has 11 entries; at most 10"))
    }
}
