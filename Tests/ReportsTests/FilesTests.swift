import Foundation
import Journal
import Rigs
import Statistics
import Testing

@testable import Reports

@Suite("The files of a run directory")
struct FilesTests {
    @Test(
        "every file of a known run is as it was reviewed",
        arguments: [
            "summary.json", "latencies.csv", "timeline.csv", "households.csv", "violations.csv",
            "junit.xml", "summary.md", "report.html",
        ])
    func golden(name: String) throws {
        let folder = Scratch()
        let written = try Report.write(
            Sample(), thresholds: Thresholds.sample, to: folder.path)
        #expect(written.errors.isEmpty)
        #expect(written.files.contains(name))
        try Golden.expect(folder.text(name), is: "evening/\(name)")
    }

    @Test("the same history renders to the same bytes", arguments: Seed.samples(3))
    func stable(seed: Seed) throws {
        let (first, second) = (Scratch(), Scratch())
        let written = try Report.write(
            Sample(seed: seed), thresholds: Thresholds.sample, to: first.path)
        _ = try Report.write(Sample(seed: seed), thresholds: Thresholds.sample, to: second.path)
        for name in written.files { #expect(try first.text(name) == second.text(name)) }
    }

    @Test("a file that cannot be written does not keep the others from being written")
    func unwritable() throws {
        let folder = Scratch()
        let blocked = folder.path + "/timeline.csv/occupied"
        try FileManager.default.createDirectory(atPath: blocked, withIntermediateDirectories: true)
        let written = try Report.write(Sample(), thresholds: [], to: folder.path)
        #expect(written.files.count == 7)
        let error = try #require(written.errors.first)
        guard case .unwritten(let file, _) = error else { throw error }
        #expect(file == "timeline.csv")
        #expect("\(error)".contains("screenrig report"))
    }
}

/// A folder that goes away with its test.
final class Scratch {
    let path = FileManager.default.temporaryDirectory
        .appending(path: "screenrig-reports-\(UUID().uuidString)").path
    deinit { try? FileManager.default.removeItem(atPath: path) }
    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: "\(path)/\(name)")), as: UTF8.self)
    }
}

enum Thresholds {
    static let sample = [
        poll(below: 250), signInService(below: 8),
        Threshold(
            subject: .everything, measure: .errors, comparison: .below, bound: 0.001,
            text: "errors < 0.1%"),
        Threshold(
            subject: .householdsFailed, measure: .share, comparison: .below, bound: 0.05,
            text: "households failed < 5%"),
        Threshold(
            subject: .violations, measure: .count, comparison: .equal, bound: 0,
            text: "violations == 0"),
    ]

    static func poll(below milliseconds: Double) -> Threshold {
        Threshold(
            subject: .operation(.pollToken), measure: .percentile(0.99, .latency),
            comparison: .below, bound: milliseconds * 1e6,
            text: "poll-token p99 < \(Int(milliseconds))ms")
    }

    static func signInService(below seconds: Double) -> Threshold {
        Threshold(
            subject: .signInService, measure: .percentile(0.95, .latency), comparison: .below,
            bound: seconds * 1e9, text: "sign-in-service p95 < \(Int(seconds))s")
    }
}
