import Foundation
import TestSupport
import Testing

/// The jobs of docs/ci.md, as they are pasted, with the templates of deploy/ci.
@Suite("CI jobs in docs/ci.md", .ownThread)
struct CIDocsTests {
    /// The block of the page that begins so.
    private static func block(_ beginning: String) throws -> String {
        let page = try String(
            contentsOf: Repository.root.appending(path: "docs/ci.md"), encoding: .utf8)
        let start = try #require(page.range(of: "```yaml\n\(beginning)"))
        let end = try #require(page.range(of: "\n```\n", range: start.upperBound..<page.endIndex))
        return beginning + page[start.upperBound..<end.lowerBound]
    }

    private static let workflow = Result { try block("name: sign-in\n") }
    private static let pipeline = Result { try block("include:\n") }

    private func expectReport(_ job: CIJob, _ result: CIJob.Result) throws {
        #expect(result.artifacts == ["screenrig-report"])
        for file in ["report.html", "summary.md", "summary.json", "junit.xml", "history.sqlite"] {
            #expect(job.folder.holds("project/screenrig-report/\(file)"), "\(file)")
        }
        let comments = try job.comments()
        #expect(comments.count == 1)
        let summary = try job.folder.read("project/screenrig-report/summary.md")
        #expect(comments.first?.contains(summary.dropLast()) == true)
        #expect(comments.first?.hasPrefix("<!-- screenrig smoke -->\n") == true)
    }

    @Test("GitHub's job passes as it is pasted, uploads the report, and comments")
    func github() async throws {
        let job = try await CIJob()
        let result = try await job.github(try Self.workflow.get())
        #expect(result.code == 0, "\(result.output)")
        try expectReport(job, result)
        #expect(
            try job.comments().joined().contains(
                "[this job](https://github.example/team/app/actions/runs/12)"))
        let shown = try job.folder.read("step.md")
        #expect(try shown == job.folder.read("project/screenrig-report/summary.md"))
    }

    @Test(
        "a rig that fails fails GitHub's job after report and comment, which replaces the earlier one"
    )
    func fails() async throws {
        let job = try await CIJob()
        let arguments = "--virtual"
        let passed = try await job.github(
            try Self.workflow.get(), inputs: ["arguments": arguments, "out": "before"])
        #expect(passed.code == 0, "\(passed.output)")
        #expect(try job.comments().joined().contains("pass"))
        // Words in quotes stay one.
        let failed = try await job.github(
            try Self.workflow.get(),
            inputs: ["arguments": "--virtual --fault 'lost-authentication'\n--seed 2"])
        #expect(failed.code == 1, "\(failed.output)")
        #expect(failed.output.contains("replaced the comment of an earlier run"))
        try expectReport(job, failed)
        #expect(try job.comments().joined().contains("fail"))
    }

    @Test("GitLab's job passes as it is pasted, keeps the report, and comments")
    func gitlab() async throws {
        let job = try await CIJob()
        let result = try await job.gitlab(try Self.pipeline.get())
        #expect(result.code == 0, "\(result.output)")
        try expectReport(job, result)
        #expect(try job.comments().joined().contains("[this job](https://gitlab.example/job/12)"))
        #expect(try job.folder.read("apt-get.log").contains("python3"))
    }

    @Test("a rig that fails fails GitLab's job; its comment replaces the earlier one")
    func gitlabFails() async throws {
        let job = try await CIJob()
        let passed = try await job.gitlab(
            try Self.pipeline.get(), variables: ["SCREENRIG_ARGUMENTS": "--virtual"])
        #expect(passed.code == 0, "\(passed.output)")
        try FileManager.default.removeItem(atPath: job.folder.path("project/screenrig-report"))
        let failed = try await job.gitlab(
            try Self.pipeline.get(),
            variables: ["SCREENRIG_ARGUMENTS": "--virtual --fault lost-authentication"])
        #expect(failed.code == 1, "\(failed.output)")
        #expect(failed.output.contains("replaced the comment of an earlier run"))
        try expectReport(job, failed)
    }

    @Test("a package with another checksum is not installed, and nothing is run")
    func checksum() async throws {
        let job = try await CIJob()
        let wrong = String(repeating: "0", count: 64)
        let github = try await job.github(try Self.workflow.get(), inputs: ["sha256": wrong])
        #expect(github.code != 0 && github.output.contains("did NOT match"))
        let gitlab = try await job.gitlab(
            try Self.pipeline.get(), variables: ["SCREENRIG_SHA256": wrong])
        #expect(gitlab.code != 0)
        #expect(!job.folder.holds("project/screenrig-report"))
        #expect(!job.folder.holds("usr"))
    }

    @Test("a token that may not comment costs a warning, not the job")
    func token() async throws {
        var job = try await CIJob()
        job.token = "wrong"
        let github = try await job.github(
            try Self.workflow.get(), inputs: ["arguments": "--virtual"])
        #expect(github.code == 0)
        #expect(github.output.contains("::warning::screenrig-comment: no comment: "))
        #expect(github.output.contains("403; may the token write comments?"))
        let gitlab = try await job.gitlab(
            try Self.pipeline.get(),
            variables: ["SCREENRIG_ARGUMENTS": "--virtual --out other", "SCREENRIG_TOKEN": ""])
        #expect(gitlab.output.contains("SCREENRIG_TOKEN is empty"))
        #expect(try job.comments().isEmpty)
    }

    @Test("screenrig-comment alone says what it needs")
    func comment() async throws {
        let folder = TestFolder()
        let program = Repository.root.appending(path: "deploy/ci/screenrig-comment").path
        let plain = [
            "GITHUB_ACTIONS": "", "GITHUB_EVENT_PATH": "", "GITLAB_CI": "",
        ]
        let bare = try await Command([], in: folder, environment: plain, program: program).ended()
        #expect(bare.code == 2 && bare.output.contains("screenrig-comment RUN_DIRECTORY"))
        let help = try await Command(["--help"], in: folder, program: program).ended()
        #expect(help.code == 0)
        let nowhere = try await Command(
            ["nowhere"], in: folder, environment: plain, program: program
        ).ended()
        #expect(nowhere.code == 0 && nowhere.output.contains("no summary.md in nowhere"))
        _ = try folder.write("## pass\n", to: "summary.md")
        let outside = try await Command(["."], in: folder, environment: plain, program: program)
            .ended()
        #expect(outside.code == 0 && outside.output.contains("this is no job of GitHub or GitLab"))
    }
}
