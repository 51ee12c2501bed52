import Foundation
import Testing

@Suite(
    "nights.html and the page of compare in a browser", .serialized, .ownThread,
    .enabled(if: Browser.isThere, Browser.advice))
struct NightsPageTests {
    @Test("the numbers of a night are those of its summary.json, and its link leads to its report")
    func nights() async throws {
        let folder = try Folder()
        for seed in 1...2 {
            let ended = try await Command.run(
                "nightly", Command.rig("twenty.yaml"), "--virtual", "--quiet", "--seed", "\(seed)",
                "--dashboard", in: folder)
            #expect(ended.code == 0, "\(ended.errors)")
            #expect(ended.errors.hasPrefix("dashboard: http://127.0.0.1:"), "\(ended.errors)")
        }
        let browser = try Browser()
        try browser.open(file: folder.path("reports/nights.html"))
        #expect(browser.requests.count == 1 && browser.complaints.isEmpty)
        let links = try #require(
            try browser.evaluate(
                "[...document.querySelectorAll('#nights-1 tbody a')].map(a => a.getAttribute('href'))"
            )
                as? [String])
        #expect(links.count == 2)
        for (row, link) in links.enumerated() {
            let name = try #require(link.split(separator: "/").dropFirst().first)
            let run = try Run(folder, "reports/\(name)")
            let shown = try #require(
                try browser.evaluate(
                    "[...[...document.querySelectorAll('#nights-1 tbody tr')][\(row)]"
                        + ".querySelectorAll('data')].map(d => Number(d.value))")
                    as? [NSNumber])
            let operations = run["operations"] as? [[String: Any]] ?? []
            func time(_ operation: String, _ key: String) -> Double? {
                let found = operations.first { $0["name"] as? String == operation }
                return ((found?["latencyMs"] as? [String: Any])?[key] as? NSNumber)?.doubleValue
            }
            let wanted: [Double?] = [
                (run["signInServiceMs", "p95"] as? NSNumber)?.doubleValue,
                (run["tokenVisibilityMs", "p95"] as? NSNumber)?.doubleValue,
                time("poll-token", "p99"), time("registration-code", "p95"), 0,
            ]
            #expect(shown.count == wanted.count)
            for (value, expected) in zip(shown, wanted) {
                // summary.json has three decimals.
                #expect(abs(value.doubleValue - (expected ?? -1)) <= 0.000_501)
            }
        }
        try browser.open(file: folder.path("reports/" + links[0].dropFirst(2)))
        #expect(try browser.text("h1") == "twenty")
    }

    @Test("the page of compare says what its JSON says")
    func compare() async throws {
        let folder = try Folder()
        for (name, latency) in [("base", "2ms, p95 8ms"), ("run", "60ms, p95 80ms")] {
            let ended = try await Command.run(
                "simulate", Command.rig("twenty.yaml"), "--quiet", "--out", name, "--set",
                "standin.network.latency=lognormal(median \(latency))", in: folder)
            #expect(ended.code == 0, "\(ended.errors)")
        }
        let ended = try await Command.run(
            "compare", "base", "run", "--json", "--html", "compare.html", in: folder)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
        let browser = try Browser()
        try browser.open(file: folder.path("compare.html"))
        #expect(browser.requests.count == 1 && browser.complaints.isEmpty)
        #expect(try browser.text(".verdict p") == json["headline"] as? String)
        let values = json["values"] as? [[String: Any]] ?? []
        #expect(try browser.texts("#times tbody tr").count == values.count)
        let worse = values.count { $0["verdict"] as? String == "worse" }
        #expect(worse > 0)
        #expect(try browser.texts("#times tbody span.bad").count == worse)
        // Nothing reaches beyond the window of a phone but what scrolls by itself.
        try browser.resize(width: 390, height: 800, isPhone: true)
        #expect(try browser.evaluate("document.documentElement.scrollWidth") as? Int == 390)
    }
}
