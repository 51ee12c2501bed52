import Foundation
import TestSupport
import Testing
import Yams

/// Runs jobs as a CI service would: the shell steps of a job as they stand in its YAML, one after the other, in a folder
/// that is a clone of somebody's project. Root's programs are stand-ins: `sudo` runs a command, `apt-get install` of
/// a file puts the program that is tested into the PATH.
struct CIJob {
    let folder: TestFolder
    private let server: Command
    private let url: String
    /// Of the token that comments.
    var token = "right"

    struct Result {
        var code: Int32 = 0
        var output = ""
        /// Paths that were uploaded.
        var artifacts: [String] = []
    }

    init() async throws {
        folder = TestFolder()
        for name in ["programs", "project"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: name), withIntermediateDirectories: true)
        }
        try Self.install(in: folder)
        let programs = [
            "sudo": "exec \"$@\"",
            "apt-get": """
            cd '\(folder.url.path)'
            echo "apt-get $*" >>apt-get.log
            for word in "$@"; do case "$word" in
              *.deb) grep -q 'a package' "$word" || { echo "no package: $word"; exit 100; }
                [ -d usr ] || mv package/usr usr ;;
            esac; done
            """,
        ]
        for (name, text) in programs {
            let file = try folder.write("#!/bin/sh\nset -e\n\(text)\n", to: "programs/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        }
        _ = try folder.write("a package\n", to: "screenrig.deb")
        server = try Command(
            [Repository.root.appending(path: "Tests/CommandTests/comments.py").path], in: folder,
            program: "/usr/bin/python3")
        let running = server
        try await server.wait("address") { running.output.hasSuffix("\n") }
        url = String(server.output.dropLast())
    }

    /// What the package has in it, for `apt-get` to put where the PATH leads.
    private static func install(in folder: TestFolder) throws {
        let files = FileManager.default
        try folder.install(to: "package/usr/bin/screenrig")
        try files.createSymbolicLink(
            atPath: folder.path("package/usr/bin/screenrig-comment"),
            withDestinationPath: Repository.root.appending(path: "deploy/ci/screenrig-comment").path
        )
        try files.createDirectory(
            atPath: folder.path("package/usr/share/screenrig"), withIntermediateDirectories: true)
        try files.createSymbolicLink(
            atPath: folder.path("package/usr/share/screenrig/rigs"),
            withDestinationPath: Repository.root.appending(path: "rigs").path)
    }

    var package: String { "\(url)/packages/screenrig.deb" }

    /// The comments that are there beside those of others.
    func comments() throws -> [String] {
        guard folder.holds("comments.json") else { return [] }
        let all = try JSONSerialization.jsonObject(with: Data(folder.read("comments.json").utf8))
        return (all as? [[String: Any]] ?? []).compactMap { $0["body"] as? String }
            .filter { !$0.hasPrefix("comment ") }
    }

    /// A script in the project.
    private func shell(
        _ script: String, _ environment: [String: String], with program: [String]
    ) async throws -> Command.Ended {
        let file = try folder.write(script, to: "script.sh")
        return try await Command(
            ["-c", "cd project && exec \"$@\"", "sh"] + program + [file], in: folder,
            environment: environment.merging([
                "PATH": "\(folder.path("programs")):\(folder.path("usr/bin")):/usr/bin:/bin"
            ]) { $1 }, program: "/bin/sh"
        ).ended()
    }

    private static func yaml(_ text: String) throws -> [String: Any] {
        try #require(try Yams.load(yaml: text) as? [String: Any])
    }

    static func template(_ name: String) throws -> String {
        try String(
            contentsOf: Repository.root.appending(path: "deploy/ci/\(name)"), encoding: .utf8)
    }
}

/// GitHub: the steps of a job, and those of the action that it uses.
extension CIJob {
    /// What `${{ ... }}` means.
    private struct Context {
        var values: [String: String]

        func filled(_ text: String) -> String {
            text.replacing(/\$\{\{ *(.*?) *\}\}/) { match in
                guard let value = values[String(match.1)] else {
                    Issue.record("nobody says what \(match.1) is")
                    return ""
                }
                return value
            }
        }

        func filled(_ map: Any?) -> [String: String] {
            (map as? [String: Any] ?? [:]).mapValues { filled("\($0)") }
        }

        /// Without a condition a step runs until one has failed.
        func holds(_ condition: Any?, hasFailed: Bool) -> Bool {
            guard let condition = condition as? String else { return !hasFailed }
            let words = condition.replacing("${{", with: "").replacing("}}", with: "")
                .split(separator: "&&").map { $0.trimmingCharacters(in: .whitespaces) }
            return words.allSatisfy { word in
                if word == "!cancelled()" { return true }
                let sides = word.components(separatedBy: " == ")
                // What a step that did not run would have said is empty.
                let unsaid = sides[0].hasPrefix("steps.") ? "" : nil
                guard sides.count == 2, let value = values[sides[0]] ?? unsaid else {
                    Issue.record("a condition that nobody knows: \(word)")
                    return false
                }
                return sides[1] == "'\(value)'"
            }
        }
    }

    /// Runs the job named 'screenrig' of a workflow, for a pull request.
    func github(_ workflow: String, inputs changed: [String: String] = [:]) async throws -> Result {
        let workflow = try Self.yaml(workflow)
        let permissions = try #require(workflow["permissions"] as? [String: String])
        #expect(permissions == ["contents": "read", "pull-requests": "write"])
        let job = try #require((workflow["jobs"] as? [String: Any])?["screenrig"] as? [String: Any])
        let context = Context(values: [
            "vars.SCREENRIG_PACKAGE": package, "vars.SCREENRIG_SHA256": try await checksum(),
        ])
        for step in try #require(job["steps"] as? [[String: Any]]) {
            switch step["uses"] as? String {
            case "actions/checkout@v4": break
            case "./.github/actions/screenrig":
                let inputs = context.filled(step["with"]).merging(changed) { $1 }
                return try await action(inputs)
            default: Issue.record("a step that nobody knows: \(step)")
            }
        }
        return Result(code: 1, output: "the job does not use the action")
    }

    func checksum() async throws -> String {
        let sum = try await Command(["screenrig.deb"], in: folder, program: "/usr/bin/sha256sum")
            .ended()
        return String(sum.output.prefix { $0 != " " })
    }

    private func action(_ given: [String: String]) async throws -> Result {
        let action = try Self.yaml(try Self.template("github/action.yml"))
        let known = try #require(action["inputs"] as? [String: [String: Any]])
        #expect(Set(given.keys).isSubset(of: known.keys))
        var context = Context(values: ["github.token": token])
        for (name, input) in known {
            #expect(given[name] != nil || input["required"] == nil, "\(name) is required")
            context.values["inputs.\(name)"] =
                given[name] ?? context.filled(input["default"] as? String ?? "")
        }
        let run = try #require(action["runs"] as? [String: Any])
        #expect(run["using"] as? String == "composite")
        var result = Result()
        for step in try #require(run["steps"] as? [[String: Any]])
        where context.holds(step["if"], hasFailed: result.code != 0) {
            if let script = step["run"] as? String {
                #expect(!script.contains("${{"), "an input in a script is a way to run another")
                #expect(step["shell"] as? String == "bash")
                let ended = try await shell(
                    script, try environment(context.filled(step["env"])),
                    with: ["bash", "--noprofile", "--norc", "-eo", "pipefail"])
                result.output += ended.output + ended.errors
                if result.code == 0 { result.code = ended.code }
                for line in try folder.read("output").split(separator: "\n") {
                    let name =
                        "steps.\(step["id"] as? String ?? "").outputs.\(line.prefix { $0 != "=" })"
                    context.values[name] = String(line.drop { $0 != "=" }.dropFirst())
                }
            } else {
                #expect(step["uses"] as? String == "actions/upload-artifact@v4")
                result.artifacts.append(context.filled(step["with"])["path"] ?? "")
            }
        }
        return result
    }

    private func environment(_ step: [String: String]) throws -> [String: String] {
        let event = try folder.write(
            #"{"number": 7, "pull_request": {"number": 7}}"#, to: "event.json")
        return [
            "GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": event, "GITHUB_API_URL": url,
            "GITHUB_REPOSITORY": "team/app", "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_RUN_ID": "12", "GITHUB_OUTPUT": try folder.write("", to: "output"),
            "GITHUB_STEP_SUMMARY": folder.path("step.md"),
        ].merging(step) { $1 }
    }
}

/// GitLab: the lines of a job, with those of the template that it extends.
extension CIJob {
    /// Runs the job named 'sign-in' of a pipeline, for a merge request.
    func gitlab(_ pipeline: String, variables changed: [String: String] = [:]) async throws
        -> Result
    {
        let pipeline = try Self.yaml(pipeline)
        let job = try #require(pipeline["sign-in"] as? [String: Any])
        let included = try #require((pipeline["include"] as? [[String: String]])?.first?["local"])
        #expect(included == ".gitlab/screenrig.yml")
        let name = try #require(job["extends"] as? String)
        let template = try #require(
            try Self.yaml(try Self.template("gitlab.yml"))[name] as? [String: Any])
        var variables: [String: String] = [
            "GITLAB_CI": "true", "CI_MERGE_REQUEST_IID": "7", "CI_API_V4_URL": url,
            // The pipeline of a fork: its own project is not that of the merge request.
            "CI_PROJECT_ID": "13", "CI_MERGE_REQUEST_PROJECT_ID": "42",
            "CI_JOB_URL": "https://gitlab.example/job/12",
        ]
        for map in [template["variables"], job["variables"]] {
            for (name, value) in try #require(map as? [String: Any]) {
                variables[name] = "\(value)"
            }
        }
        variables["SCREENRIG_PACKAGE"] = package
        variables["SCREENRIG_SHA256"] = try await checksum()
        variables["SCREENRIG_TOKEN"] = token
        variables.merge(changed) { $1 }
        func script(_ keys: [String]) throws -> String {
            try keys.flatMap { try #require(template[$0] as? [String]) }.joined(separator: "\n")
        }
        // What GitLab's runner takes where the image has no bash.
        let ran = try await shell(
            script(["before_script", "script"]), variables, with: ["sh", "-e"])
        let after = try await shell(script(["after_script"]), variables, with: ["sh", "-e"])
        let artifacts = try #require(template["artifacts"] as? [String: Any])
        #expect(artifacts["when"] as? String == "always")
        return Result(
            code: ran.code, output: ran.output + ran.errors + after.output + after.errors,
            artifacts: artifacts["paths"] as? [String] ?? [])
    }
}
