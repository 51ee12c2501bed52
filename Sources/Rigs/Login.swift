extension Rig {
    /// How a provider's login page is filled in.
    public enum Login: Sendable, Hashable {
        /// The one form with a password input.
        case auto
        case fields(LoginFields)
        /// This program walks the page in the rig's place, and may take so long.
        case command(String, within: Duration)

        /// What the rig says about a login page; what is nil is found.
        public struct LoginFields: Sendable, Hashable {
            /// Number of the form on its page, from 1.
            public var form: Int?
            /// Names of the two fields.
            public var user: String?
            public var password: String?
            /// A text of the page that comes when user or password were not taken.
            public var failedWhen: String?

            public init(
                form: Int? = nil, user: String? = nil, password: String? = nil,
                failedWhen: String? = nil
            ) {
                self.form = form
                self.user = user
                self.password = password
                self.failedWhen = failedWhen
            }
        }

        /// What the rig says about the page itself.
        public var fields: LoginFields {
            if case .fields(let fields) = self { fields } else { LoginFields() }
        }

        public var command: String? {
            if case .command(let program, _) = self { program } else { nil }
        }

        /// How long a program may take for one login.
        public var limit: Duration {
            if case .command(_, let limit) = self { limit } else { .zero }
        }
    }
}
