import Foundation
import TestSupport
import Testing

/// The packing step of `make dist`, with a small program in place of the release build: it starts the one that is
/// tested, and asks for the libraries that a release build asks for.
@Suite("Packages", .ownThread)
struct DistTests {
    private static let script = Repository.root.appending(path: "scripts/dist.py").path
    /// Where SwiftPM keeps the sources of packages: beside the build that is tested.
    private static let checkouts = URL(filePath: Command.binary).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "../../checkouts").standardized.path

    private static func sh(
        _ text: String, in folder: TestFolder, environment: [String: String] = [:]
    ) async throws -> Command.Ended {
        try await Command(["-c", text], in: folder, environment: environment, program: "/bin/sh")
            .ended()
    }

    /// The small program, at `program` in the folder.
    private static func compile(in folder: TestFolder) async throws {
        let source = """
            #include <unistd.h>
            int main(int count, char **words) { execv("\(Command.binary)", words); return 1; }
            """
        _ = try folder.write(source, to: "program.c")
        let built = try await sh(
            "clang -o program program.c -Wl,--no-as-needed -lcurl -ljemalloc -lssl -lcrypto "
                + "-lsqlite3",
            in: folder)
        try #require(built.code == 0, "\(built.errors)")
    }

    private static func pack(
        to out: String, in folder: TestFolder, environment: [String: String] = [:]
    ) async throws {
        let packed = try await sh(
            "umask \(environment["MASK"] ?? "022"); python3 '\(script)' program --out '\(out)' "
                + "--checkouts '\(checkouts)'", in: folder, environment: environment)
        try #require(packed.code == 0, "\(packed.errors)")
    }

    @Test("two runs write the same bytes, whatever the umask, the time zone and the language are")
    func reproducible() async throws {
        let folder = TestFolder()
        try await Self.compile(in: folder)
        try await Self.pack(to: "one", in: folder)
        try await Self.pack(
            to: "two", in: folder,
            environment: [
                "MASK": "077", "TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "COLUMNS": "40",
            ])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("one")).sorted()
        #expect(names.count == 3 && names[0] == "SHA256SUMS")
        #expect(names[1].contains(/^screenrig-\d+\.\d+\.\d+.*-linux-(amd64|arm64)\.tar\.gz$/))
        #expect(names[2].contains(/^screenrig_\d+\.\d+\.\d+.*_(amd64|arm64)\.deb$/))
        let same = try await Self.sh("diff -r one two", in: folder)
        #expect(same.code == 0, "\(same.output)")
        let sums = try await Self.sh("cd one && sha256sum --check SHA256SUMS", in: folder)
        #expect(sums.code == 0, "\(sums.output)\(sums.errors)")
        try await expectTarball(names[1], in: folder)
        try await expectPackage(names[2], in: folder)
        // Another time is another archive.
        try await Self.pack(to: "two", in: folder, environment: ["SOURCE_DATE_EPOCH": "86400"])
        #expect(try await Self.sh("cmp -s one/\(names[1]) two/\(names[1])", in: folder).code == 1)
    }

    private func expectTarball(_ name: String, in folder: TestFolder) async throws {
        let listed = try await Self.sh("tar --numeric-owner -tvf one/\(name)", in: folder)
        let lines = listed.output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.contains(" 0/0 ") })
        #expect(Set(lines.map { $0.split(separator: " ")[3...4] }).count == 1, "more than one time")
        #expect(
            lines.allSatisfy { $0.hasPrefix("-rw-r--r--") || $0.contains(/^[-d]rwxr-xr-x|^lrwx/) })
        let files = lines.map { String($0.split(separator: " ")[5].drop { $0 != "/" }.dropFirst()) }
        #expect(files.dropFirst() == files.dropFirst().sorted()[...])
        for file in [
            "bin/screenrig", "bin/screenrig-comment", "share/man/man1/screenrig.1",
            "share/bash-completion/completions/screenrig", "share/zsh/site-functions/_screenrig",
            "share/fish/vendor_completions.d/screenrig.fish", "share/screenrig/rigs/smoke.yaml",
            "share/screenrig/rigs/races/poll-poll.yaml", "share/screenrig/ci/gitlab.yml",
            "share/screenrig/ci/github/action.yml", "share/doc/screenrig/README.md",
            "share/doc/screenrig/CHANGELOG.md", "share/doc/screenrig/docs/ci.md",
            "share/doc/screenrig/copyright", "share/doc/screenrig/licenses/swift-LICENSE.txt",
            "share/doc/screenrig/licenses/swift-nio-NOTICE.txt",
        ] { #expect(files.contains(file), "\(file)") }
        #expect(!files.contains { $0.contains("__pycache__") || $0.hasSuffix(".swift") })
        let ran = try await Self.sh(
            "tar -xf one/\(name) && screenrig-*/bin/screenrig --version", in: folder)
        #expect(ran.code == 0 && name.contains(ran.output.dropLast()), "\(ran.errors)")
        try expectLinks(
            in: folder.path(String(name.dropLast(".tar.gz".count)) + "/share/doc/screenrig"))
    }

    /// What the packed pages link to was packed.
    private func expectLinks(in documents: String) throws {
        let pages = try FileManager.default.subpathsOfDirectory(atPath: documents)
            .filter { $0.hasSuffix(".md") }
        #expect(pages.count > 15)
        var count = 0
        for page in pages {
            let path = "\(documents)/\(page)"
            let folder = URL(filePath: path).deletingLastPathComponent()
            for part in try String(contentsOfFile: path, encoding: .utf8).components(
                separatedBy: "]("
            ).dropFirst() {
                let link = String(part.prefix { $0 != ")" && $0 != "#" })
                guard !link.isEmpty, !link.contains("://"), !link.contains(" ") else { continue }
                count += 1
                #expect(
                    FileManager.default.fileExists(atPath: folder.appending(path: link).path),
                    "\(page): \(link)")
            }
        }
        #expect(count > 100)
    }

    private func expectPackage(_ name: String, in folder: TestFolder) async throws {
        // Written without dpkg, and read by it where it is here.
        let read = try await Self.sh(
            "command -v dpkg-deb >/dev/null || { echo SKIPPED; exit 0; }; dpkg-deb -f one/\(name) && "
                + "dpkg-deb -x one/\(name) tree && dpkg-deb -e one/\(name) control && "
                + "cd tree && md5sum --quiet -c ../control/md5sums", in: folder)
        #expect(read.code == 0, "\(read.errors)")
        guard read.output != "SKIPPED\n" else { return }
        let fields = Dictionary(
            read.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
                .map { ($0.prefix { $0 != ":" }, $0.drop { $0 != ":" }.dropFirst(2)) }
        ) { first, _ in first }
        #expect(fields["Package"] == "screenrig")
        #expect(name == "screenrig_\(fields["Version"] ?? "")_\(fields["Architecture"] ?? "").deb")
        let depends = fields["Depends"].map {
            $0.split(separator: ", ").map { $0.prefix { $0 != " " } }
        }
        #expect(
            depends == [
                "ca-certificates", "libc6", "libcurl4", "libjemalloc2", "libsqlite3-0", "libssl3",
            ])
        for file in [
            "usr/bin/screenrig", "usr/share/zsh/vendor-completions/_screenrig",
            "usr/share/man/man1/screenrig.1.gz", "usr/share/doc/screenrig/copyright",
        ] { #expect(folder.holds("tree/\(file)"), "\(file)") }
        #expect(!folder.holds("tree/usr/share/zsh/site-functions"))
    }

    @Test(
        "what cannot be packed is told: a program with Swift's libraries outside, no program, nothing"
    )
    func refused() async throws {
        let folder = TestFolder()
        _ = try folder.write("#!/bin/sh\n", to: "script")
        for (program, words) in [
            (Command.binary, "of the Swift toolchain; build it with --static-swift-stdlib"),
            ("script", "is not there; type 'make dist'"),
        ] {
            let ended = try await Self.sh(
                "python3 '\(Self.script)' '\(program)' --out out", in: folder)
            #expect(ended.code == 1 && ended.errors.contains(words), "\(ended.errors)")
        }
        let script = try await Self.sh(
            "chmod +x script && python3 '\(Self.script)' script --out out", in: folder)
        #expect(script.code == 1 && script.errors.contains("is no program for Linux (ELF)"))
        #expect(!folder.holds("out"))
    }

    @Test("the copyright names every package that is linked")
    func copyright() throws {
        let text = try String(
            contentsOf: Repository.root.appending(path: "deploy/package/copyright"), encoding: .utf8
        )
        let packages = try FileManager.default.contentsOfDirectory(atPath: Self.checkouts)
        #expect(packages.contains("swift-nio"))
        for package in packages {
            #expect(text.contains(try Regex("Files: (.* )?\(package)( |\n)")), "\(package)")
        }
    }

    @Test("make builds without a path of this machine, and packs that build")
    func make() async throws {
        let folder = TestFolder()
        let dry = try await Self.sh("make -n -C '\(Repository.root.path)' dist", in: folder)
        #expect(dry.output.contains("--static-swift-stdlib"))
        #expect(dry.output.contains("-file-prefix-map -Xswiftc \"\(Repository.root.path)=.\""))
        #expect(dry.output.contains("python3 scripts/dist.py .build-dist/release/screenrig"))
    }
}
