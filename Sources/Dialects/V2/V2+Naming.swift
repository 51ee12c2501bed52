/// Names of V2 that programs and remedies go by.
extension V2 {
    /// The codes of § 12.2, and what services were seen to write beside them (§ 18).
    public static func blames(_ setting: AppSetting, in words: String) -> Bool {
        let signs =
            switch setting {
            case .requestor: ["service_provider", "service provider", "requestor"]
            case .domain: ["domain"]
            case .provider:
                ["integration", "parameter_mvpd", "mvpd", "does not exist or is disabled"]
            case .redirectURL: ["redirect"]
            }
        return signs.contains { words.contains($0) }
    }

    /// Of a session; the login's own address names none.
    public static func provider(askedBy call: Call) -> String? { call.mvpd }

    /// §§ 5.2, 6, 7: an empty map is nobody, and a denial an item of a decision.
    public static let script: ScriptTerms? = ScriptTerms(
        user: ["profiles", "*", "attributes", "userID", "value"], provider: ["profiles", "#"],
        expires: ["profiles", "*", "notAfter"], code: ["code"], absent: [403], map: ["profiles"],
        permit: ["decisions", "*", "authorized"], assertion: "SAMLResponse",
        providers: ["requestor", "mvpds"])
}
