import Dialects
import Journal
import Rigs
import Testing

@testable import Devices

private let now = Instant(nanoseconds: 1_000_000_000_000)
private let later = now + .seconds(60)
private let earlier = Instant(nanoseconds: 1)

private func provider(
    _ id: String, _ mapping: String = "", boarding: Provider.PlatformTerms.Boarding? = .supported,
    isEnabled: Bool = true, isListed: Bool = true
) -> Provider {
    Provider(
        id: id, displayName: id,
        platform: .init(
            isEnabled: isEnabled, boarding: boarding, isListed: isListed, mappingID: mapping))
}

private let providers = [
    provider("DemoCable", "m-cable"), provider("DemoSat", "m-sat", boarding: .picker),
    provider("Twin", "m-sat"), Provider(id: "Plain", displayName: "Plain"),
]

@Suite("Step 5 reads what the platform's picker brought")
struct PickerFindingTests {
    struct Row: CustomTestStringConvertible {
        var name: String
        var metadata: AccountMetadata?
        var error: AccountError?
        var finding: PickerFinding
        var testDescription: String { name }
    }

    /// The rows of apple-sso.md § 2.
    static let rows = [
        Row(
            name: "id present, fresh",
            metadata: AccountMetadata(providerID: .named("m-cable"), expires: later),
            finding: .signedIn(.named("m-cable"))),
        Row(
            name: "id present, no expiry (G4)",
            metadata: AccountMetadata(providerID: .named("m-cable")),
            finding: .signedIn(.named("m-cable"))),
        Row(
            name: "id present, expired",
            metadata: AccountMetadata(providerID: .named("m-cable"), expires: earlier),
            finding: .ownPicker),
        Row(
            name: "id present, expires this instant (G3)",
            metadata: AccountMetadata(providerID: .named("m-cable"), expires: now),
            finding: .ownPicker),
        Row(name: "nothing at all", finding: .ownPicker),
        Row(
            name: "another error, though the key is there",
            error: AccountError(.userCancelled, unsupportedProvider: .text("m-sat")),
            finding: .ownPicker),
        Row(
            name: "1 without the key", error: AccountError(.unsupportedProvider),
            finding: .ownPicker),
        Row(
            name: "1 with something that is no text",
            error: AccountError(.unsupportedProvider, unsupportedProvider: .other),
            finding: .ownPicker),
        Row(
            name: "1 with an id that maps: the first match of the list",
            error: AccountError(.unsupportedProvider, unsupportedProvider: .text("m-sat")),
            finding: .preselected("DemoSat")),
        Row(
            name: "1 with an id that maps to nothing",
            error: AccountError(.unsupportedProvider, unsupportedProvider: .text("M-SAT")),
            finding: .ownPicker),
    ]

    @Test("each row of the table", arguments: rows)
    func row(row: Row) {
        let result = MetadataResult(metadata: row.metadata, error: row.error)
        #expect(PickerFinding(result, at: now, providers: providers) == row.finding)
    }

    @Test(
        "the lists of the configuration",
        arguments: [
            (provider("a", "m"), true, true), (provider("a", "m", isListed: false), false, false),
            (provider("a", "m", boarding: .picker), true, false),
            (provider("a", "m", isEnabled: false), false, false), (provider("a", ""), false, false),
            (provider("a", "m", boarding: nil), true, false),
            (Provider(id: "a", displayName: "a"), false, false),
        ])
    func lists(provider: Provider, isOffered: Bool, isCapable: Bool) {
        #expect([provider].supportedOnPlatform.count == (isOffered ? 1 : 0))
        #expect([provider].signOnCapable.count == (isCapable ? 1 : 0))
    }
}

@Suite("The virtual account framework")
struct SubscriberAccountsTests {
    private func accounts(
        _ script: PlatformSignOn, cancelsLogin: Bool = false
    ) -> SubscriberAccounts {
        var accounts = SubscriberAccounts(
            script, own: .ofProvider("DemoCable"), subject: "viewer", cancelsLogin: cancelsLogin,
            at: now)
        accounts.learn(providers)
        return accounts
    }

    private static let supported = ["m-cable", "m-sat"]
    private static let token = MetadataRequest.VerificationToken(bytes: [1, 2], received: now)

    /// apple-sso.md § 3.2.
    @Test(
        "only what is undetermined prompts, and an answer stays",
        arguments: [
            (
                PlatformSignOn.Access.granted, PlatformSignOn.Prompt.deny, AccountAccess.granted,
                false
            ),
            (.denied, .allow, .denied, false), (.restricted, .allow, .restricted, false),
            (.undetermined, .allow, .granted, true), (.undetermined, .deny, .denied, true),
            (.undetermined, .ignore, .notDetermined, true),
        ])
    func prompts(
        access: PlatformSignOn.Access, prompt: PlatformSignOn.Prompt, status: AccountAccess,
        hasPrompted: Bool
    ) {
        var accounts = accounts(PlatformSignOn(access: access, prompt: prompt))
        let before = accounts.access
        let silent = accounts.checkAccessStatus(prompts: false)
        #expect(silent.access == before && !silent.hasPrompted)
        let asked = accounts.checkAccessStatus(prompts: true)
        #expect(asked.access == status && asked.hasPrompted == hasPrompted)
        let again = accounts.checkAccessStatus(prompts: true)
        #expect(again.access == status && again.hasPrompted == (status == .notDetermined))
    }

    /// The rows of apple-sso.md § 3.4 that end in an error.
    @Test(
        "what it cannot answer has its code",
        arguments: [
            (
                "no permission", PlatformSignOn(access: .denied), true,
                AccountError.Code.accessNotGranted
            ),
            ("out of order", PlatformSignOn(error: 6), false, .rejected),
            ("nobody, and no picker", PlatformSignOn(account: .none), false, .providerRejected),
            ("cancelled", PlatformSignOn(account: .none, picker: .cancel), true, .userCancelled),
            ("other", PlatformSignOn(account: .none, picker: .other), true, .unsupportedProvider),
            (
                "only listed", PlatformSignOn(account: .none, picker: .choose("DemoSat")), true,
                .unsupportedProvider
            ),
            (
                "not offered", PlatformSignOn(account: .none, picker: .choose("Plain")), true,
                .unsupportedProvider
            ),
        ])
    func errors(
        name: String, script: PlatformSignOn, isInteractive: Bool, code: AccountError.Code
    ) {
        var accounts = accounts(script)
        let request: MetadataRequest =
            isInteractive ? .interactive(supported: Self.supported) : .silent
        let result = accounts.enqueue(request, at: now, vouching: nil)
        #expect(result.error?.code == code && result.metadata == nil)
        let hasKey = result.error?.unsupportedProvider == .text("m-sat")
        #expect(hasKey == (name == "only listed"))
    }

    @Test("a fresh account is told silently; one that ran out is told with its past, or asked for")
    func accountStates() {
        var fresh = accounts(PlatformSignOn())
        let told = fresh.enqueue(.silent, at: now, vouching: nil)
        #expect(told.metadata?.provider(at: now) == .ofProvider("DemoCable"))
        var expired = accounts(PlatformSignOn(account: .expired))
        let past = expired.enqueue(.silent, at: now, vouching: nil)
        #expect(past.metadata?.providerID != nil && past.metadata?.provider(at: now) == nil)
        let renewed = expired.enqueue(
            .interactive(supported: Self.supported), at: now, vouching: nil)
        #expect(renewed.hasShownPicker && renewed.hasLoggedIn)
        #expect(renewed.metadata?.provider(at: now) == .named("m-cable"))
        #expect(expired.account?.provider == .named("m-cable"), "the account is stored")
    }

    @Test("whoever turns back at the login has cancelled")
    func cancelledLogin() {
        var accounts = accounts(PlatformSignOn(account: .none), cancelsLogin: true)
        let result = accounts.enqueue(
            .interactive(supported: Self.supported), at: now, vouching: nil)
        #expect(result.error?.code == .userCancelled && accounts.account == nil)
    }

    @Test("it vouches with the provider's platform name, the viewer and the attributes asked for")
    func vouching() {
        var accounts = accounts(PlatformSignOn())
        let request = MetadataRequest.vouching(attributes: ["zip"], Self.token)
        let result = accounts.enqueue(request, at: now + .seconds(300)) { query in
            #expect(
                query
                    == AttributeQuery(
                        verificationToken: [1, 2], provider: "m-cable", subject: "viewer",
                        attributes: ["zip"]))
            return "<xml/>"
        }
        #expect(result.metadata?.attributeResponse == "<xml/>")
    }

    @Test("a token that is old or forged is error 5, and without a signer nothing is supported")
    func tokens() {
        var accounts = accounts(PlatformSignOn())
        let request = MetadataRequest.vouching(attributes: [], Self.token)
        let old = accounts.enqueue(request, at: now + .seconds(301)) { _ in "<xml/>" }
        #expect(old.error?.code == .invalidVerificationToken)
        let forged = accounts.enqueue(request, at: now) { _ in nil }
        #expect(forged.error?.code == .invalidVerificationToken)
        let nobody = accounts.enqueue(request, at: now, vouching: nil)
        #expect(nobody.error?.code == .unsupported)
    }

    @Test("scripted errors occur where they can", arguments: AccountError.Code.allCases)
    func scripted(code: AccountError.Code) {
        var accounts = accounts(PlatformSignOn(error: code.rawValue))
        let requests: [(MetadataRequest, Bool)] = [
            (
                .silent,
                ![.unsupportedProvider, .userCancelled, .invalidVerificationToken].contains(code)
            ),
            (.interactive(supported: Self.supported), code != .invalidVerificationToken),
            (
                .vouching(attributes: [], Self.token),
                ![.unsupportedProvider, .userCancelled].contains(code)
            ),
        ]
        for (request, fails) in requests {
            let result = accounts.enqueue(request, at: now) { _ in "<xml/>" }
            #expect((result.error?.code == code) == fails)
        }
    }

    @Test("permission can be taken back at any time, and then nothing is told")
    func withdrawn() {
        var accounts = accounts(PlatformSignOn())
        accounts.withdrawPermission()
        #expect(accounts.checkAccessStatus(prompts: true).access == .denied)
        let result = accounts.enqueue(.silent, at: now, vouching: nil)
        #expect(result.error?.code == .accessNotGranted)
    }
}
