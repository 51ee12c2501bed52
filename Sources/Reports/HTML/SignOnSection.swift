internal import Rendering

/// Sign-ins by path, the codes of platform and SDK, and the households that left the platform's path.
enum SignOnSection {
    static func html(_ signOns: SignOns) -> HTML {
        """
        \(lead(signOns))
        \(paths(signOns.paths))
        \(diversions(signOns))
        \(walks(signOns.walks))
        \(codes(signOns.codes))
        """
    }

    private static func lead(_ signOns: SignOns) -> HTML {
        let counts = [
            (signOns.prompts, "permission prompt"), (signOns.pickers, "platform picker"),
            (signOns.silentRelogins, "silent relogin"),
        ].filter { $0.0 > 0 }.map { Figures.counted($0.0, $0.1) }
        let sentence = signOns.diversionSentence.map {
            "\($0.prefix(1).uppercased())\($0.dropFirst()). "
        }
        let shown = counts.isEmpty ? "" : "Shown: \(counts.joined(separator: ", ")). "
        return """
            <p class="lead">\(sentence ?? "")\(shown)Times are for the first sign-in of a household: from its \
            code, or on the platform from the first request.</p>
            """
    }

    private static func paths(_ paths: [SignOns.Path]) -> HTML {
        let time = { (spread: Spread?, value: KeyPath<Spread, Double>) -> HTML in
            guard let spread else { return "–" }
            let number = spread[keyPath: value]
            return .number(number, shown: Figures.time(milliseconds: number))
        }
        return Table(
            caption: "Sign-in by path",
            columns: [
                .text("Path"), .number("Households"), .number("Sign-ins"), .number("p50"),
                .number("p95"), .number("max"), .number("Service p95"),
            ],
            rows: paths.map { path in
                [
                    "\(path.name)", count(path.households), count(path.signIns),
                    time(path.time, \.p50), time(path.time, \.p95), time(path.time, \.max),
                    time(path.service, \.p95),
                ]
            }, isSortable: true
        ).html
    }

    private static func diversions(_ signOns: SignOns) -> HTML {
        guard !signOns.diversions.isEmpty else { return .none }
        return """
            <h3>Diverted households by reason</h3>
            \(Table(
                caption: "Diverted households by reason",
                columns: [
                    .text("Reason"), .text("Signed in"), .number("Households"), .text("Example"),
                ],
                rows: signOns.diversions.prefix(20).map { diversion in
                    [
                        "<span class=\"wrap\">\(diversion.reason)</span>", "\(diversion.phrase)",
                        count(diversion.households), "household \(diversion.example)",
                    ]
                }, isSortable: true
            ).html)
            """
    }

    private static func walks(_ walks: [SignOns.Walk]) -> HTML {
        guard !walks.isEmpty else { return .none }
        return """
            <h3>Steps of platform sign-on</h3>
            \(Table(
                caption: "Steps of platform sign-on",
                columns: [.text("Steps"), .number("Households"), .text("Example")],
                rows: walks.prefix(20).map {
                    ["\($0.steps)", count($0.households), "household \($0.example)"]
                }, isSortable: true
            ).html)
            """
    }

    private static func codes(_ codes: [SignOns.SignOnCode]) -> HTML {
        guard !codes.isEmpty else { return .none }
        return """
            <h3>Codes of SDK and platform</h3>
            \(Table(
                caption: "Codes of SDK and platform",
                columns: [
                    .text("Code"), .text("Meaning"), .number("Times"), .number("Households"),
                    .text("Example"),
                ],
                rows: codes.map {
                    [
                        "\($0.name)", "<span class=\"wrap\">\($0.meaning)</span>", count($0.times),
                        count($0.households), "household \($0.example)",
                    ]
                }, isSortable: true
            ).html)
            """
    }

    private static func count(_ number: Int) -> HTML {
        .number(Double(number), shown: Figures.count(number))
    }
}
