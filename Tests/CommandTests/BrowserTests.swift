import Foundation
import TestSupport
import Testing

@Suite(
    "The browser that tests look through", .ownThread,
    .enabled(if: Browser.isThere, Browser.advice))
struct BrowserTests {
    @Test("it shows a page, runs its scripts, takes keys, and notes what goes wrong in it")
    func harness() throws {
        let folder = TestFolder()
        let page = try folder.write(
            """
            <!doctype html><title>t</title><button onclick="this.textContent += 1">go</button>
            <img src="missing.png"><script>setTimeout(() => missing(), 0)</script>
            """, to: "page.html")
        let browser = try Browser()
        try browser.open(file: page)
        try browser.click("button")
        try browser.press("Tab")
        try browser.press("Enter")
        #expect(try browser.text("button") == "go11")
        #expect(try browser.text("table") == nil)
        #expect(try browser.evaluate("innerWidth") as? Int == 1280)
        #expect(try browser.evaluate("Promise.resolve([1, 2])") as? [Int] == [1, 2])
        try browser.wait("the complaints") {
            try browser.evaluate("0")
            return browser.complaints.contains { $0.contains("missing is not defined") }
        }
        #expect(browser.requests.contains { $0.hasSuffix("missing.png") })
        #expect(throws: Browser.Trouble.self) { try browser.evaluate("nothing.at.all") }
        try browser.prefer(dark: true)
        #expect(
            try browser.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") as? Bool
                == true)
    }
}
