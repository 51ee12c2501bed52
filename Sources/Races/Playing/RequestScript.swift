internal import Devices
internal import Dialects
internal import Rigs
internal import Vocabulary

/// One op as a request of the dialect.
struct RequestScript {
    let op: Schedule.Op
    let terms: RunConfiguration
    let dialect: any Dialect
    /// The code that it is about; nil where there is none.
    let code: IssuedCode?

    func issuedCode() throws(DrivenHousehold.Refusal) -> IssuedCode {
        guard let code else { throw .failed("no code was issued for '\(op.id)'") }
        return code
    }

    /// The op's provider: `provider` counts those that the rig names, or else those on offer. The last
    /// stands in for those beyond.
    func provider(of offered: [Provider]) throws(DrivenHousehold.Refusal) -> Provider {
        let number = Int(op[arg: "provider"] ?? "0") ?? 0
        let usable = offered.filter { !$0.isTempPass }
        let named = terms.ownProviders.compactMap { wanted in usable.first { $0.id == wanted.id } }
        let choices = named.isEmpty ? usable : named
        guard !choices.isEmpty else {
            throw .failed(
                "the service's configuration offers no "
                    + "provider for '\(op.id)'; name one under target.mvpds")
        }
        return choices[min(number, choices.count - 1)]
    }

    /// The provider that its request names by itself; nil: that of the last sign-in (rest-v2.md § 2).
    func named(of offered: [Provider]?) throws(DrivenHousehold.Refusal) -> Provider? {
        guard let offered, op.namesProvider else { return nil }
        guard let number = op[arg: "pass"].flatMap({ Int($0) }) else {
            return try provider(of: offered)
        }
        let passes = offered.filter(\.isTempPass)
        guard passes.indices.contains(number) else {
            throw .failed(
                "the service's configuration offers \(passes.count) TempPass providers, and "
                    + "'\(op.id)' names number \(number + 1)")
        }
        return passes[number]
    }

    /// Nil where nobody chooses one.
    func login(by offered: [Provider]?) throws(DrivenHousehold.Refusal) -> Provider? {
        if let offered { try provider(of: offered) } else { nil }
    }

    func loginStart(
        _ providers: [Provider]?, _ credential: Credential
    ) throws(DrivenHousehold.Refusal) -> Call? {
        let provider = try login(by: providers)
        return dialect.authenticate(try issuedCode(), mvpd: provider?.id, credential)
    }

    /// Everything that needs no browser and no platform; nil where the protocol has no such thing, or
    /// the request names a provider and the credential has none.
    func call(
        _ credential: Credential, lifetime: Duration?
    ) throws(DrivenHousehold.Refusal) -> Call? {
        switch op.step {
        case .registrationCode:
            return dialect.issueCode(
                credential, lifetime: lifetime ?? terms.code.lifetime, mvpd: nil)
        // With a provider it would be none where somebody is signed in (rest-v2.md § 5.2).
        case .createSession:
            var asked = credential
            if !op.namesProvider { asked.mvpd = nil }
            return dialect.call(.createSession, about: Subject(), asked)
        // A TV that shows no code knows what it knows without one.
        case .profilesByCode where code == nil:
            return dialect.poll(nil, terms.polling.target, credential)
        case .pollToken, .deviceToken:
            return dialect.poll(code, terms.polling.target, credential)
        case .otherClientToken, .otherClientRefresh, .otherClientRevocation:
            var other = credential
            other.isOfOtherClient = true
            return switch op.step {
            case .otherClientToken: dialect.poll(code, terms.polling.target, other)
            case .otherClientRefresh: dialect.call(.refreshToken, about: Subject(), other)
            default: dialect.call(.revocation, about: Subject(), other)
            }
        default:
            return try op.step.operation.flatMap { operation throws(DrivenHousehold.Refusal) in
                dialect.call(operation, about: try subject(of: operation), credential)
            }
        }
    }

    var lack: DrivenHousehold.Refusal {
        .failed("the protocol has no operation \(op.step.rawValue)")
    }

    private func subject(
        of operation: OperationName
    ) throws(DrivenHousehold.Refusal) -> Subject {
        Subject(
            code: operation.has(.aboutCode) || operation == .profilesByCode
                ? try issuedCode().code : nil,
            resources: operation.has(.aboutResource) ? [try resource()] : terms.resources)
    }

    private func resource() throws(DrivenHousehold.Refusal) -> String {
        let number = Int(op[arg: "resource"] ?? "0") ?? 0
        guard terms.resources.indices.contains(number) else {
            throw .failed("target.resources has no entry \(number)")
        }
        return terms.resources[number]
    }
}
