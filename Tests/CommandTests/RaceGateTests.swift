import Foundation
import TestSupport
import Testing

/// `race` as a gate: for `git bisect run`, after each deploy, and with findings that somebody knows.
@Suite("Races as a gate", .ownThread)
struct RaceGateTests {
    private static let late = "ack-before-apply:window=30ms"

    private func race(
        _ more: String..., in folder: TestFolder
    ) async throws -> Command.Ended {
        try await Command(
            ["race", Command.rig("races/poll-authenticate.yaml"), "--virtual", "--quiet"] + more,
            in: folder
        ).ended()
    }

    @Test("git bisect finds the commit that brought a fault, past commits that cannot be raced")
    func bisect() async throws {
        let folder = TestFolder()
        // Ten versions of a service: the fault came with the eighth, and the fifth does not run.
        let script = """
            set -e
            git init -q service && cd service
            git config user.name t && git config user.email t@localhost
            for n in 1 2 3 4 5 6 7 8 9 10; do
              echo "none" > fault
              [ $n -lt 8 ] || echo "\(Self.late)" > fault
              [ $n -ne 5 ] || echo "broken" > fault
              echo $n > number && git add . && git commit -qm "version $n"
            done
            cat > ../check <<'END'
            case $(cat fault) in
            broken) set -- --target http://127.0.0.1:1 --for 3s;;
            none) set -- --virtual --trials 150;;
            *) set -- --virtual --trials 150 --fault "$(cat fault)";;
            esac
            exec "$SCREENRIG" race "$RIG" --bisect --quiet --out "$(mktemp -d)" "$@"
            END
            git bisect start HEAD HEAD~9
            git bisect run sh ../check
            git bisect log
            """
        let file = try folder.write(script, to: "bisect.sh")
        let ended = try await Command(
            [file], in: folder,
            environment: [
                "SCREENRIG": Command.binary, "RIG": Command.rig("races/poll-authenticate.yaml"),
                "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": folder.url.path,
            ], program: "/bin/sh"
        ).ended(within: .seconds(180))
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        let first = ended.output.split(separator: "\n").last { $0.contains("first bad commit") }
        #expect(first?.hasSuffix("version 8") == true, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("# skip: "), "\(ended.output)")
    }

    @Test(
        "--bisect: a version that tells nothing is skipped, a mistake of the user's ends the bisection"
    )
    func codes() async throws {
        let folder = TestFolder()
        let short = try await race("--bisect", "--trials", "20", "--out", "short", in: folder)
        #expect(short.code == 125)
        #expect(short.errors.contains("1 of 1 sweeps are not complete"), "\(short.errors)")
        #expect(try await race("--trials", "20", "--out", "s", in: folder).code == 0)
        let typo = try await race("--bisect", "--plan", "poll-nobody", in: folder)
        #expect(typo.code == 128, "\(typo.errors)")
        #expect(try await race("--bisect", "--trails", "5", in: folder).code == 128)
        #expect(try await race("--bisect", "--watch", "cat x", in: folder).code == 128)
    }

    @Test("findings of a baseline fail nothing; the same race without it fails")
    func baseline() async throws {
        let folder = TestFolder()
        let first = try await race("--fault", Self.late, "--out", "base", in: folder)
        #expect(first.code == 1)
        let again = try await race(
            "--fault", Self.late, "--baseline", "base", "--out", "again", in: folder)
        #expect(again.code == 0, "\(again.output)\(again.errors)")
        #expect(again.output.hasPrefix("KNOWN  sign-in-visible violated in poll-authenticate"))
        let other = try await race(
            "--fault", "poll-double-mint", "--plan", "poll-authenticate", "--baseline",
            "base/summary.json",
            "--out", "other", in: folder)
        #expect(other.code == 1, "\(other.output)")
        let none = try await race("--baseline", "nowhere", in: folder)
        #expect(none.code == 2 && none.errors.contains("nowhere cannot be read: no such file"))
    }

    @Test("--watch races again after each deploy, and says which")
    func watch() async throws {
        let folder = TestFolder()
        _ = try folder.write("v1\n", to: "version")
        let command = try Command(
            [
                "race", Command.rig("races/poll-authenticate.yaml"), "--virtual", "--trials", "30",
                "--watch", "cat version",
            ], in: folder)
        func waiting() -> Int {
            command.errors.components(separatedBy: "waiting for the next deploy").count - 1
        }
        try await command.wait("first race") { waiting() == 1 }
        _ = try folder.write("v2\n", to: "version")
        try await command.wait("second race") { waiting() == 2 }
        command.send(SIGINT)
        let ended = try await command.ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.errors.contains("deployed: v1") && ended.errors.contains("deployed: v2"))
        let runs = try FileManager.default.contentsOfDirectory(atPath: folder.path("reports"))
            .filter { $0 != "latest" }.sorted()
        #expect(runs.count == 2)
        for (run, version) in zip(runs, ["v1", "v2"]) {
            #expect(
                try folder.read("reports/\(run)/summary.json").contains(
                    "\"deployed\": \"\(version)\""))
        }
        let none = try await race("--watch", "cat nowhere", in: folder)
        #expect(none.code == 3 && none.errors.contains("nowhere: No such file"), "\(none.errors)")
    }
}
