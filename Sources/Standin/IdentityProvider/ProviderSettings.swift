public import Signing
public import Statistics

/// Settings of an identity provider.
public struct ProviderSettings: Sendable {
    /// Where everybody reaches it, without a slash at its end; nil: as each caller wrote it (`Host`).
    public var publicURL: String?
    /// The first rule that a user name fits decides.
    public var users: [UserRule]
    /// Service providers of SAML; none: every one is answered, wherever it wants its answers.
    public var serviceProviders: [ServiceProvider]
    /// Clients of OpenID Connect.
    public var clients: [Client]
    /// What responses and tokens are signed with.
    public var signer: SigningPair

    public init(
        signer: SigningPair, publicURL: String? = nil, users: [UserRule] = [.usual],
        serviceProviders: [ServiceProvider] = [], clients: [Client] = []
    ) {
        self.signer = signer
        self.publicURL = publicURL
        self.users = users
        self.serviceProviders = serviceProviders
        self.clients = clients
    }

    /// A service provider: its entity id, and where its assertion consumer is.
    public struct ServiceProvider: Hashable, Sendable {
        public var entity: String
        public var consumer: String

        public init(entity: String, consumer: String) {
            self.entity = entity
            self.consumer = consumer
        }
    }

    /// A client of OpenID Connect; without a secret it is a public one, which needs PKCE.
    public struct Client: Hashable, Sendable {
        public var id: String
        public var secret: String?
        public var redirect: String

        public init(id: String, secret: String?, redirect: String) {
            self.id = id
            self.secret = secret
            self.redirect = redirect
        }
    }
}

/// Users by rule: names with a number in them, their password, and what becomes of their logins.
public struct UserRule: Hashable, Sendable {
    /// `viewer-{n}`; without `{n}` one user.
    public var name: String
    /// `pw-{n}`.
    public var password: String
    /// Which numbers there are.
    public var numbers: ClosedRange<Int> = 0...Int.max
    /// How long the answer to a password takes.
    public var latency: Distribution?
    /// Share of passwords that are answered with status 500.
    public var errors = 0.0
    /// Share of users whose account is locked from the beginning.
    public var locked = 0.0
    /// Share of users who have an account and are not let in to any service.
    public var denied = 0.0
    /// So many wrong passwords in a row lock the account; nil: none does.
    public var lockout: Int?
    /// For how long they do.
    public var lockoutLasts: Duration = .seconds(900)

    public static let usual = UserRule(name: "viewer-{n}", password: "pw-{n}")

    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    /// The number of a user whom this rule is about; 0 where the rule has no number.
    func number(of user: String) -> Int? {
        guard let hole = name.ranges(of: "{n}").first else { return user == name ? 0 : nil }
        let (start, end) = (name[..<hole.lowerBound], name[hole.upperBound...])
        guard user.utf8.count > start.utf8.count + end.utf8.count, user.hasPrefix(start),
            user.hasSuffix(end)
        else { return nil }
        let digits = user.dropFirst(start.count).dropLast(end.count)
        guard digits.utf8.count <= 18, digits.utf8.allSatisfy({ (48...57).contains($0) }),
            digits == "0" || digits.first != "0", let number = Int(digits),
            numbers.contains(number)
        else { return nil }
        return number
    }

    func password(of number: Int) -> String { password.replacing("{n}", with: "\(number)") }
}
