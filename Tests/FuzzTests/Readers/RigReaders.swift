@testable import Rigs

extension Reader {
    /// Input: a rig. A good one is planned and estimated, as `validate` does.
    static let rig = Reader("rig", limit: 8_192) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let reading: RigReading
        do throws(RigErrors) {
            reading = try Rig.read(text, file: "rig.yaml", with: surroundings)
        } catch {
            return error.description.isEmpty ? "an error without words" : nil
        }
        let rig = reading.rig
        let again = try? Rig.read(rig.source, file: "rig.yaml", with: surroundings).rig
        if again != rig { return "its own source reads differently" }
        let plan = Plan(rig, seed: rig.seed)
        for position in [0, 1, (plan.households ?? 2) - 1] { _ = plan.household(position) }
        let machine = MachineLimits(
            descriptors: 1_024, descriptorsAtMost: 4_096, ports: 28_232, cores: 2)
        return PlanEstimate(plan, on: machine).description.isEmpty ? "no estimate" : nil
    }

    /// Input: the file of `accounts: {file: ...}`.
    static let accounts = Reader("accounts", limit: 4_096) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let target else { return "the rig for it cannot be read" }
        var files = surroundings
        files.contents = { $0 == "accounts.csv" ? text : nil }
        var reader = AccountFileReader(
            AccountList(file: "accounts.csv", entries: []), of: target, files,
            at: Place(file: "rig.yaml"))
        let list = reader.read()
        if reader.problems.contains(where: \.description.isEmpty) { return "no words" }
        if list.entries.count > bytes.count { return "\(list.entries.count) accounts" }
        guard let rows = try? Self.table(text) else {
            return reader.problems.isEmpty ? "a damaged file is taken" : nil
        }
        let written = rows.map { row in
            row.cells.map { "\"" + doubled($0) + "\"" }.joined(separator: ",") + "\r\n"
        }.joined()
        guard let again = try? Self.table(written), again.map(\.cells) == rows.map(\.cells)
        else { return "written again it reads differently: \(written)" }
        return nil
    }

    /// By scalars: a quote that an accent has joined is another character.
    private static func doubled(_ cell: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in cell.unicodeScalars {
            text.append(scalar)
            if scalar == "\"" { text.append(scalar) }
        }
        return String(text)
    }

    private static func table(_ text: String) throws -> [CSVReader.CSVRow] {
        var reader = CSVReader(text)
        var rows: [CSVReader.CSVRow] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    private static let target = try? Rig.read(
        "rig: accounts\ntarget: {base: embedded}\nload: {closed: {households: 2}}\n",
        file: "rig.yaml", with: surroundings
    ).rig.target

    /// No disk, no environment but this.
    private static let surroundings = {
        var surroundings = RigSurroundings(
            environment: ["NAME": "value", "PASSWORD": "secret"],
            contents: { path in
                switch path {
                case "accounts.csv": "mvpd,user,password\ndemo,u1,p1\ndemo,u2,${PASSWORD}\n"
                case "target.yaml": "base: http://127.0.0.1:8080\nrequestor: DEMOTV\n"
                case "ca.pem": "-----BEGIN CERTIFICATE-----\n"
                default: nil
                }
            })
        surroundings.isOpenToOthers = { _ in false }
        return surroundings
    }()
}
