internal import Rendering

/// Sign-ins by path, the codes of platform and SDK, and the households that left the platform's path.
enum SignOnSection {
    static func html(_ signOns: SignOns) -> HTML {
        """
        \(lead(signOns))
        \(SignOns.Path.columns.page("Sign-in by path", signOns.paths))
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

    private static func diversions(_ signOns: SignOns) -> HTML {
        guard !signOns.diversions.isEmpty else { return .none }
        return """
            <h3>Diverted households by reason</h3>
            \(SignOns.DiversionCount.columns.page("Diverted households by reason", Array(signOns.diversions.prefix(20))))
            """
    }

    private static func walks(_ walks: [SignOns.Walk]) -> HTML {
        guard !walks.isEmpty else { return .none }
        return """
            <h3>Steps of platform sign-on</h3>
            \(SignOns.Walk.columns.page("Steps of platform sign-on", Array(walks.prefix(20))))
            """
    }

    private static func codes(_ codes: [SignOns.SignOnCode]) -> HTML {
        guard !codes.isEmpty else { return .none }
        return """
            <h3>Codes of SDK and platform</h3>
            \(SignOns.SignOnCode.columns.page("Codes of SDK and platform", codes))
            """
    }
}
