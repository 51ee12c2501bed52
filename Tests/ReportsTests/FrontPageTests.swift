import Testing

@testable import Reports

@Suite("What a machine in front of the service says")
struct FrontPageTests {
    @Test(
        "its words are the remedy",
        arguments: [
            (
                [
                    "HTTP 400", "",
                    "<title>400 The plain HTTP request was sent to HTTPS port</title>",
                ],
                "https:// instead of http://"
            ),
            (["HTTP 400", "", "No required SSL certificate was sent"], "target.tls.certificate"),
            (
                ["HTTP 400", "", "The SSL certificate error"],
                "did not accept the client certificate"
            ),
            (
                ["HTTP 301", "location: https://sp.test:8443/o/client/register", ""],
                "write https://sp.test:8443 in target.base"
            ),
        ])
    func remedy(reply: [String], words: String) throws {
        let remedy = try #require(FrontPage.remedy(reply))
        #expect(remedy.contains(words), "\(remedy)")
    }

    @Test("others have none; a page has its title")
    func others() {
        #expect(FrontPage.remedy(["HTTP 302", "Location: https://sp.test/login", ""]) != nil)
        #expect(FrontPage.remedy(["HTTP 302", "Location: /login", ""]) == nil)
        #expect(FrontPage.remedy([]) == nil)
        #expect(FrontPage.title("<html><TITLE lang=en> Access\nDenied </TITLE>") == "Access Denied")
        #expect(FrontPage.title("<p>no title</p>") == "")
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
