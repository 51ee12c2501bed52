public import Dialects

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

        public init(mvpd: String, account: Account, place: String) {
            self.mvpd = mvpd
            self.account = account
            self.place = place
        }
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
    public var atOnce: Int?
    public var onExhausted: Exhausted
    /// After so many failed logins with none that went well between, an account is not used again.
    public var failuresAtMost: Int

    public init(
        file: String, entries: [Entry], atOnce: Int? = 1, onExhausted: Exhausted = .wait,
        failuresAtMost: Int = 3
    ) {
        self.file = file
        self.entries = entries
        self.atOnce = atOnce
        self.onExhausted = onExhausted
        self.failuresAtMost = failuresAtMost
    }

    /// The providers that it has accounts of, in the order of the file, with their numbers.
    public var providers: [(mvpd: String, accounts: Int)] {
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
