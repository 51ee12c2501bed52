import Dialects
import Journal
import TestSupport
import Testing

@testable import Devices
@testable import Rigs

/// Pages that a person never sees: made to cost time and memory.
@Suite struct HostilePageTests {
    private static func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }

    private static func step(_ page: HTMLPage) -> FormFinder.Step {
        FormFinder(page: page, login: Rig.Login.LoginFields(), progress: LoginProgress()).step
    }

    private static let gate = {
        var known = KnownSecrets()
        known.note(Secret("password"))
        return OutputGate(Fingerprinter(key: 1)).knowing(known)
    }()

    /// All that is ever asked of a page.
    private static func look(at html: String) -> HTMLPage {
        let page = HTMLPage(html)
        _ = step(page)
        _ = (page.title, page.notice, page.wayOut, page.noscript, page.text, page.needsScript)
        _ = KeptPage.text(
            page, at: WebAddress("http://idp.test/login")!, status: 200, cause: "", household: 0,
            through: gate)
        return page
    }

    /// Reading in one pass takes a second for each in a debug build; the second power of so many, hours.
    static let slow: [LongText] = {
        var pages: [String] = []
        pages.append("<html><title>\(repeated("<!---->", 140_000))")
        pages.append(repeated("<!--", 200_000))
        pages.append(repeated("<a ", 200_000))
        pages.append(repeated("<a b='", 150_000))
        pages.append(repeated("<a>", 45_000))
        pages.append(repeated("<a>cancel", 45_000))
        pages.append(repeated("<script>", 100_000))
        pages.append(repeated("</script ", 100_000))
        pages.append("<title>\(repeated("&", 900_000))")
        pages.append("<title>\(repeated("&amp", 200_000))")
        pages.append("<title>\(repeated("x", 900_000))")
        pages.append("<title>\(repeated("e\u{301}", 300_000))")
        pages.append(repeated("<noscript>", 45_000))
        pages.append(repeated("<p class=error>", 45_000))
        pages.append(repeated("<form>", 900) + repeated("<input form=a>", 4_000))
        pages.append(repeated("<", 900_000))
        pages.append(repeated("<=", 400_000))
        pages.append(repeated("</", 400_000))
        return pages.map(LongText.init)
    }()

    @Test("a page of any make is read in one pass", .timeLimit(.minutes(2)), arguments: slow)
    func linear(html: LongText) {
        _ = Self.look(at: html.text)
    }

    static let tooMuch: [(html: LongText, what: String)] = {
        var pages: [(html: String, what: String)] = []
        pages.append((repeated("<form><input name=a></form>", 20_000), "50000 tags"))
        pages.append((repeated("<form><input name=a></form>", 1_001), "1000 forms"))
        pages.append(("<form>" + repeated("<input name=a>", 5_001), "5000 fields"))
        pages.append((repeated("<input form=x>", 5_001), "5000 fields"))
        pages.append(("<form><select name=s>" + repeated("<option>", 100_000), "50000 tags"))
        pages.append((repeated("<label for=x>", 60_000), "50000 tags"))
        pages.append(("<form " + repeated("a=b ", 501) + ">", "500 attributes in a tag"))
        pages.append((repeated("x", 1_000_000) + "<form>", "1000000 bytes"))
        return pages.map { (LongText($0), $1) }
    }()

    @Test(
        "a page over a budget is one that nobody gets past, and the cause says which",
        arguments: tooMuch)
    func overBudget(html: LongText, what: String) {
        let page = Self.look(at: html.text)
        #expect(page.forms.isEmpty)
        guard case .stuck(let reason) = Self.step(page) else {
            Issue.record("not stuck")
            return
        }
        #expect(
            reason.contains(
                "has more than \(what), the limit for a page; let a program do the login with "
                    + "login: {command: PROGRAM}"))
    }

    @Test("at its budget a page is read")
    func atBudget() {
        let forms = Self.repeated("<form><input name=a></form>", 999)
        let page = HTMLPage(forms + "<form>" + Self.repeated("<input name=b>", 4_001))
        #expect(page.excess == nil)
        #expect(page.forms.count == 1_000)
        #expect(page.forms[999].fields.count == 4_001)
    }

    @Test("of a page over its budget nothing is kept whose values could not be taken out")
    func kept() {
        let page =
            Self.repeated("<p>", HTMLBudget.tags) + "<input type=hidden value=geheimnis>"
        let text = KeptPage.redacted(page)
        #expect(!text.contains("geheimnis"))
        #expect(
            text.hasSuffix(
                "<!-- the rest was not recorded: the page has more than 50000 tags "
                    + "-->\n"))
    }

    @Test("names that a page gives are shortened in causes")
    func shortened() {
        let page = HTMLPage(
            "<form action=\"\(Self.repeated("/a", 9_000))\"><input name=\(Self.repeated("n", 9_000)) type=\(Self.repeated("t", 9_000))><input name=b></form>"
        )
        #expect(FormFinder.summary(page)[0].utf8.count < 500)
    }

    @Test(
        "words stand outside comments, and a link ends where the next begins",
        arguments: [
            ("<title>a<!-- b -->c<!----> d<!-- e</title>", "ac d"),
            ("<title>a < b</title>", "a < b"),
            ("<title>&lt;!-- a --&gt;</title>", "<!-- a -->"),
            ("<title>no: aB<cc>D1<b>2</title>", "no: aB<cc>D1<b>2"),
        ])
    func title(html: String, expected: String) {
        #expect(HTMLPage(html).title == Untrusted(expected))
    }

    @Test("what only looks like a tag stays whole within words, so that a secret in it is known")
    func whole() {
        let page = HTMLPage("<p class=error>no <b>aB<cc>D1</b><i>or</i> T&<3 x</p>")
        #expect(page.notice == Untrusted("no aB<cc>D1 or T&<3 x"))
    }

    @Test("the way out is the link whose own words say so")
    func wayOut() {
        #expect(HTMLPage("<a href=/1>Go<a href=/2><b>Cancel</b></a>").wayOut == "/2")
    }
}
