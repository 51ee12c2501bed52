/// The rows about accounts and login pages.
extension RigFormat {
    static let accounts: [Key] = [
        Key(
            "accounts", .either([.words("generated"), .map(accountFile)]), default: "generated",
            "Accounts that viewers sign in with. generated: viewer-<run>-<n>, so that a token "
                + "names its sign-in. Or {file: accounts.csv}, with the columns mvpd, user, "
                + "password and optionally user-id."),
        Key(
            "login", .either([.words("auto"), .map(login)]), default: "auto",
            "How the login page is filled in. auto: the only form with a password field. Or "
                + "{form: 1, user: NAME, password: NAME, failed-when: TEXT}, or {command: "
                + "PROGRAM} for pages that need a script or a one-time code."),
        Key(
            "clean-up", .scalar(.flag), example: "true",
            "Log out and delete codes at the end, also after Ctrl-C. Default: true off loopback."
        ),
    ]

    static let accountFile: [Key] = [
        Key(
            "file", .scalar(.text), required: true, example: "accounts.csv",
            "The file; it must not be readable by other users. Cells may contain ${NAME} and "
                + "${file:PATH}."),
        Key(
            "sharing", .words("exclusive", "shared"), default: "exclusive",
            "exclusive: one household at a time uses an account. shared: several may."
        ),
        Key(
            "at-once", .scalar(.count(1...1_000_000)), example: "1",
            "Households that may use an account concurrently, each from its sign-in to its end. "
                + "exclusive: 1. shared: unlimited by default."),
        Key(
            "on-exhausted", .words("wait", "fail"), default: "wait",
            "What a household does if no account is free."),
        Key(
            "failed-logins", .scalar(.count(1...1_000)), default: "3",
            "After this many consecutive failed logins an account is not used again in the run, "
                + "because providers lock accounts."),
    ]

    static let login: [Key] = [
        Key("form", .scalar(.count(1...100)), example: "1", "Number of the form on its page."),
        Key("user", .scalar(.text), example: "username", "Name of the field for the user."),
        Key("password", .scalar(.text), example: "pin", "Name of the field for the password."),
        Key(
            "failed-when", .scalar(.text), example: "is not right",
            "Text on the page that reports a wrong user or password."),
        Key(
            "command", .scalar(.text), example: "./login.py", alternative: true,
            "Program next to the rig that does the login: it gets the address and the account as "
                + "JSON, and returns the final form or cookies."),
        Key(
            "timeout", .scalar(.duration), default: "60s", alternative: true,
            "Timeout of the program for one login."),
    ]
}
