import Journal
import Testing

/// access-enabler-sdk.md § 10, rule by rule: a history that keeps it, and one that breaks it.
@Suite("The order of the SDK's callbacks")
struct CallbackOrderTests {
    /// `name detail` in order.
    private static func events(_ texts: [String]) -> [DeviceEvent] {
        let device = DeviceID(household: 1, role: .firstScreen)
        return texts.enumerated().map { position, text in
            let words = text.split(separator: " ", maxSplits: text.hasPrefix("call ") ? 2 : 1)
            let isCall = text.hasPrefix("call ")
            let name = isCall ? "call \(words[1])" : String(words[0])
            let detail = words.count > (isCall ? 2 : 1) ? String(words[isCall ? 2 : 1]) : ""
            return DeviceEvent(
                device: device, sequence: position + 1, at: .start, name: name, detail: detail)
        }
    }

    private static let start = ["call setRequestor", "setRequestorComplete 1"]

    @Test(
        "whole lives that keep it",
        arguments: [
            start + [
                "call checkAuthentication", "sendTrackingData TRACKING_AUTHENTICATION",
                "setAuthenticationStatus 0 USER_NOT_AUTHENTICATED_ERROR", "call getAuthentication",
                "status N005", "displayProviderDialog A,B", "call setSelectedProvider A",
                "status REGCODE", "setAuthenticationStatus 1", "call checkAuthorization r",
                "setToken r", "call logout",
                "setAuthenticationStatus 0 USER_NOT_AUTHENTICATED_ERROR",
            ],
            start + [
                "call getAuthentication", "presentTVProviderDialog", "dismissTVProviderDialog",
                "call setSelectedProvider A", "navigateToUrl login", "call handleExternalURL",
                "setAuthenticationStatus 1", "call logout", "status VSA203", "navigateToUrl logout",
                "call handleExternalURL", "setAuthenticationStatus 0 X",
            ],
            start + [
                "call getAuthorization r", "displayProviderDialog A",
                "call setSelectedProvider null",
                "status N005", "setAuthenticationStatus 0 PROVIDER_NOT_SELECTED_ERROR",
                "tokenRequestFailed r X",
            ],
            ["call setRequestor", "status CFG429", "setRequestorComplete 0"] + start,
            ["sign-on path 1-2-10", "platform prompt denied"],
            // The silent exchange failed: the app signs in regularly, without asking again.
            start + [
                "call getAuthentication", "setAuthenticationStatus 0 GENERIC_AUTHENTICATION_ERROR",
                "call setSelectedProvider A", "navigateToUrl login", "call handleExternalURL",
                "setAuthenticationStatus 1",
            ],
        ])
    func kept(names: [String]) {
        #expect(CallbackOrder.breaches(of: Self.events(names)) == [])
    }

    @Test(
        "each rule broken",
        arguments: [
            (
                [
                    "call setRequestor", "call checkAuthentication", "setAuthenticationStatus 0 X",
                    "setRequestorComplete 1",
                ], "rule 1"
            ),
            (
                start + [
                    "call getAuthentication", "presentTVProviderDialog", "displayProviderDialog A",
                    "call setSelectedProvider null", "setAuthenticationStatus 0 X",
                ], "rule 2"
            ),
            (start + ["dismissTVProviderDialog"], "rule 2"),
            (start + ["presentTVProviderDialog"], "rule 2"),
            (
                start + [
                    "call getAuthentication", "displayProviderDialog A", "navigateToUrl login",
                    "setAuthenticationStatus 1",
                ], "rule 3"
            ),
            (
                start + [
                    "call getAuthentication", "displayProviderDialog A",
                    "setAuthenticationStatus 1",
                ], "rule 3"
            ),
            (
                start + [
                    "call getAuthentication", "displayProviderDialog A",
                    "call setSelectedProvider A", "navigateToUrl login", "status REGCODE",
                    "setAuthenticationStatus 1",
                ], "rule 3"
            ),
            (start + ["call checkAuthentication"], "rule 4"),
            (start + ["setAuthenticationStatus 1"], "rule 4"),
            (
                start + [
                    "call checkAuthentication", "setAuthenticationStatus 1",
                    "setAuthenticationStatus 1",
                ], "rule 4"
            ),
            (start + ["call checkAuthorization r"], "rule 5"),
            (
                start + ["call checkAuthorization r", "setToken r", "tokenRequestFailed r X"],
                "rule 5"
            ),
            (
                start + [
                    "call getAuthentication", "status N005", "status VSA503",
                    "displayProviderDialog A", "call setSelectedProvider A", "status REGCODE",
                    "setAuthenticationStatus 1",
                ], "section 4"
            ),
        ])
    func broken(names: [String], rule: String) {
        let found = CallbackOrder.breaches(of: Self.events(names))
        #expect(!found.isEmpty && found.allSatisfy { $0.sentence.contains(rule) }, "\(found)")
    }

    @Test("a run that was cut short owes nothing")
    func cutShort() {
        let events = Self.events(Self.start + ["call getAuthentication"])
        #expect(CallbackOrder.breaches(of: events, hasEnded: false) == [])
    }
}
