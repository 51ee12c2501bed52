import Testing

@testable import Formats

@Suite struct XMLReaderTests {
    private static func tree(_ text: String) -> JSON? { XMLReader.read(Array(text.utf8))?.tree }

    @Test(
        "well-formed documents are read",
        arguments: [
            ("<a/>", .string("")), ("<a></a>", .string("")), ("<a >x</a >", .string("x")),
            ("\u{feff}<a>x</a>", .string("x")),
            ("<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<a>x</a>\n", .string("x")),
            ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>x</a>", .string("x")),
            ("<!-- - --><?p x?><a>1<!-- < & -->2<?q?>3</a><!----><?r ??>", .string("123")),
            ("<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>", .string("<b>&amp;]]>")),
            ("<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;&#9;</a>", .string("<>&\"'A😀\t")),
            ("<a>1\r\n2\r3\n</a>", .string("1\n2\n3\n")), ("<a>é😀</a>", .string("é😀")),
            ("<n:a xmlns:n='u' b = \"&lt;'\" c='\"'/>", .string("")),
            ("<_a.b-1/>", .string("")), ("<größe/>", .string("")),
            (
                "<r> <n:a x='1'>1</n:a> <a>2</a> </r>",
                .object([
                    JSON.Member(name: "a", value: .string("1")),
                    JSON.Member(name: "a", value: .string("2")),
                ])
            ),
        ] as [(String, JSON)])
    func wellFormed(text: String, expected: JSON) {
        #expect(Self.tree(text) == expected)
    }

    @Test(
        "what is not well formed, or says more than the protocol needs, is no document",
        arguments: [
            "", " ", "text", "<a>", "<a></b>", "<a></a", "<a", "<", "</a>", "<a/><b/>", "<a/>x",
            "x<a/>",
            "<a></n:a>", "<1/>", "< a/>", "<:a/>", "<a:/>", "<a:b:c/>", "<a/ >", "<a b/>",
            "<a b=/>",
            "<a b=c/>", "<a b='1/>", "<a b='1'c='2'/>", "<a b='1' b='2'/>", "<a b='<'/>",
            "<a b='&x;'/>",
            "<a>&</a>", "<a>&x;</a>", "<a>&amp</a>", "<a>&#;</a>", "<a>&#x;</a>", "<a>&#0;</a>",
            "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a>&#+65;</a>", "<a>&#-1;</a>",
            "<a>&#xFFFE;</a>",
            "<a>]]></a>", "<a>\u{1}</a>", "<a>\u{ffff}</a>", "<!-- -- --><a/>", "<!-- <a/>",
            "<![CDATA[x]]><a/>",
            "<a><![CDATA[x</a>", "<?xml?><a/>", "<?xml encoding='utf-8'?><a/>",
            " <?xml version='1.0'?><a/>",
            "<a><?xml version='1.0'?></a>",
            "<?xml version='1.0' standalone='no' encoding='utf-8'?><a/>",
            "<?xml version='1.0' encoding='utf-16'?><a/>",
            "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>", "<?><a/>", "<?p <a/>",
            "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "<!ELEMENT a><a/>",
        ])
    func malformed(text: String) {
        #expect(Self.tree(text) == nil)
    }

    @Test("broken UTF-8 is no document")
    func brokenUTF8() {
        #expect(XMLReader.read(Array("<a>".utf8) + [0xff] + Array("</a>".utf8)) == nil)
    }

    @Test(
        "a document deeper than 64 levels is refused for that, in JSON and XML",
        arguments: [64, 65, 120_000])
    func depth(levels: Int) {
        var limits: (json: JSON.Limit?, xml: JSON.Limit?)
        let open = String(repeating: "<a>", count: levels)
        let close = String(repeating: "</a>", count: levels)
        let xml = XMLReader.read(Array((open + close).utf8), &limits.xml)
        let lists = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let json = JSONReader.document(Array(lists.utf8), &limits.json)?.root.tree
        #expect((xml == nil) == (levels > 64))
        #expect((json == nil) == (levels > 64))
        #expect(limits.xml == (levels > 64 ? .depth : nil))
        #expect(limits.json == (levels > 64 ? .depth : nil))
        // Comparing, hashing and freeing go as deep.
        #expect(Set([xml?.tree, xml?.tree, json]).count == (levels > 64 ? 1 : 2))
    }

    @Test("a document of more than 200,000 values is refused for that, in JSON and XML")
    func size() {
        for count in [199_999, 200_000] {
            var limits: (json: JSON.Limit?, xml: JSON.Limit?)
            let elements = "<r>" + String(repeating: "<a/>", count: count) + "</r>"
            let xml = XMLReader.read(Array(elements.utf8), &limits.xml)
            let list = "[" + String(repeating: "0,", count: count - 1) + "0]"
            let json = JSONReader.document(Array(list.utf8), &limits.json)
            #expect((xml == nil) == (count > 199_999))
            #expect((json == nil) == (count > 199_999))
            #expect(limits.xml == (count > 199_999 ? .nodes : nil))
            #expect(limits.json == (count > 199_999 ? .nodes : nil))
        }
    }

    /// Quadratic reading took more than a minute for the second of these, and for ever for the first.
    @Test("what made readers slow is read in one pass", .timeLimit(.minutes(1)))
    func linear() {
        let entity = "<!DOCTYPE a [<!ENTITY x '\(String(repeating: "y", count: 9_000))'>]><a>"
        #expect(Self.tree(entity + String(repeating: "&x;", count: 100_000) + "</a>") == nil)
        let attributes = (0..<60_000).map { " a\($0)='1'" }.joined()
        #expect(Self.tree("<r\(attributes)/>") == .string(""))
        for repeated in ["<a>", "<!--", "<![CDATA[", "<?p", "<a b='", "&lt;", "]]", "<a b='1' "] {
            #expect(Self.tree("<r>" + String(repeating: repeated, count: 200_000)) == nil)
        }
        let items = (0..<100_000).map { "<resource><id>\($0 % 7)</id></resource>" }.joined()
        #expect(Self.tree("<r>\(items)</r>") == nil)
        let few = (0..<60_000).map { "<resource><id>\($0 % 7)</id></resource>" }.joined()
        #expect(Self.tree("<r>\(few)</r>")?.items("resource").count == 60_000)
    }
}
