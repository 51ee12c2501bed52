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

/// What stands under `login:`, before it is known whether a program does it.
struct LoginKeys {
    var fields = Rig.Login.LoginFields()
    var command: String?
    var limit: Duration = .seconds(60)

    var login: Rig.Login {
        command.map { .command($0, within: limit) } ?? .fields(fields)
    }
}

extension LoginKeys: RigSection {
    static let blank = LoginKeys()
    static let keys: [Key<LoginKeys>] = [
        Key(
            "form", .scalar(.count(1...100)), ifGiven: \.fields.form, example: "1",
            "Number of the form on its page."),
        Key(
            "user", .scalar(.text), ifGiven: \.fields.user, example: "username",
            "Name of the field for the user."),
        Key(
            "password", .scalar(.text), ifGiven: \.fields.password, example: "pin",
            "Name of the field for the password."),
        Key(
            "failed-when", .scalar(.text), ifGiven: \.fields.failedWhen, example: "is not right",
            "Text on the page that reports a wrong user or password."),
        Key(
            "command", .program, ifGiven: \.command, example: "./login.py", alternative: true,
            "Program next to the rig that does the login: it gets the address and the account as "
                + "JSON, and returns the final form or cookies."),
        Key(
            "timeout", .scalar(.duration), into: \.limit, alternative: true,
            "Timeout of the program for one login."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard marks.isWhole else { return }
        if marks.given.isEmpty {
            reader.refuse(
                marks.place,
                "login is empty; write auto, {user: NAME, password: NAME} or {command: PROGRAM}")
        }
        if command == nil, marks.gives("timeout") {
            reader.refuse(
                marks["timeout"].place,
                "timeout is the time limit of a program; add 'command: PROGRAM', or remove it")
        }
        if command != nil, marks.given.contains(where: { !["command", "timeout"].contains($0) }) {
            reader.refuse(
                marks["command"].place,
                "with 'command' the program does the whole login, so other keys have no effect; "
                    + "keep 'command' or the other keys")
        }
    }
}
