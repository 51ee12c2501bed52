import Foundation
import NIOHTTP1
import Reports
import Testing

@testable import Dashboard

@Suite("The dashboard", .serialized) struct DashboardTests {
    private static let ending = LiveBoard.Ending(
        path: "reports/x", outcome: "pass", headline: "Passed: all 20 households signed in.")

    private static func start(
        page: PagePort? = .usual, metrics: PagePort? = nil,
        metricsHost: String = Dashboard.loopback
    ) async throws -> (Dashboard, Int) {
        let dashboard = try await Dashboard.start(
            page: page, metrics: metrics, metricsHost: metricsHost, of: Samples.state,
            as: Samples.subject)
        return (dashboard, port(dashboard.pageURL ?? dashboard.metricsURL))
    }

    private static func port(_ url: String?) -> Int {
        url.flatMap { URL(string: $0)?.port } ?? 0
    }

    /// The objects of the events that came whole.
    private static func events(_ text: String) throws -> [(name: String, data: [String: Any])] {
        try text.matches(of: /event: (state|ended)\ndata: ([^\n]*)\n/).map { match in
            let object = try JSONSerialization.jsonObject(with: Data(match.2.utf8))
            return (String(match.1), try #require(object as? [String: Any]))
        }
    }

    @Test("serves its page, its state and nothing else")
    func pages() async throws {
        let (dashboard, port) = try await Self.start()
        let page = await Browser.get("/", port: port)
        #expect(page.status == 200 && page.body == Page.text)
        #expect(page.head.contains("Content-Type: text/html; charset=utf-8"))
        #expect(page.head.contains("default-src 'none'"))
        let state = await Browser.get("/state.json", port: port)
        let read = try JSONSerialization.jsonObject(with: Data(state.body.utf8)) as? [String: Any]
        #expect(read?["title"] as? String == "sample → http://127.0.0.1:8080")
        let head = await Browser.get("/", port: port, method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(await Browser.get("/metrics", port: port).status == 404)
        #expect(await Browser.get("/", port: port, method: "POST").status == 405)
        await dashboard.stop()
    }

    @Test(
        "answers only to names of this machine, whatever else a name is made to point to",
        arguments: [
            (["localhost:7464"], true), (["127.0.0.1:7464"], true), (["127.0.0.2:7464"], false),
            (["[::1]:7464"], true), (["LOCALHOST:7464"], true),
            (["localhost"], false), (["127.0.0.1"], false), (["localhost:80"], false),
            (["localhost:07464"], false), (["localhost:7464:7464"], false),
            (["localhost:74640"], false), (["localhost:7464@x"], false),
            (["x@localhost:7464"], false),
            (["localhost.:7464"], false), (["localhost.evil.example:7464"], false),
            (["evil.example:7464"], false), (["127.0.0.1.evil.example:7464"], false),
            (["127.0.0.256:7464"], false), (["127.0.0.01:7464"], false), (["127.1:7464"], false),
            (["0x7f.0.0.1:7464"], false), (["127.0.0.+1:7464"], false),
            (["2130706433:7464"], false),
            (["128.0.0.1:7464"], false), (["0.0.0.0:7464"], false), (["[::]:7464"], false),
            (["::1:7464"], false), (["[::1:7464"], false), (["[::1]evil:7464"], false),
            (["[::ffff:127.0.0.1]:7464"], false), ([" localhost:7464"], false), ([""], false),
            ([], false), (["localhost:7464", "localhost:7464"], false),
            (["localhost:7464", "evil.example"], false), (["localhost:7464, evil.example"], false),
        ])
    func host(names: [String], isAnswered: Bool) {
        #expect(Site.isOurs(names, version: .http1_1, port: 7464) == isAnswered)
    }

    @Test("a name of elsewhere is refused; HTTP/1.0 needs none, and port 80 is not written")
    func otherHosts() async throws {
        #expect(Site.isOurs([], version: .http1_0, port: 7464))
        #expect(Site.isOurs(["localhost"], version: .http1_1, port: 80))
        let (dashboard, port) = try await Self.start()
        for name in ["rig.example", "localhost.rig.example:\(port)", "localhost:1", "localhost"] {
            let answer = await Browser.get("/state.json", port: port, host: name)
            #expect(answer.status == 403 && !answer.body.contains("title"))
        }
        #expect(
            await Browser.get("/state.json", port: port, host: "localhost:\(port)").status == 200)
        await dashboard.stop()
    }

    @Test(
        "metrics that listen on the network answer to any name, also through loopback",
        arguments: [("0.0.0.0", 200), (Dashboard.loopback, 403)])
    func openMetrics(host: String, status: Int) async throws {
        let (dashboard, port) = try await Self.start(
            page: nil, metrics: .usual, metricsHost: host)
        let answer = await Browser.get("/metrics", port: port, host: "rig.example:\(port)")
        #expect(answer.status == status)
        await dashboard.stop()
    }

    @Test("tells the state at once, each that follows, and how it ended; then lets go")
    func events() async throws {
        let (dashboard, port) = try await Self.start()
        let browser = Browser(port: port, "GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
        #expect(await browser.waits { $0.contains("event: state") })
        #expect(browser.text.contains("Content-Type: text/event-stream"))
        var state = Samples.state
        state.progress.completed = 4711
        dashboard.show(state)
        #expect(await browser.waits { $0.contains("\"completed\":4711") })
        await dashboard.end(Self.ending)
        #expect(await browser.waits { _ in browser.hasEnded })
        // Chunks of the transfer stand between the events.
        let told = try Self.events(browser.text)
        #expect(told.map(\.name) == ["state", "state", "ended"])
        let ended = told.last?.data["ended"] as? [String: Any]
        #expect(ended?["path"] as? String == "reports/x")
        #expect(ended?["outcome"] as? String == "pass")
        let findings = told.last?.data["findings"] as? [String: Any]
        #expect(findings?["violations"] as? Int == 2)
    }

    @Test("the charts come before each state, drawn as the report draws them")
    func charts() throws {
        func drawn(_ state: LiveState) throws -> String {
            try JSONDecoder().decode(String.self, from: Data(LiveBoard(state).charts.utf8))
        }
        let charts = try drawn(Samples.state)
        #expect(charts.matches(of: /<figure><figcaption>/).count == 6)
        // What a series is called is what the script looks for in the data of the same second.
        for match in charts.matches(of: /data-series="([^"]*)"/) {
            for name in match.1.split(separator: " ") {
                #expect(
                    Page.script.contains("\(name):") || Page.script.contains("\"\(name)\":"),
                    "\(name)")
            }
        }
        #expect(try drawn(Samples.search).matches(of: /<figure>/).count == 4)
    }

    @Test("a search tells its trials, what it found and what it hits, and no households")
    func search() throws {
        let told = try #require(
            try JSONSerialization.jsonObject(with: Data(LiveBoard(Samples.search).json.utf8))
                as? [String: Any])
        let search = try #require(told["search"] as? [String: Any])
        #expect(search["trials"] as? Int == 420 && search["discarded"] as? Int == 3)
        let found = try #require(search["found"] as? [[String: Any]])
        #expect(found.map { $0["plan"] as? String } == ["poll-authenticate"])
        let curve = try #require(search["curve"] as? [String: Any])
        #expect(curve["points"] as? [[Double]] == [[-0.5, 0, 6], [12, 5, 6]])
        let plain =
            try JSONSerialization.jsonObject(
                with: Data(LiveBoard(Samples.state).json.utf8)) as? [String: Any]
        #expect(plain?["search"] is NSNull)
        let page = try PrometheusReader(Metrics.text(Samples.search, Samples.subject))
        #expect(page.metrics["screenrig_race_trials_total"]?.samples.map(\.value) == [420])
        #expect(
            page.metrics["screenrig_race_findings"]?.samples.map(\.labels)
                == [["plan": "poll-authenticate", "invariant": "sign-in-visible"]])
        #expect(page.metrics["screenrig_households"] == nil)
        #expect(page.metrics["screenrig_latency_seconds"] != nil)
    }

    @Test("a reader that never reads costs neither time nor memory, and others see on")
    func slowReader() async throws {
        let (dashboard, port) = try await Self.start()
        let idle = Browser(
            port: port, "GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n", reads: false)
        let awake = Browser(port: port, "GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
        #expect(await awake.waits { $0.contains("event: state") })
        var state = Samples.state
        state.title = String(repeating: "x", count: 10_000)
        for second in 1...2_000 {
            state.progress.sent = second
            dashboard.show(state)
        }
        state.progress.completed = 987_654
        dashboard.show(state)
        #expect(
            await awake.waits { text in
                dashboard.show(state)
                return text.contains("987654")
            })
        let began = ContinuousClock.now
        await dashboard.end(Self.ending)
        #expect(ContinuousClock.now - began < .seconds(30))
        withExtendedLifetime(idle) {}
    }

    @Test("metrics are served for scrapers, by themselves or beside the dashboard")
    func metrics() async throws {
        let (dashboard, port) = try await Self.start(page: nil, metrics: .usual)
        #expect(dashboard.pageURL == nil)
        let answer = await Browser.get("/metrics", port: port)
        #expect(answer.status == 200)
        #expect(answer.head.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8"))
        dashboard.enter(run: "another-run")
        let page = try PrometheusReader(await Browser.get("/metrics", port: port).body)
        #expect(page.metrics["screenrig_info"]?.samples.first?.labels["run"] == "another-run")
        #expect(await Browser.get("/events", port: port).status == 404)
        let (both, _) = try await Self.start(metrics: .usual)
        #expect(Self.port(both.pageURL) != Self.port(both.metricsURL))
        await both.stop()
        await dashboard.stop()
    }

    @Test("a usual port that is taken gives way to the next; a named one is an error with a remedy")
    func taken() async throws {
        let (first, usual) = try await Self.start()
        let (second, other) = try await Self.start()
        #expect(usual != other && other > usual)
        await second.stop()
        await first.stop()
        // Another test may take a usual port as soon as it is free: this one is the system's choice.
        let (named, port) = try await Self.start(page: .named(0))
        let error = await #expect(throws: DashboardError.self) {
            _ = try await Self.start(page: .named(port))
        }
        #expect(
            error?.description
                == "--dashboard \(port): cannot listen on 127.0.0.1 port \(port) (Address already in use); "
                + "name another, or leave the number out to take a free one")
        await named.stop()
        // The port is free again at once.
        let (again, _) = try await Self.start(page: .named(port))
        await again.stop()
    }

    @Test("the page asks nobody but its own server, and finds whatever it draws into")
    func page() {
        let text = Page.text.replacing("http://www.w3.org/2000/svg", with: "")
        #expect(!text.contains("http:") && !text.contains("https:") && !text.contains("@import"))
        #expect(!text.contains("src=") && !text.contains("url("))
        for match in Page.script.matches(of: /byId\("([a-z-]+)"\)/) {
            #expect(text.contains("id=\"\(match.1)\""), "\(match.1)")
        }
        // What a server said is never made markup.
        #expect(Page.script.matches(of: /innerHTML/).count == 1)
        #expect(!Page.script.contains("insertAdjacentHTML"))
    }
}
