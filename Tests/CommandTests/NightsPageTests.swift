import Foundation
import TestSupport
import Testing

@Suite(
    "nights.html and the page of compare in a browser", .ownThread,
    .enabled(if: Browser.isThere, Browser.advice))
struct NightsPageTests {
    @Test("the numbers of a night are those of its summary.json, and its link leads to its report")
    func nights() async throws {
        let folder = TestFolder()
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

    @Test(
        "a digest with its pictures and the index of a folder fit a window and a phone, and load nothing"
    )
    func mornings() async throws {
        let folder = TestFolder()
        for (day, faults) in [("17", []), ("18", ["--fault", "stale-replica:lag=1500ms"])] {
            let run = "reports/twenty-202611\(day)T020000Z"
            _ = try await Command(
                ["simulate", Command.rig("twenty.yaml"), "--quiet", "--out", run] + faults,
                in: folder
            ).ended()
            _ = try await Command.run("nights", "add", run, "--mark", "v\(day)", in: folder)
        }
        _ = try await Command.run("index", in: folder)
        let browser = try Browser()
        for file in ["reports/digests/twenty.html", "reports/index.html"] {
            browser.requests = []
            try browser.resize(width: 1280, height: 900, isPhone: false)
            try browser.open(file: folder.path(file))
            #expect(browser.requests.filter { !$0.hasPrefix("data:") }.count == 1)
            #expect(browser.complaints.isEmpty, "\(file): \(browser.complaints)")
            #expect(try browser.evaluate("document.documentElement.scrollWidth") as? Int == 1280)
            let text = try #require(try browser.text("body"))
            #expect(text.contains("sign-in-visible violated"))
            try browser.resize(width: 390, height: 800, isPhone: true)
            #expect(try browser.evaluate("document.documentElement.scrollWidth") as? Int == 390)
        }
        try browser.open(file: folder.path("reports/digests/twenty.html"))
        let pictures = try browser.evaluate(
            "[...document.images].map(image => image.complete ? image.naturalWidth : 0)")
        #expect(pictures as? [Int] == [520, 520, 520, 520, 520])
        try browser.open(file: folder.path("reports/index.html"))
        let links = try browser.evaluate(
            "[...document.querySelectorAll('#runs a')].map(a => a.getAttribute('href'))")
        #expect(
            links as? [String] == [
                "./twenty-20261118T020000Z/report.html", "./twenty-20261117T020000Z/report.html",
            ])
    }

    @Test("the page of compare says what its JSON says")
    func compare() async throws {
        let folder = TestFolder()
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
        #expect(try browser.texts("[aria-label^='Values'] tbody tr").count == values.count)
        let worse = values.count { $0["verdict"] as? String == "worse" }
        #expect(worse > 0)
        #expect(try browser.texts("[aria-label^='Values'] tbody span.bad").count == worse)
        // Nothing reaches beyond the window of a phone but what scrolls by itself.
        try browser.resize(width: 390, height: 800, isPhone: true)
        #expect(try browser.evaluate("document.documentElement.scrollWidth") as? Int == 390)
    }
}
