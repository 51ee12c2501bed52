import Foundation
import TestSupport
import Testing

@Suite("Installation", .ownThread)
struct InstallTests {
    private static let script = Repository.root.appending(path: "scripts/install.sh").path

    private static func sh(_ text: String, in folder: TestFolder) async throws -> Command.Ended {
        try await Command(["-c", text], in: folder, program: "/bin/sh").ended()
    }

    @Test("puts everything where shells, man and editors look for it, and takes it away again")
    func install() async throws {
        let folder = TestFolder()
        let installed = try await Self.sh(
            "sh '\(Self.script)' '\(Command.binary)' package/usr", in: folder)
        #expect(installed.code == 0, "\(installed.errors)")
        let files = [
            "bin/screenrig", "bin/screenrig-comment", "share/screenrig/ci/gitlab.yml",
            "share/screenrig/ci/github/action.yml", "share/bash-completion/completions/screenrig",
            "share/zsh/site-functions/_screenrig",
            "share/fish/vendor_completions.d/screenrig.fish", "share/man/man1/screenrig.1",
            "share/screenrig/rigs/smoke.yaml", "share/screenrig/rigs/screenrig.schema.json",
        ]
        for file in files { #expect(folder.holds("package/usr/\(file)"), "\(file)") }
        let ran = try await Self.sh(
            "package/usr/bin/screenrig validate smoke", in: folder)
        #expect(ran.code == 0 && ran.output.contains("usr/share/screenrig/rigs/smoke.yaml: "))
        let removed = try await Self.sh("sh '\(Self.script)' --remove package/usr", in: folder)
        #expect(removed.code == 0)
        for file in files { #expect(!folder.holds("package/usr/\(file)"), "\(file)") }
    }

    @Test("make hands PREFIX and DESTDIR to the script; a binary that is missing is told")
    func make() async throws {
        let folder = TestFolder()
        let dry = try await Self.sh(
            "make -n -C '\(Repository.root.path)' install DESTDIR=/tmp/package PREFIX=/usr",
            in: folder
        )
        #expect(
            dry.output.contains(
                "scripts/install.sh .build/release/screenrig \"/tmp/package/usr\""),
            "\(dry.output)\(dry.errors)")
        let missing = try await Self.sh("sh '\(Self.script)' nowhere/screenrig usr", in: folder)
        #expect(missing.code == 1 && missing.errors.contains("type 'make release' first"))
        #expect(!folder.holds("usr"))
    }

    @Test("each shell takes its completions", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
        let folder = TestFolder()
        let made = try await Command.run("--generate-completion-script", shell, in: folder)
        #expect(made.code == 0)
        for word in ["simulate", "--dashboard", "token-flap"] {
            #expect(made.output.contains(word.drop { $0 == "-" }), "\(word)")
        }
        let file = try folder.write(made.output, to: "completions")
        let checked = try await Self.sh(
            "command -v \(shell) >/dev/null || exit 0; \(shell) -n '\(file)'", in: folder)
        #expect(checked.code == 0, "\(checked.errors)")
    }

    @Test("bash completes commands, options and files")
    func bash() async throws {
        let folder = TestFolder()
        let made = try await Command.run("--generate-completion-script", "bash", in: folder)
        _ = try folder.write(made.output, to: "completions")
        _ = try folder.write("rig: a", to: "mine.yaml")
        func completed(_ words: String...) async throws -> String {
            let line = words.map { "'\($0)'" }.joined(separator: " ")
            let ended = try await Command(
                [
                    "-c",
                    """
                    source completions
                    COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1)
                    COMP_LINE='\(words.joined(separator: " "))'; COMP_POINT=${#COMP_LINE}
                    _screenrig screenrig '\(words.last ?? "")' '\(words.dropLast().last ?? "")'
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """,
                ], in: folder, program: "/bin/bash"
            ).ended()
            return ended.output
        }
        #expect(try await completed("screenrig", "simu").contains("simulate"))
        #expect(try await completed("screenrig", "run", "--dash").contains("--dashboard"))
        #expect(try await completed("screenrig", "run", "mi").contains("mine.yaml"))
    }

    @Test("zsh and fish complete commands, options and files", arguments: ["zsh", "fish"])
    func shells(shell: String) async throws {
        let folder = TestFolder()
        let made = try await Command.run("--generate-completion-script", shell, in: folder)
        let file = shell == "zsh" ? "_screenrig" : "screenrig.fish"
        _ = try folder.write(made.output, to: file)
        _ = try folder.write("rig: a", to: "mine.yaml")
        _ = try folder.write(shell == "zsh" ? Self.zsh : Self.fish, to: "session")
        let ended = try await Self.sh(
            "command -v \(shell) >/dev/null || { echo SKIPPED; exit 0; }; "
                + "\(shell) \(shell == "zsh" ? "-f" : "--no-config") session", in: folder)
        #expect(ended.code == 0, "\(ended.errors)")
        guard ended.output != "SKIPPED\n" else { return }
        for word in ["simulate", "--dashboard", "mine.yaml"] {
            #expect(ended.output.contains("completes \(word)\n"), "\(ended.output)")
        }
    }

    private static let fish = """
        source screenrig.fish
        for pair in "screenrig simu;simulate" "screenrig run --dash;--dashboard" "screenrig run mi;mine.yaml"
            set -l parts (string split ';' $pair)
            complete -C $parts[1] | string match -q -- "$parts[2]*"; and echo "completes $parts[2]"
        end
        exit 0
        """

    /// zsh completes only where somebody types: a session on a terminal of its own.
    private static let zsh = #"""
        zmodload zsh/zpty
        zpty typing zsh -f -i
        await() {
          local all= part
          repeat 200; do
            if zpty -r -t typing part; then all+=$part; else sleep 0.02; fi
            [[ $all == *$1* ]] && return 0
          done
          print -r -- "$1 did not come: ${(V)all}"
          return 1
        }
        zpty -w typing 'PS1=; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; print ""at""hand'
        await athand
        for typed word in 'screenrig simu' simulate 'screenrig run --dash' --dashboard 'screenrig run mi' mine.yaml; do
          zpty -w -n typing $'\x15'$typed$'\t'
          await $word && print -r -- "completes $word"
        done
        zpty -w -n typing $'\x15exit\n'
        """#

    @Test("the manual page names every command and option of the help, and roff takes it silently")
    func manual() async throws {
        let folder = TestFolder()
        let page = try await Command.run("manual", in: folder)
        #expect(page.code == 0 && page.output.hasPrefix(".TH SCREENRIG 1 "))
        for section in ["NAME", "SYNOPSIS", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES"] {
            #expect(page.output.contains("\n.SH \(section)\n"), "\(section)")
        }
        for command in ["try", "run", "simulate", "race", "serve", "explain"] {
            #expect(page.output.contains(".SS screenrig \(command)\n"), "\(command)")
        }
        #expect(page.output.contains("\\fB\\-\\-dashboard\\fR \\fIPORT\\fR"))
        for line in page.output.split(separator: "\n") where line.hasPrefix(".") {
            #expect(
                line.wholeMatch(of: /\.(TH|SH|SS|TP|PP|br|nf|fi|RS|RE)( .*)?/) != nil, "\(line)")
        }
        _ = try folder.write(page.output, to: "screenrig.1")
        let rendered = try await Self.sh(
            "command -v groff >/dev/null || { echo EXAMPLE; exit 0; }; "
                + "groff -man -Tutf8 -ww screenrig.1 && echo EXAMPLE", in: folder)
        #expect(rendered.code == 0 && rendered.errors.isEmpty, "\(rendered.errors)")
        #expect(rendered.output.hasSuffix("EXAMPLE\n"))
    }
}
