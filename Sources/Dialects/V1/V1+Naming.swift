/// Names of V1 that programs and remedies go by.
extension V1 {
    /// rest-v1.md § 8: N1 turns down what is not registered.
    public static func blames(_ setting: AppSetting, in words: String) -> Bool {
        let signs =
            switch setting {
            case .requestor: ["requestor"]
            case .domain: ["domain"]
            case .provider: ["integration", "mvpd", "mso"]
            case .redirectURL: ["redirect"]
            }
        return signs.contains { words.contains($0) }
    }

    public static func provider(askedBy call: Call) -> String? {
        call.address.written("mso_id").map(String.init)
    }

    public static let script: ScriptTerms? = ScriptTerms(
        user: ["userId"], provider: ["mvpd"], expires: ["expires"], code: ["code"],
        absent: [403, 404, 410, 412], assertion: "SAMLResponse",
        providers: ["requestor", "mvpds"], providerItem: "mvpd")
}
