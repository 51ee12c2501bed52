internal import Dialects

/// Reads the file of `accounts: {file: ...}`: one account for each line, every problem with its line.
struct AccountFileReader {
    private(set) var list: AccountList
    private let target: Target
    private let surroundings: RigSurroundings
    /// Where the rig names the file.
    private let place: Place
    private let path: String
    private(set) var problems: [RigProblem] = []

    private static let required = ["mvpd", "user", "password"]
    private static let columns = required + ["user-id"]
    private static let accountsAtMost = 1_000_000
    /// Bytes of all cells, with what stands for a `${file:PATH}`.
    private static let bytesAtMost = 64_000_000
    /// After so many the file is read no further.
    private static let problemsAtMost = 1_000

    init(_ list: AccountList, of target: Target, _ surroundings: RigSurroundings, at place: Place) {
        self.list = list
        self.target = target
        self.surroundings = surroundings
        self.place = place
        path = place.path(list.file)
    }

    /// The list with its entries. Without secrets the file is left alone.
    mutating func read() -> AccountList {
        if case .omitted = surroundings.secrets { return list }
        guard let text = surroundings.contents(path) else {
            problems.append(
                RigProblem(place, .unreadable(path)))
            return list
        }
        if surroundings.isOpenToOthers(path) {
            refuse(
                nil,
                "other users of this machine can read these passwords; run: chmod 600 "
                    + "\(path)")
            return list
        }
        do throws(CSVReader.Problem) {
            try take(CSVReader(text))
        } catch {
            refuse(error.line, error.reason)
        }
        if problems.isEmpty { checkProviders() }
        return list
    }

    private mutating func refuse(_ line: Int?, _ sentence: String) {
        problems.append(
            RigProblem(Place(file: path, line: line ?? 0, column: 0), .conflict(sentence)))
    }

    fileprivate mutating func take(_ rows: CSVReader) throws(CSVReader.Problem) {
        var rows = rows
        guard let head = try rows.next() else {
            return refuse(nil, "the file is empty; its first line must be mvpd,user,password")
        }
        let names = head.cells.map { $0.trimmingSpaces().lowercased() }
        guard check(names, line: head.line) else { return }
        var lines: [[String]: Int] = [:]
        var bytes = 0
        var isEmpty = true
        while let row = try rows.next() {
            isEmpty = false
            guard problems.count < Self.problemsAtMost else { return }
            guard let entry = entry(row, names) else { continue }
            bytes += entry.bytes
            guard lines.count < Self.accountsAtMost, bytes <= Self.bytesAtMost else {
                return refuse(
                    row.line,
                    "more than \(Self.accountsAtMost) accounts or \(Self.bytesAtMost) bytes; use "
                        + "a smaller file")
            }
            let key = [entry.mvpd, entry.account.user]
            if let first = lines[key] {
                refuse(row.line, "duplicate of the account in line \(first); remove one of them")
                continue
            }
            lines[key] = row.line
            list.entries.append(entry)
        }
        if isEmpty {
            refuse(
                head.line,
                "no accounts after the header line; add one line for each account")
        }
    }

    private mutating func check(_ names: [String], line: Int) -> Bool {
        let before = problems.count
        for name in names where !Self.columns.contains(name) {
            let near = name.nearest(among: Self.columns).map { "; did you mean '\($0)'?" }
            refuse(
                line,
                "unknown column '\(name)'"
                    + (near ?? "; the columns are mvpd,user,password and optionally user-id"))
        }
        for name in Self.required where !names.contains(name) {
            refuse(line, "column '\(name)' is missing; the first line must be mvpd,user,password")
        }
        if Set(names).count != names.count {
            refuse(
                line,
                "duplicate column; each name may occur once")
        }
        return problems.count == before
    }

    private mutating func entry(_ row: CSVReader.CSVRow, _ names: [String]) -> AccountList.Entry? {
        guard row.cells.count == names.count else {
            refuse(
                row.line,
                "\(row.cells.count) cells for \(names.count) columns; put a cell that contains a "
                    + "comma in "
                    + "quotes")
            return nil
        }
        var values: [String: String] = [:]
        for (name, cell) in zip(names, row.cells) {
            guard let value = expanded(cell, row.line) else { return nil }
            values[name] = value
        }
        for name in Self.required where values[name]?.isEmpty != false {
            refuse(row.line, "\(name) is empty")
            return nil
        }
        guard let mvpd = values["mvpd"], let user = values["user"],
            let password = values["password"]
        else { return nil }
        let id = values["user-id"].flatMap { $0.isEmpty ? nil : $0 }
        let file = list.file.split(separator: "/").last.map(String.init) ?? list.file
        return AccountList.Entry(
            mvpd: mvpd,
            account: Account(user: user, password: Secret(password), userID: id),
            place: "\(file):\(row.line)")
    }

    /// The cell with `${NAME}` and `${file:PATH}` replaced; without secrets, as it is written.
    private mutating func expanded(_ cell: String, _ line: Int) -> String? {
        if case .omitted = surroundings.secrets { return cell }
        var variables = Variables(in: path, surroundings)
        return variables.expanded(cell, Place(file: path, line: line), &problems)?.text
    }

    /// Every provider that the rig names must have an account.
    private mutating func checkProviders() {
        let known = list.providers.map(\.mvpd)
        let names = Set(known)
        for provider in target.mvpds where !names.contains(provider.id) {
            refuse(
                nil,
                "no account for '\(provider.id)', which is in target.mvpds; the file has "
                    + "accounts for "
                    + known.shortened.joined(separator: ", "))
        }
    }
}

extension AccountList {
    /// With the entries of the file, which has this text, `${...}` as they are written: to count accounts on a machine that
    /// has no secrets. Without entries where they cannot be counted: a line is wrong, which a run says, or a provider is
    /// such a `${...}`.
    public func withEntries(of text: String) -> AccountList {
        var reader = AccountFileReader(
            self, of: .blank, RigSurroundings.recorded, at: Place(file: file))
        guard (try? reader.take(CSVReader(text))) != nil, reader.problems.isEmpty,
            !reader.list.entries.contains(where: { $0.mvpd.contains("${") })
        else { return self }
        return reader.list
    }
}

extension AccountList.Entry {
    fileprivate var bytes: Int {
        mvpd.utf8.count + account.user.utf8.count + account.password.reveal().utf8.count
            + (account.userID?.utf8.count ?? 0)
    }
}
