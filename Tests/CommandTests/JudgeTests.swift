import Foundation
import TestSupport
import Testing

@Suite("Judging again, from outside", .ownThread)
struct JudgeTests {
    @Test("a recorded run judged again gives the same verdicts, beside the run")
    func again() async throws {
        let folder = TestFolder()
        let first = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--out", "run", in: folder)
        #expect(first.code == 0, "\(first.errors)")
        #expect(first.output.contains(" checks of "))
        let again = try await Command.run("judge", "run", in: folder)
        #expect(again.code == 0, "\(again.errors)")
        #expect(again.output.contains(" checks of "))
        for file in ["violations.csv", "summary.json", "junit.xml", "households.csv"] {
            #expect(try folder.read("run/\(file)") == folder.read("run-judged/\(file)"), "\(file)")
        }
        let run = try Run(folder, "run")
        let invariants = try #require(run["invariants"] as? [[String: Any]])
        #expect(invariants.count == 21)
        let order = try #require(invariants.first { $0["name"] as? String == "linearizable" })
        #expect(order["checked"] as? Int == 20)
        #expect(order["violations"] as? Int == 0)
    }

    /// Whoever reads it, a job of CI first, would find none, or an old one.
    @Test("a run that passed, and whose report cannot be written, ends with 3")
    func unwritten() async throws {
        let folder = TestFolder()
        let first = try await Command.run(
            "simulate", Command.rig("smoke.yaml"), "--out", "run", in: folder)
        #expect(first.code == 0 && first.output.contains("report: "), "\(first.errors)")
        try FileManager.default.removeItem(atPath: folder.path("run/report.html"))
        try FileManager.default.createDirectory(
            atPath: folder.path("run/report.html/in-the-way"), withIntermediateDirectories: true)
        let again = try await Command.run("report", "run", in: folder)
        #expect(again.code == 3, "\(again.output)")
        #expect(again.output.hasPrefix("Passed") && !again.output.contains("report: "))
        #expect(again.errors.contains("report.html could not be written"), "\(again.errors)")
    }

    @Test("a promise broken ends with 1, says who, and draws it; known until a day, it does not")
    func broken() async throws {
        let folder = TestFolder()
        // The stand-in ends a device's former code with its next one; the rig says it keeps both.
        let policies = ["--set", "standin.policies={media-reuse: until-expiry}"]
        let activities = ["--set", "after-sign-in=[authorize, media-token, media-token]"]
        // Without a logout the rig does not show all that it shows.
        let shows = ["--set", "shows=[]"]
        let arguments = ["simulate", Command.rig("twenty.yaml")] + policies + activities + shows
        let first = try await Command(arguments + ["--out", "run"], in: folder).ended()
        #expect(first.code == 1, "\(first.output)\(first.errors)")
        #expect(first.output.contains("Failed: the service violated authorization-gates"))
        #expect(first.output.contains("the same media token as request #"))
        #expect(try folder.read("run/violations.csv").contains("authorization-gates"))
        #expect(try folder.read("run/junit.xml").contains("<failure message=\"household "))
        #expect(try folder.read("run/report.html").contains("class=\"op last\""))
        let judged = try await Command.run("judge", "run", in: folder)
        #expect(judged.code == 1)
        #expect(try folder.read("run/violations.csv") == folder.read("run-judged/violations.csv"))
        let known = ["--set", "known=[{invariant: authorization-gates, ticket: AUTH-1}]"]
        let forgiven = try await Command(arguments + known + ["--out", "known"], in: folder).ended()
        #expect(forgiven.code == 0, "\(forgiven.output)")
        #expect(forgiven.output.contains("known in "))
        let observed = ["--set", "promises=documented"]
        let told = try await Command(arguments + observed + ["--out", "told"], in: folder).ended()
        // That a media token serves once is a policy, not the vendor's page.
        #expect(told.code == 0, "\(told.output)")
        #expect(told.output.contains("20 observed in "))
    }

    @Test("a run that kept no exchanges cannot be judged again, and says so")
    func notRecheckable() async throws {
        let folder = TestFolder()
        let first = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--out", "run", "--record", "aggregates",
            in: folder)
        #expect(first.code == 0, "\(first.errors)")
        #expect(first.output.contains(" checks of "))
        let again = try await Command.run("judge", "run", in: folder)
        #expect(again.code == 3)
        #expect(again.errors.contains("cannot be checked again: only 0 of "))
        #expect(again.output.contains("during the run:\n"))
    }

    @Test(
        "a judge that cannot keep up hears the rest in the end, whatever is recorded",
        arguments: ["all", "aggregates"])
    func spilled(record: String) async throws {
        let folder = TestFolder()
        // What is found must be something: each media token serves twice here.
        let arguments = [
            "simulate", Command.rig("twenty.yaml"), "--record", record, "--set",
            "standin.policies={media-reuse: until-expiry}", "--set",
            "after-sign-in=[authorize, media-token, media-token]",
        ]
        let kept = try await Command(arguments + ["--out", "kept"], in: folder).ended()
        let late = try await Command(
            arguments + ["--out", "late", "--judge-backlog=-1"], in: folder
        ).ended()
        #expect(kept.code == 1, "\(kept.errors)")
        #expect(late.code == 1, "\(late.errors)")
        #expect(!late.output.contains("not checked"))
        for key in ["invariants", "levels", "staleness"] {
            let one = try Run(folder, "kept")[key] as? NSObject
            let other = try Run(folder, "late")[key] as? NSObject
            #expect(one != nil && one == other, "\(key)")
        }
        let (one, other) = (
            try folder.read("kept/violations.csv"), try folder.read("late/violations.csv")
        )
        let sentences = { (text: String) in
            text.split(whereSeparator: \.isNewline).compactMap { line in
                line.range(of: "household ").map { line[$0.lowerBound...] }
            }
        }
        #expect(sentences(one).count == 20)
        #expect(sentences(one) == sentences(other))
        #expect(!folder.holds("late/spill.sqlite"))
    }
}
