import Foundation
import NIOHTTP1
import Reports
import Synchronization
import Testing

@testable import Dashboard

@Suite("The buttons of the dashboard", .serialized) struct ControlTests {
    private static let token = "0123456789abcdef0123456789abcdef"

    /// What `Site` makes of a request, and what was asked of the run.
    private func ask(
        _ body: String, method: HTTPMethod = .POST, authorization: [String] = ["Bearer " + token],
        token: String? = token, host: String = "127.0.0.1:7464"
    ) -> (status: Int, words: [String]?) {
        let board = Board(LiveBoard(Samples.state), Samples.subject, token: token)
        let asked = Mutex<[String]?>(nil)
        board.obey { words in
            asked.withLock { $0 = words }
            return words == ["rate", "no"] ? "no rate" : nil
        }
        var headers = HTTPHeaders([("Host", host)])
        for value in authorization { headers.add(name: "Authorization", value: value) }
        let head = HTTPRequestHead(
            version: .http1_1, method: method, uri: "/control", headers: headers)
        let answer = Site.dashboard.answer(head, body: Array(body.utf8), board, port: 7464)
        let status =
            switch answer {
            case .done: 200
            case .refusal(let status, _): Int(status.code)
            case .page, .events: 0
            }
        return (status, asked.withLock { $0 })
    }

    @Test("a button reaches the run, and its refusal comes back")
    func deeds() {
        let pause = ask("{\"do\": [\"pause\"]}")
        #expect(pause.status == 200 && pause.words == ["pause"])
        let rate = ask("{\"do\": [\"rate\", \"no\"]}")
        #expect(rate.status == 409 && rate.words == ["rate", "no"])
    }

    @Test("nobody without the token, from elsewhere, or with another method reaches it")
    func strangers() {
        let pause = "{\"do\": [\"pause\"]}"
        for (status, answer) in [
            (401, ask(pause, authorization: [])),
            (401, ask(pause, authorization: ["Bearer x"])),
            (401, ask(pause, authorization: ["Bearer " + Self.token, "Bearer x"])),
            (401, ask(pause, authorization: [Self.token])),
            (404, ask(pause, token: nil)), (405, ask(pause, method: .GET)),
            (403, ask(pause, host: "evil.example:7464")),
            (400, ask("pause")), (400, ask("")),
            (400, ask("{\"do\": [\"" + String(repeating: "x", count: 2000) + "\"]}")),
        ] {
            #expect(answer.status == status && answer.words == nil)
        }
    }

    @Test("over a socket: the address holds the token, and the body may come in parts")
    func socket() async throws {
        let dashboard = try await Dashboard.start(
            page: .usual, metrics: nil, of: Samples.state, as: Samples.subject, token: Self.token)
        let url = try #require(dashboard.pageURL.flatMap { URL(string: $0) })
        #expect(url.fragment == Self.token)
        let asked = Mutex<[[String]]>([])
        dashboard.obey { words in
            asked.withLock { $0.append(words) }
            return nil
        }
        let port = url.port ?? 0
        let browser = Browser(
            port: port,
            "POST /control HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(Self.token)\r\n"
                + "Content-Length: 17\r\nConnection: close\r\n\r\n{\"do\": [\"pause\"]}")
        #expect(await browser.waits { $0.contains("done") })
        #expect(browser.text.hasPrefix("HTTP/1.1 200"))
        #expect(asked.withLock { $0 } == [["pause"]])
        await dashboard.stop()
    }

    @Test("the page hides its buttons until its script has found a token")
    func page() {
        #expect(Page.text.contains("<form class=\"control of-run\" id=\"control\" hidden"))
        #expect(Page.script.contains("byId(\"control\").hidden = !token;"))
    }
}
