extension Rig {
    /// What the rig has this machine run, in words: each program or command, when, and how it is started.
    package var commands: [String] {
        let events = events.compactMap { event in
            event.run.map { command in
                Self.command(
                    "\(event.name), \(PlanEstimate.time(event.at)) after the load begins", command,
                    usesShell: event.usesShell, within: event.timeout)
            }
        }
        let login = login.command.map {
            Self.command("each login page", $0, within: self.login.limit)
        }
        let platforms = kinds.compactMap { kind -> String? in
            guard case .command(let program, let limit)? = kind.platform?.signer else { return nil }
            return Self.command("platform sign-on of '\(kind.name)'", program, within: limit)
        }
        return (events + (login.map { [$0] } ?? []) + platforms).map(hidingSecrets)
    }

    /// A text of the rig's own, such as a command, without what its `${...}` stand for.
    package func hidingSecrets(_ text: String) -> String {
        secrets.map { $0.reveal() }.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
            .reduce(text) { $0.replacing($1, with: "(secret)") }
    }

    private static func command(
        _ when: String, _ command: String, usesShell: Bool = false, within limit: Duration
    ) -> String {
        "\(when): \(command) (\(usesShell ? "by /bin/sh" : "without a shell"), at most "
            + "\(PlanEstimate.time(limit)); not in virtual time)"
    }
}
