/// The ordering contract of the AccessEnabler's callbacks (access-enabler-sdk.md § 10), held against
/// the events of one household: pure, so that it can judge any recorded history.
///
/// Calls stand in a history as `call getAuthentication`, callbacks by their names. `status` codes are
/// asynchronous: only their count and kind are part of the contract (rule 6).
public enum CallbackOrder {
    /// One breach of the contract.
    public struct ContractBreach: Sendable, Hashable, CustomStringConvertible {
        /// The event at which it showed; nil where something never came.
        public var event: DeviceEvent?
        /// What was wrong, and against which rule.
        public var sentence: String

        /// The sentence, with the number of its event.
        public var description: String {
            event.map { "event \($0.sequence): \(sentence)" } ?? sentence
        }
    }

    /// Each breach, in the order of the events; empty where the contract was kept, and for
    /// households without an SDK. `hasEnded` is false where the run was cut short: then what is
    /// still owed is no breach.
    public static func breaches(of events: [DeviceEvent], hasEnded: Bool = true) -> [ContractBreach]
    {
        var contract = Contract()
        for event in events.sorted(by: { $0.sequence < $1.sequence }) { contract.take(event) }
        if hasEnded { contract.close() }
        return contract.breaches
    }

    /// Whether the contract speaks of that event: a call of an SDK, or one of its callbacks.
    public static func governs(_ event: DeviceEvent) -> Bool {
        event.name.hasPrefix("call ") || event.name == "status" || Contract.isCallback(event.name)
    }

    private struct Contract {
        private(set) var breaches: [ContractBreach] = []
        private var hasCompleted = false
        private var isConfiguring = false
        /// Statuses owed to checkAuthentication, getAuthentication, getAuthorization and logout.
        private var owed = 0
        private var owedAuthorizations = 0
        private var hasDialog = false
        /// Since the app's picker was shown.
        private var login = LoginContract.none
        private var fallbackCodes = 0

        private enum LoginContract { case none, shown, selected, navigated }

        private static let fallbacks: Set<String> = [
            "VSA403", "VSA404", "VSA503", "N003", "N004", "N005",
        ]

        mutating func take(_ event: DeviceEvent) {
            if event.name.hasPrefix("call ") {
                called(String(event.name.dropFirst(5)), event)
            } else {
                answered(event)
            }
        }

        mutating func close() {
            if owed > 0 { miss("\(owed) setAuthenticationStatus never came (rule 4)") }
            if owedAuthorizations > 0 {
                miss("\(owedAuthorizations) authorizations were never answered (rule 5)")
            }
            if hasDialog { miss("dismissTVProviderDialog never came (rule 2)") }
        }

        private mutating func miss(_ sentence: String) {
            breaches.append(ContractBreach(event: nil, sentence: sentence))
        }

        private mutating func called(_ name: String, _ event: DeviceEvent) {
            switch name {
            case "setRequestor": isConfiguring = true
            case "getAuthentication":
                owed += 1
                fallbackCodes = 0
                login = .none
            case "checkAuthentication", "logout": owed += 1
            case "checkAuthorization": owedAuthorizations += 1
            case "getAuthorization":
                owedAuthorizations += 1
                fallbackCodes = 0
            case "setSelectedProvider":
                // Without a dialog it is the app's own, for a provider that was known before.
                login = event.detail == "null" ? .none : .selected
                // And a login that nothing else has asked for: it ends in a status of its own.
                if event.detail != "null", owed == 0, owedAuthorizations == 0 { owed += 1 }
            default: break
            }
        }

        private mutating func answered(_ event: DeviceEvent) {
            if event.name == "status" { return status(event) }
            guard Self.isCallback(event.name) else { return }
            if event.name == "setRequestorComplete" {
                if !isConfiguring { breach(event, "without a setRequestor (rule 1)") }
                isConfiguring = false
                hasCompleted = event.detail == "1" || hasCompleted
                return
            }
            if isConfiguring || !hasCompleted {
                breach(event, "before setRequestorComplete (rule 1)")
            }
            if hasDialog, event.name != "dismissTVProviderDialog" {
                breach(event, "while the platform's picker is open (rule 2)")
            }
            switch event.name {
            case "presentTVProviderDialog": hasDialog = true
            case "dismissTVProviderDialog":
                if !hasDialog { breach(event, "without presentTVProviderDialog (rule 2)") }
                hasDialog = false
            case "displayProviderDialog":
                login = .shown
                if fallbackCodes > 1 {
                    breach(event, "with \(fallbackCodes) advanced codes, not one (section 4)")
                }
            case "navigateToUrl", "navigateToUrl:useSVC":
                if event.detail == "login" { navigated(event) }
            case "setAuthenticationStatus": status(of: event)
            case "setToken", "tokenRequestFailed":
                owedAuthorizations -= 1
                if owedAuthorizations < 0 {
                    owedAuthorizations = 0
                    breach(event, "without an authorization call (rule 5)")
                }
            default: break
            }
        }

        private mutating func status(_ event: DeviceEvent) {
            if Self.fallbacks.contains(event.detail) { fallbackCodes += 1 }
            if event.detail == "REGCODE" { navigated(event) }
        }

        /// `navigateToUrl` xor `navigateToUrl:useSVC` xor `REGCODE`.
        private mutating func navigated(_ event: DeviceEvent) {
            switch login {
            case .shown: breach(event, "before setSelectedProvider (rule 3)")
            case .navigated: breach(event, "a second time for one login (rule 3)")
            case .none, .selected: break
            }
            login = .navigated
        }

        private mutating func status(of event: DeviceEvent) {
            if login == .shown { breach(event, "while the app's picker is open (rule 3)") }
            login = .none
            owed -= 1
            if owed < 0 {
                // getAuthorization may bring a login along, which has a status of its own.
                owed = 0
                if owedAuthorizations == 0 {
                    breach(event, "without a call that asks for it (rule 4)")
                }
            }
        }

        private mutating func breach(_ event: DeviceEvent, _ sentence: String) {
            breaches.append(
                ContractBreach(event: event, sentence: "\(event.name) came \(sentence)"))
        }

        /// Side channels and events that are not the SDK's.
        static func isCallback(_ name: String) -> Bool {
            switch name {
            case "setRequestorComplete", "setAuthenticationStatus", "displayProviderDialog",
                "navigateToUrl", "navigateToUrl:useSVC", "presentTVProviderDialog",
                "dismissTVProviderDialog", "setToken", "tokenRequestFailed", "setMetadataStatus",
                "preauthorizedResources", "selectedProvider":
                true
            default: false
            }
        }
    }
}
