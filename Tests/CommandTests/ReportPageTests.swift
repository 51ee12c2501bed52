import Foundation
import TestSupport
import Testing

@Suite(
    "report.html in a browser", .ownThread,
    .enabled(if: Browser.isThere, Browser.advice))
struct ReportPageTests {
    private static let rig = """
        rig: page
        target: {base: embedded}
        load:
          arrivals: [{ramp-to: 6/s, over: 2s}, {hold: 3s}]
          settle: 4s
        kinds:
          - name: living room
            weight: 70
            viewer: {notices-code: "uniform(100ms, 400ms)", signs-in: "uniform(100ms, 900ms)", gives-up: 5%}
          - name: tablet
            weight: 30
            first-screen: ipados
            viewer: {notices-code: 100ms, signs-in: "uniform(100ms, 900ms)", gives-up: 0%}
        polling: {every: 3s, jitter: 10%}
        after-sign-in: [user-metadata, preauthorize, authorize, media-token]
        validity: {on-breach: warn}

        """

    /// A run of that rig over sockets against a stand-in that is noisy, and not always true.
    private static func run(_ command: String = "run") async throws -> Run {
        let folder = TestFolder()
        let rig = try folder.write(Self.rig, to: "page.yaml")
        let ended = try await Command(
            [command, rig, "--out", "run", "--fault", "noisy", "--fault", "stale-replica"],
            in: folder
        ).ended()
        #expect([0, 1].contains(ended.code), "\(ended.output)\(ended.errors)")
        return try Run(folder, "run")
    }

    private static func open(_ run: Run, in browser: Browser) throws {
        try browser.open(file: run.folder.path("run/report.html"))
    }

    @Test("the numbers that it shows are those of summary.json, and it asks for nothing else")
    func numbers() async throws {
        let run = try await Self.run()
        let browser = try Browser()
        try Self.open(run, in: browser)
        #expect(browser.requests.count == 1 && browser.requests[0].hasPrefix("file://"))
        try facts(run, browser)
        try latencies(run, browser)
        try judged(run, browser)
        try households(run, browser)
        #expect(try browser.text(".verdict p") == run["headline"] as? String)
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    private func facts(_ run: Run, _ browser: Browser) throws {
        let shown = try browser.values(".facts data")
        let wanted: [Double?] = [
            run["households", "signedIn"], run["signInMs", "p95"], run["exchanges", "completed"],
            run["exchanges", "perSecond"], run["exchanges", "errors"], run["run", "seconds"],
        ].map { ($0 as? NSNumber)?.doubleValue }
        #expect(shown.map(Optional.init) == wanted)
    }

    private func latencies(_ run: Run, _ browser: Browser) throws {
        let rows = try #require(run["operations"] as? [[String: Any]])
        let names = try browser.texts("#latency table.sortable tbody th")
        #expect(names == rows.compactMap { $0["name"] as? String })
        for (place, row) in rows.enumerated() {
            let cells = "#latency table.sortable tbody tr:nth-child(\(place + 1)) data"
            let times = row["latencyMs"] as? [String: Any] ?? [:]
            let keys = ["p50", "p90", "p95", "p99", "p99.9", "max"]
            let wanted =
                [row["count"], row["errors"], row["perSecond"]]
                + keys.map { times[$0] }
            let numbers = wanted.compactMap { ($0 as? NSNumber)?.doubleValue }
            #expect(try browser.values(cells) == numbers, "\(names[place])")
            // And what a reader sees of it.
            let texts = try browser.texts(cells)
            for (text, value) in zip(texts.dropFirst(2), numbers.dropFirst(2)) {
                // summary.json has three decimals, the page three digits of the whole value.
                let places = text.contains(".") ? text.split(separator: ".")[1].count : 0
                let shown = try #require(Double(text.replacing(",", with: "")))
                #expect(abs(shown - value) <= 0.5 * pow(10, -Double(places)) + 0.000_501)
            }
        }
    }

    private func judged(_ run: Run, _ browser: Browser) throws {
        let thresholds = try #require(run["thresholds"] as? [[String: Any]])
        #expect(
            try browser.texts("#thresholds tbody td.n")
                == thresholds.compactMap { $0["actual"] as? String })
        #expect(
            try browser.texts("#thresholds tbody td:last-child").map { $0.contains("✓") }
                == thresholds.map { $0["met"] as? Bool == true })
        let verdicts = try #require(run["invariants"] as? [[String: Any]])
        let shown = try browser.values("#promises [aria-label='Promises'] tbody data")
        let wanted = verdicts.map { verdict in
            let numbers = [
                "checked", "households", "violations", "undecided", "observed", "known",
                "suspected",
            ].map { Double(verdict[$0] as? Int ?? 0) }
            return Array(numbers[..<4]) + [numbers[4...].reduce(0, +)]
        }
        // The page has violated ones first.
        func sorted(_ rows: [[Double]]) -> [[Double]] { rows.sorted { "\($0)" < "\($1)" } }
        let rows = stride(from: 0, to: shown.count - 4, by: 5).map { Array(shown[$0..<$0 + 5]) }
        #expect(sorted(rows) == sorted(wanted))
    }

    private func households(_ run: Run, _ browser: Browser) throws {
        let funnels = try #require(run["funnels"] as? [[String: Any]])
        let steps = [
            "started", "code shown", "code typed", "signed in", "playing", "logged out",
        ]
        let wanted = funnels.flatMap { funnel in
            let counts = funnel["steps"] as? [String: Any] ?? [:]
            return steps.map { Double(counts[$0] as? Int ?? -1) }
        }
        let shown = try browser.values("#households .funnel data")
        #expect(shown == wanted)
        let errors = (run["errors"] as? [[String: Any]] ?? []).prefix(25)
        #expect(
            try browser.values("#errors tbody tr td:nth-child(3) data")
                == errors.map { Double($0["count"] as? Int ?? -1) })
        #expect(try browser.texts("#errors details").count == errors.count)
        #expect(try browser.texts("#slowest details").isEmpty == false)
    }

    @Test("every control works: sorting, the brush by hand and by keyboard, tooltips, folds")
    func controls() async throws {
        let run = try await Self.run("simulate")
        let browser = try Browser()
        try Self.open(run, in: browser)
        try sort(browser)
        try brush(browser)
        try tooltips(browser)
        try browser.evaluate("document.querySelectorAll('summary').forEach(s => s.click())")
        try browser.evaluate("document.querySelectorAll('summary').forEach(s => s.click())")
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    private func sort(_ browser: Browser) throws {
        let columns = try #require(
            try browser.evaluate("document.querySelectorAll('#latency th button').length") as? Int)
        #expect(columns > 10)
        for column in 1..<columns {
            let head = "#latency thead th:nth-child(\(column))"
            let cells = "#latency table.sortable tbody tr td:nth-child(\(column)) data"
            try browser.click("\(head) button")
            let first = try browser.values(cells)
            #expect(first == first.sorted(by: >), "column \(column)")
            try browser.click("\(head) button")
            #expect(try browser.values(cells) == first.sorted(), "column \(column)")
            #expect(try browser.text("\(head)[aria-sort]") != nil)
        }
    }

    private func brush(_ browser: Browser) throws {
        #expect(
            try browser.evaluate("getComputedStyle(document.querySelector('#brush')).display")
                as? String == "flex")
        let whole = try browser.windows()
        #expect(Set(whole.map { $0.split(separator: " ")[2] }).count == 1)
        #expect(whole.count >= 5)
        // By keyboard: the slider moves, and every chart shows another part.
        try browser.evaluate("document.querySelector('#brush-from').focus()")
        for _ in 0..<200 { try browser.press("ArrowRight") }
        let later = try browser.windows()
        #expect(zip(whole, later).allSatisfy { $0 != $1 })
        #expect(Set(later.map { $0.split(separator: " ")[0] }).count == 1)
        try browser.press("Escape")
        #expect(try browser.windows() == whole)
        // By hand: across a chart.
        try browser.evaluate("document.querySelector('svg.time').scrollIntoView({block: 'center'})")
        // On a busy machine the page may still be scrolling: a hand would try again, too.
        for _ in 0..<20 where try browser.windows() == whole {
            let box = try #require(
                try browser.evaluate(
                    "(() => { const b = document.querySelector('svg.time').getBoundingClientRect();"
                        + " return [b.left, b.top, b.width, b.height]; })()") as? [Double])
            let y = box[1] + box[3] / 2
            try browser.mouse("mouseMoved", x: box[0] + box[2] * 0.3, y: y)
            try browser.mouse("mousePressed", x: box[0] + box[2] * 0.3, y: y)
            try browser.mouse("mouseMoved", x: box[0] + box[2] * 0.6, y: y)
            try browser.mouse("mouseReleased", x: box[0] + box[2] * 0.6, y: y)
            usleep(200_000)
        }
        #expect(try browser.windows() != whole)
        #expect(try browser.text("#brush-out")?.contains("requests answered") == true)
        try browser.click("#brush-all")
        #expect(try browser.windows() == whole)
    }

    private func tooltips(_ browser: Browser) throws {
        // Away from the charts: the pointer would have its own.
        try browser.mouse("mouseMoved", x: 1, y: 1)
        try browser.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
        for chart in ["#timeline svg.time", "svg[data-series=curves]"] {
            try browser.evaluate(
                "(() => { const s = document.querySelector('\(chart)');"
                    + " s.scrollIntoView({block: 'center'}); s.closest('[tabindex]').focus(); })()")
            try browser.press("ArrowRight")
            #expect(try browser.evaluate("document.querySelector('#tip').hidden") as? Bool == false)
            #expect(try browser.texts("#tip div").count > 1)
            try browser.evaluate("document.activeElement.blur()")
            #expect(try browser.evaluate("document.querySelector('#tip').hidden") as? Bool == true)
        }
    }

    @Test("it fits a phone, has names for whatever takes focus, and can be told from its ground")
    func accessible() async throws {
        let run = try await Self.run("simulate")
        let browser = try Browser(width: 390, height: 844)
        for isDark in [false, true] {
            try browser.prefer(dark: isDark)
            try Self.open(run, in: browser)
            #expect(try browser.evaluate("document.documentElement.scrollWidth") as? Int == 390)
            #expect(try browser.evaluate(Self.nameless) as? [String] == [])
            #expect(try browser.evaluate(Self.faint) as? [String] == [], "dark: \(isDark)")
        }
        try browser.press("Tab")
        #expect(try browser.evaluate("document.activeElement.className") as? String == "skip")
    }

    @Test("without scripts all of it is there, and no control that would do nothing")
    func scriptless() async throws {
        let run = try await Self.run("simulate")
        let browser = try Browser()
        try browser.send("Emulation.setScriptExecutionDisabled", ["value": true])
        try Self.open(run, in: browser)
        let page = try run.folder.read("run/report.html")
        try browser.send("Emulation.setScriptExecutionDisabled", ["value": false])
        #expect(try browser.texts("#latency th button").isEmpty)
        #expect(
            try browser.evaluate("getComputedStyle(document.querySelector('#brush')).display")
                as? String == "none")
        #expect(try browser.texts("#latency table.sortable tbody tr").count > 5)
        #expect(page.contains("class=\"heat h5\""))
    }

    /// What takes focus and has no name.
    private static let nameless = """
        [...document.querySelectorAll('a, button, input, summary, [tabindex]')].filter(e =>
          !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length)))
          .map(e => e.outerHTML.slice(0, 120))
        """

    /// Texts with less contrast than 4.5 to 1 (WCAG 2.2, 1.4.3), each colour once.
    private static let faint = """
        (() => {
          const parts = c => c.match(/[\\d.]+/g).map(Number);
          const light = c => { const [r, g, b] = parts(c).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          const ground = e => { for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if ((parts(c)[3] ?? 1) > 0) return c; } return 'rgb(255,255,255)'; };
          const found = new Set();
          for (const e of document.querySelectorAll('body *')) {
            const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
            if (!own || e.closest('svg, script, style, :disabled') || !e.getClientRects().length) continue;
            const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (ratio < 4.5) found.add(getComputedStyle(e).color + ' on ' + ground(e) + ' ' + ratio.toFixed(2));
          }
          for (const e of document.querySelectorAll('svg text')) {
            const [a, b] = [light(getComputedStyle(e).fill), light(ground(e.closest('section') || e))];
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (ratio < 4.5) found.add('drawn ' + getComputedStyle(e).fill + ' ' + ratio.toFixed(2));
          }
          return [...found];
        })()
        """
}

extension Browser {
    /// The exact numbers behind those that are shown.
    func values(_ selector: String) throws -> [Double] {
        let found = try evaluate(
            "[...document.querySelectorAll(\(Self.quoted(selector)))].map(e => Number(e.value))")
        return (found as? [NSNumber] ?? []).map(\.doubleValue)
    }

    /// Which part of the run each chart over time shows.
    fileprivate func windows() throws -> [String] {
        try evaluate(
            "[...document.querySelectorAll('.win')].map(w => w.getAttribute('viewBox').split(' ')"
                + ".map(v => Number(v).toFixed(1)).join(' '))") as? [String] ?? []
    }
}
