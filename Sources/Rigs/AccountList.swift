public import Dialects
internal import Statistics

extension Rig {
    /// Whom viewers sign in as.
    public enum Accounts: Sendable, Hashable {
        /// `viewer-<run>-<n>`, one for each household.
        case generated
        case listed(AccountList)
    }
}

/// The accounts of a file, and how households share them (rigs/reference.yaml, `accounts`).
public struct AccountList: Sendable, Hashable {
    /// A line of the file.
    public struct Entry: Sendable, Hashable {
        public var mvpd: String
        public var account: Account
        /// `accounts.csv:3`: how reports name it, for user names are nobody's business there.
        public var place: String
    }

    public enum Exhausted: String, Sendable, CaseIterable {
        /// A household that finds none free waits for one.
        case wait
        /// It fails.
        case fail
    }

    /// The file, as the rig names it.
    public var file: String
    public var entries: [Entry]
    /// How many households may have an account at a time, each from its sign-in to its end; nil: any
    /// number. 1 means that nobody else signs in as this user meanwhile (exclusive).
    public var atOnce: Int? = 1
    var isShared = false
    public var onExhausted: Exhausted = .wait
    /// After so many failed logins with none that went well between, an account is not used again.
    public var failuresAtMost: Int = 3
    /// Of the whole file, where these entries are a shard's: a household chooses the same provider in a shard as
    /// in the whole run.
    private var providersOfFile: [ProviderCount]?

    /// That of the whole file, where these entries are a shard's.
    private var fingerprintOfFile: UInt64?

    private struct ProviderCount: Sendable, Hashable {
        var mvpd: String
        var accounts: Int
    }

    init(file: String, entries: [Entry], atOnce: Int? = 1, onExhausted: Exhausted = .wait) {
        self.file = file
        self.entries = entries
        self.atOnce = atOnce
        self.onExhausted = onExhausted
    }

    /// The accounts of one shard: of each provider every n-th, so that all shards together have the whole file, and
    /// no account is in two of them.
    public func part(_ shard: Shard) -> AccountList {
        guard shard.count > 1 else { return self }
        var part = self
        part.fingerprintOfFile = fingerprint
        part.providersOfFile = providers.map { ProviderCount(mvpd: $0.mvpd, accounts: $0.accounts) }
        var numbers: [String: Int] = [:]
        part.entries = entries.filter { entry in
            let number = numbers[entry.mvpd, default: 0]
            numbers[entry.mvpd] = number + 1
            return number % shard.count == shard.number
        }
        return part
    }

    /// Tells two files of accounts apart by who is in them, in their order, wherever they lie: over provider, user and
    /// user-id. Of a shard's part, that of the whole file.
    public var fingerprint: UInt64 {
        if let fingerprintOfFile { return fingerprintOfFile }
        return entries.reduce(TextHash.start) { hash, entry in
            [entry.mvpd, entry.account.user, entry.account.userID ?? ""].reduce(hash) {
                TextHash.of($1 + "\u{0}", after: $0)
            }
        }
    }

    /// The first provider that has fewer accounts than there are shards, with their number: some shard would have
    /// none of it. Nil where each shard gets one. `used`: the providers that count; nil: all.
    public func shortage(
        for shards: Int, of used: Set<String>? = nil
    ) -> (mvpd: String, accounts: Int)? {
        providers.first { $0.accounts < shards && used?.contains($0.mvpd) ?? true }
    }

    /// The providers that it has accounts of, in the order of the file, with their numbers; of a shard those of the
    /// whole file.
    public var providers: [(mvpd: String, accounts: Int)] {
        if let providersOfFile { return providersOfFile.map { ($0.mvpd, $0.accounts) } }
        var providers: [(mvpd: String, accounts: Int)] = []
        var positions: [String: Int] = [:]
        for entry in entries {
            if let position = positions[entry.mvpd] {
                providers[position].accounts += 1
            } else {
                positions[entry.mvpd] = providers.count
                providers.append((entry.mvpd, 1))
            }
        }
        return providers
    }
}

extension AccountList: RigSection {
    static let blank = AccountList(file: "", entries: [])
    static let keys: [Key<AccountList>] = [
        Key(
            "file", .scalar(.text), into: \.file, required: true, example: "accounts.csv",
            "The file; it must not be readable by other users. Cells may contain ${NAME} and "
                + "${file:PATH}."),
        Key(
            "sharing", .words(("exclusive", false), ("shared", true)),
            set: { ($0.isShared, $0.atOnce) = ($1, $1 ? nil : 1) }, default: "exclusive",
            "exclusive: one household at a time uses an account. shared: several may."),
        Key(
            "at-once", .scalar(.count(1...1_000_000)), ifGiven: \.atOnce, example: "1",
            "Households that may use an account concurrently, each from its sign-in to its end. "
                + "exclusive: 1. shared: unlimited by default."),
        Key(
            "on-exhausted", .words(), into: \.onExhausted,
            "What a household does if no account is free."),
        Key(
            "failed-logins", .scalar(.count(1...1_000)), into: \.failuresAtMost,
            "After this many consecutive failed logins an account is not used again in the run, "
                + "because providers lock accounts."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard marks.isWhole, !isShared, let atOnce, atOnce > 1 else { return }
        reader.refuse(
            marks["at-once"].place,
            "with sharing: exclusive, one household at a time uses an account; write "
                + "at-once: 1, or sharing: shared")
    }
}
