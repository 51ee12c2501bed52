import Testing

@testable import Dialects

@Suite("Pages that are not in UTF-8")
struct CharsetTests {
    private func page(_ type: String, _ body: [UInt8]) -> (text: String, charset: Charset?) {
        Reply(status: 200, headers: ["Content-Type": type], body: body).page
    }

    @Test("the header says what a page is in, else its own first kilobyte, else its mark")
    func reading() {
        let size: [UInt8] = [0x47, 0x72, 0xf6, 0xdf, 0x65]
        #expect(page("text/html; charset=ISO-8859-1", size).text == "Größe")
        #expect(page("text/html;charset=\"latin1\"", size).text == "Größe")
        let meta = Array(
            "<meta http-equiv=Content-Type content='text/html; charset=windows-1252'>".utf8)
        #expect(page("text/html", meta + size).text.hasSuffix(">Größe"))
        let utf8 = meta + Array("Größe".utf8)
        #expect(page("text/html; charset=utf-8", utf8).text.hasSuffix(">Größe"))
        #expect(page("text/html", [0xff, 0xfe, 0x47, 0, 0xf6, 0]).text.hasSuffix("Gö"))
        #expect(page("text/html; charset=Shift_JIS", [0x93, 0xfa, 0x96, 0x7b]).text == "日本")
        #expect(page("text/html; charset=windows-1251", [0xcc, 0xee]).text == "Мо")
    }

    @Test("UTF-8, what nobody knows, and a word of a script are UTF-8")
    func plain() {
        for (type, body) in [
            ("text/html", "Größe"), ("text/html; charset=UTF-8", "Größe"),
            ("text/html; charset=klingon", "Größe"),
            ("text/html", "<script>var charset='iso-8859-1'</script>Größe"),
        ] {
            let page = page(type, Array(body.utf8))
            #expect(page.text == body && page.charset == nil, "\(type)")
        }
    }

    @Test("a broken byte is a mark of it, however long the page")
    func broken() {
        let bytes: [UInt8] = [0x41, 0xff] + [UInt8](repeating: 0x42, count: 5_000)
        let page = page("text/html; charset=euc-jp", bytes)
        #expect(page.text == "A\u{fffd}" + String(repeating: "B", count: 5_000))
    }

    @Test("a form is written in what its page is in, and what that lacks as a reference")
    func writing() throws {
        let charset = try #require(Charset(label: "iso-8859-1"))
        let body = charset.body([("straße", "Größe & 5 €"), ("x", "日")])
        #expect(
            String(decoding: body, as: UTF8.self)
                == "stra%DFe=Gr%F6%DFe%20%26%205%20%80&x=%26%2326085%3B")
    }
}
