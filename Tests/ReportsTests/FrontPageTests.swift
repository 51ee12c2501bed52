import Dialects
import Journal
import Testing
import Vocabulary

@testable import Reports

@Suite("What a machine in front of the service says")
struct FrontPageTests {
    @Test(
        "its words are the remedy",
        arguments: [
            (
                "<title>400 The plain HTTP request was sent to HTTPS port</title>",
                "https:// instead of http://"
            ),
            ("<h1>No required SSL certificate was sent</h1>", "target.tls.certificate"),
            ("The SSL certificate error", "did not accept the client certificate"),
        ])
    func remedy(page: String, words: String) throws {
        let remedy = try #require(FrontPage.remedy(page))
        #expect(remedy.contains(words), "\(remedy)")
    }

    @Test(
        "a redirect to https on the same host is named without its query",
        arguments: [
            (
                "http://sp.test:8080/o/client", "https://sp.test:8443/o?x=secret",
                "https://sp.test:8443"
            ),
            ("https://sp.test/o/client", "https://sp.test/login", nil),
            ("http://sp.test/o/client", "https://login.corp/x", nil),
            ("http://sp.test/", "/x", nil),
        ] as [(String, String, String?)])
    func redirect(url: String, location: String, place: String?) {
        let message = KeptMessage(
            household: 0, sequence: 1, method: "GET", url: url, status: 301,
            responseHeaders: ["Location": location])
        let remedy = FrontPage.remedy(ErrorRow.RecordedMessages(message))
        #expect(remedy == place.map { "http://sp.test:8080\(Self.redirects($0))" })
    }

    @Test(
        "a redirect to the same path elsewhere is named",
        arguments: [
            (
                "https://a.sp.test/o/client?x=1", "https://b.sp.test/o/client?x=1",
                "https://b.sp.test"
            ),
            ("http://sp.test/o/client", "http://sp.test:8080/o/client", "http://sp.test:8080"),
            ("https://sp.test/o/client", "https://sp.test/o/client", nil),
            ("https://sp.test/o/client", "https://login.corp/o/login", nil),
        ] as [(String, String, String?)])
    func sentOn(url: String, location: String, place: String?) {
        let message = KeptMessage(
            household: 0, sequence: 1, method: "POST", url: url, status: 307,
            responseHeaders: ["Location": location])
        let remedy = FrontPage.remedy(ErrorRow.RecordedMessages(message))
        let asked = url.hasPrefix("https://a") ? "https://a.sp.test" : "http://sp.test"
        #expect(remedy == place.map { asked + Self.redirects($0) })
    }

    @Test("a redirect within the service names both paths, and no other address")
    func movedWithin() throws {
        let asked = try #require(WebAddress("http://sp.test/o/client"))
        let text = FrontPage.moved(from: asked, to: WebAddress("http://sp.test/x/o/client"))
        #expect(
            text
                == "http://sp.test redirects /o/client to another address of its own, and screenrig's TVs and apps do not "
                + "follow: correct the path of target.base, if the service has another, or ask its team why it redirects"
        )
    }

    private static func redirects(_ place: String) -> String {
        " redirects requests to \(place), and screenrig's TVs and apps do not follow: write that address in target.base"
    }

    @Test("other pages have none, and their titles are told")
    func others() {
        #expect(FrontPage.remedy("<p>Access Denied</p>") == nil)
        #expect(FrontPage.title("<html><TITLE lang=en> Access\nDenied </TITLE>") == "Access Denied")
        #expect(FrontPage.title("<p>no title</p>") == "")
    }

    @Test(
        "a login page that was refused without a cookie, after a page of the same host, has lost its session",
        arguments: [
            (["Referer": "https://sp.test/authenticate"], true),
            (["Referer": "https://sp.test/authenticate", "Cookie": "a=b"], false),
            (["Referer": "https://sp.test:8443/authenticate"], false), ([:], false),
        ] as [(Headers, Bool)])
    func lostSession(headers: Headers, isTold: Bool) {
        func hint(_ operation: OperationName, _ method: String) -> String {
            let group = ErrorGroup(
                operation: operation, outcome: .rejected, status: 400, reason: "", count: 1,
                first: .start, last: .start, example: nil)
            let message = KeptMessage(
                household: 0, sequence: 8, method: method,
                url: "https://sp.test/login?rs=(secret #1)",
                requestHeaders: headers, status: 400)
            return Remedy.unsteady(group, ErrorRow.RecordedMessages(message))
        }
        #expect(hint(.mvpdLogin, "GET").contains("sticky sessions") == isTold)
        #expect(hint(.mvpdLogin, "POST") == "" && hint(.authenticate, "GET") == "")
    }

    @Test("responses that share a request id are told")
    func repeated() {
        func row(_ ids: [String], of requests: [String]) -> ViolationRow {
            ViolationRow(requestIDs: ids, remotes: [], requests: requests)
        }
        let rows = [
            row(["a", "b"], of: ["0/2", "0/3"]), row(["b", "c"], of: ["0/3", "0/4"]),
            row(["a"], of: ["7/12"]),
        ]
        #expect(ViolationRow.repeatedIDs(rows) == ["a"])
        #expect(ViolationRow.repeatedIDs(Array(rows.prefix(2))) == [], "one request, twice accused")
    }
}
