/// The rows about accounts and login pages.
extension RigFormat {
    static let accounts: [Key] = [
        Key(
            "accounts", .either([.words("generated"), .map(accountFile)]), default: "generated",
            "Whom viewers sign in as. generated: viewer-<run>-<n>, so that a token names the "
                + "sign-in that made it. Or {file: accounts.csv}, with the columns mvpd, user, "
                + "password and perhaps user-id."),
        Key(
            "login", .either([.words("auto"), .map(login)]), default: "auto",
            "How the login page is filled in. auto: the one form with a password input. Or "
                + "{form: 1, user: NAME, password: NAME, failed-when: TEXT}, or "
                + "{command: PROGRAM} for pages that need a script or a one-time code."),
        Key(
            "clean-up", .scalar(.flag), example: "true",
            "Log out and delete codes at the end, also after Ctrl-C. By default off loopback only."
        ),
    ]

    static let accountFile: [Key] = [
        Key(
            "file", .scalar(.text), required: true, example: "accounts.csv",
            "The file; refused when others may read it. Cells take ${NAME} and ${file:PATH}."),
        Key(
            "sharing", .words("exclusive", "shared"), default: "exclusive",
            "exclusive: nobody else signs in as a user while a household does. shared: several may."
        ),
        Key(
            "at-once", .scalar(.count(1...1_000_000)), example: "1",
            "Households that may have an account at a time, each from its sign-in to its end. "
                + "exclusive: 1. shared: any number unless given."),
        Key(
            "on-exhausted", .words("wait", "fail"), default: "wait",
            "What a household does that finds no account free."),
        Key(
            "failed-logins", .scalar(.count(1...1_000)), default: "3",
            "After so many failed logins with none that went well between, an account is not used "
                + "again in the run: providers lock accounts."),
    ]

    static let login: [Key] = [
        Key("form", .scalar(.count(1...100)), example: "1", "Number of the form on its page."),
        Key("user", .scalar(.text), example: "username", "Name of the field for the user."),
        Key("password", .scalar(.text), example: "pin", "Name of the field for the password."),
        Key(
            "failed-when", .scalar(.text), example: "is not right",
            "A text of the page that comes when user or password were not taken."),
        Key(
            "command", .scalar(.text), example: "./login.py", alternative: true,
            "A program beside the rig that walks the page: it gets the address and the account as "
                + "JSON, and answers the final form or cookies."),
        Key(
            "timeout", .scalar(.duration), default: "60s", alternative: true,
            "How long the program may take for one login."),
    ]
}
