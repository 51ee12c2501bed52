import Dialects
import Foundation
import Testing

@testable import Rigs

@Suite struct AccountFileTests {
    private static func read(
        _ csv: String?, terms: String = "file: accounts.csv", target: String = "{base: embedded}",
        isOpen: Bool = false, secrets: RigSurroundings.Secrets = .resolved
    ) throws -> AccountList {
        var surroundings = RigSurroundings(
            environment: ["PW": "from,outside"], secrets: secrets
        ) { path in
            switch path {
            case "rigs/accounts.csv": csv
            case "rigs/secret.txt": "from a file\n"
            default: nil
            }
        }
        surroundings.isOpenToOthers = { _ in isOpen }
        let rig = try Rig.sample(
            "accounts: {\(terms)}", target: target, with: surroundings)
        guard case .listed(let list) = rig.accounts else {
            throw RigErrors([])
        }
        return list
    }

    @Test("a fingerprint depends on who is in the file and in which order, also of a shard's part")
    func fingerprints() throws {
        let csv = "mvpd,user,password\nA,ann,x\nA,bob,x\nB,eve,x\nB,dan,x\n"
        let whole = try Self.read(csv)
        #expect(try Self.read(csv.replacing(",x", with: ",y")).fingerprint == whole.fingerprint)
        for number in 0..<2 {
            #expect(whole.part(Shard(number, of: 2)).fingerprint == whole.fingerprint)
        }
        for other in [
            csv.replacing("A,ann,x\nA,bob,x", with: "A,bob,x\nA,ann,x"),
            csv.replacing("dan", with: "dam"), csv.replacing("B,dan", with: "A,dan"),
        ] {
            #expect(try Self.read(other).fingerprint != whole.fingerprint, "\(other)")
        }
    }

    @Test("accounts are read with quotes, line ends of any kind, and secrets from elsewhere")
    func good() throws {
        let list = try Self.read(
            "\u{feff}user,mvpd,password,user-id\r\nann,DemoCable,\"a \"\"b\"\", c\",u-1\r\n\r\n"
                + "bob,DemoSat,${PW},\neve,DemoCable,\"${file:secret.txt}\",u-3")
        #expect(list.entries.map(\.mvpd) == ["DemoCable", "DemoSat", "DemoCable"])
        #expect(list.entries.map(\.account.user) == ["ann", "bob", "eve"])
        #expect(
            list.entries.map { $0.account.password.reveal() } == [
                "a \"b\", c", "from,outside", "from a file",
            ])
        #expect(list.entries.map(\.account.userID) == ["u-1", nil, "u-3"])
        #expect(
            list.entries.map(\.place) == ["accounts.csv:2", "accounts.csv:4", "accounts.csv:5"])
        #expect(list.providers.map(\.mvpd) == ["DemoCable", "DemoSat"])
        #expect(list.providers.map(\.accounts) == [2, 1])
        #expect(list.atOnce == 1)
        #expect(list.onExhausted == .wait)
        #expect(list.failuresAtMost == 3)
    }

    @Test("a letter that joins the one before it hides neither comma nor quote nor line end")
    func joining() throws {
        let list = try Self.read(
            "mvpd,user,password\nDemoCable,\u{301}ann,\"\u{301}pw\"\n\u{301}Sat,bob,pw\n")
        #expect(list.entries.map(\.account.user) == ["\u{301}ann", "bob"])
        #expect(list.entries.map { $0.account.password.reveal() } == ["\u{301}pw", "pw"])
    }

    @Test(
        "accounts are counted without their secrets, and not at all where a line is wrong or a provider is a secret",
        arguments: [
            (
                "DemoCable,ann,${NOWHERE}\nDemoCable,${A},b\nDemoSat,${A},${file:gone.txt}\n",
                [2, 1]
            ),
            ("DemoCable,ann,pw\nDemoCable,bob\n", []), ("DemoCable,ann,\"pw\n", []),
            ("DemoCable,ann,pw\n${PROVIDER},bob,pw\n", []), ("", []),
        ] as [(rows: String, accounts: [Int])])
    func counted(rows: String, accounts: [Int]) {
        let list = AccountList(file: "accounts.csv", entries: [], onExhausted: .fail)
            .withEntries(of: "mvpd,user,password\n" + rows)
        #expect(list.providers.map(\.accounts) == accounts)
        #expect(list.file == "accounts.csv" && list.onExhausted == .fail)
    }

    @Test("shared accounts have no limit unless one is given")
    func shared() throws {
        let csv = "mvpd,user,password\nDemoCable,ann,pw\n"
        #expect(try Self.read(csv, terms: "file: accounts.csv, sharing: shared").atOnce == nil)
        #expect(
            try Self.read(csv, terms: "file: accounts.csv, sharing: shared, at-once: 4").atOnce
                == 4)
    }

    @Test("a missing path of a case's rig: the error names the folder it is relative to")
    func ofCase() throws {
        #expect {
            _ = try Rig.read(
                "rig: a\ntarget: {base: embedded}\naccounts: {file: none.csv}\nload: {closed: {households: 1}}\n",
                file: "the rig in case-1", with: RigSurroundings(contents: { _ in nil }))
        } throws: { error in
            let problems = (error as? RigErrors)?.problems.map(\.ofCase.description) ?? []
            return problems.contains {
                $0.hasPrefix(
                    "the rig in case-1:3:11: none.csv cannot be read; the paths in a case are")
            }
        }
    }

    @Test(
        "what is wrong has its line and its remedy",
        arguments: [
            (
                nil,
                "rigs/sample.yaml:4:11: rigs/accounts.csv cannot be read; paths are relative to this file's folder"
            ),
            (
                "",
                "rigs/accounts.csv: the file is empty; its first line must be mvpd,user,password"
            ),
            (
                "mvpd,user,password\n",
                "rigs/accounts.csv:1: no accounts after the header line; add one line for each "
                    + "account"
            ),
            (
                "mvpd,usr,password\na,b,c",
                "rigs/accounts.csv:1: unknown column 'usr'; did you mean "
                    + "'user'?\nrigs/accounts.csv:1: column 'user' is missing; the first line "
                    + "must be mvpd,user,password"
            ),
            (
                "mvpd,user,password\nDemoCable,ann\n",
                "rigs/accounts.csv:2: 2 cells for 3 columns; put a cell that contains a comma in "
                    + "quotes"
            ),
            ("mvpd,user,password\nDemoCable,,x\n", "rigs/accounts.csv:2: user is empty"),
            (
                "mvpd,user,password\nDemoCable,ann,x\n\nDemoCable,ann,y\n",
                "rigs/accounts.csv:4: duplicate of the account in line 2; remove one of them"
            ),
            (
                "mvpd,user,password\nDemoCable,ann,\"x\ny\n",
                "rigs/accounts.csv:2: missing closing quote"
            ),
            (
                "mvpd,user,password\nDemoCable,ann,x\"y\n",
                "rigs/accounts.csv:2: unescaped quote inside a cell; put the whole cell in "
                    + "quotes and double the quote"
            ),
            (
                "mvpd,user,password\nDemoCable,ann,${NOWHERE}\n",
                "rigs/accounts.csv:2: environment variable NOWHERE is not set; set it, as in: "
                    + "NOWHERE=... screenrig run RIG"
            ),
        ] as [(String?, String)])
    func bad(csv: String?, problem: String) {
        let error = #expect(throws: RigErrors.self) { try Self.read(csv) }
        #expect(error?.description == problem)
    }

    @Test("a file that others may read is refused, with the line to type")
    func open() throws {
        let csv = "mvpd,user,password\nDemoCable,ann,pw\n"
        let error = #expect(throws: RigErrors.self) { try Self.read(csv, isOpen: true) }
        #expect(
            error?.description
                == "rigs/accounts.csv: other users of this machine can read these passwords; "
                + "run: chmod 600 rigs/accounts.csv"
        )
        let file = FileManager.default.temporaryDirectory.appending(
            path: "accounts-\(UUID().uuidString).csv")
        try csv.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        for (mode, isOpen) in [
            (0o600, false), (0o400, false), (0o700, false), (0o640, true), (0o604, true),
            (0o620, true),
            (0o602, true),
        ] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: file.path)
            #expect(Disk.isOpenToOthers(file.path) == isOpen)
        }
    }

    @Test("a provider of the target without an account is named")
    func providers() {
        let error = #expect(throws: RigErrors.self) {
            try Self.read(
                "mvpd,user,password\nDemoCable,ann,pw\n",
                target: "{base: embedded, mvpds: [{id: DemoSat, weight: 1}]}")
        }
        #expect(
            error?.description
                == "rigs/accounts.csv: no account for 'DemoSat', which is in target.mvpds; the "
                + "file has accounts for DemoCable"
        )
    }

    @Test("without secrets the file is left alone, for judging on another machine")
    func omitted() throws {
        #expect(try Self.read(nil, secrets: .omitted).entries == [])
    }

    @Test("exclusive accounts are for one household at a time")
    func exclusive() {
        let error = #expect(throws: RigErrors.self) {
            try Self.read(
                "mvpd,user,password\nDemoCable,ann,pw\n", terms: "file: accounts.csv, at-once: 2")
        }
        #expect(error?.description.contains("sharing: shared") == true)
    }

    @Test("clean-up is off on loopback and on elsewhere, unless the rig says so")
    func cleanUp() throws {
        for (target, lines, expected) in [
            ("{base: embedded}", "", false), ("{base: \"http://127.0.0.1:80\"}", "", false),
            ("{base: \"https://a.example\"}", "", true),
            ("{base: \"https://a.example\"}", "clean-up: false", false),
            ("{base: embedded}", "clean-up: true", true),
        ] {
            #expect(try Rig.sample(lines, target: target).cleansUp == expected, "\(target)")
        }
    }
}
