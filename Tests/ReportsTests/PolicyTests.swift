import Foundation
import Testing

@Suite("What the service was held to")
struct PolicyTests {
    @Test("stands in every report: the page, the summary for machines, the one for pull requests")
    func printed() throws {
        var sample = Sample(Shape(households: 2))
        sample.header.policies = ["code-reuse: until-expiry", "throttle: none"]
        let rendered = try Rendered(sample)
        #expect(
            rendered["report.html"].contains(
                "<dt>Policies</dt><dd>code-reuse: until-expiry, throttle: none</dd>"))
        #expect(
            rendered["summary.md"].contains("policies: code-reuse: until-expiry, throttle: none"))
        let json = try JSONSerialization.jsonObject(with: Data(rendered["summary.json"].utf8))
        let run = (json as? [String: Any])?["run"] as? [String: Any]
        #expect(run?["policies"] as? [String] == ["code-reuse: until-expiry", "throttle: none"])
    }

    @Test("a history from before they were kept has no line about them")
    func absent() throws {
        let rendered = try Rendered(Sample(Shape(households: 2)))
        #expect(!rendered["report.html"].contains("<dt>Policies</dt>"))
        #expect(!rendered["summary.md"].contains("policies:"))
        #expect(!rendered["summary.json"].contains("\"policies\""))
    }
}
