import Dialects
import Rigs
import Standin

/// The stand-in of a rig, put together as the executable does it.
enum RigService {
    /// The stand-in that a rig's embedded target asks for.
    static func settings(_ rig: Rig) -> ServiceSettings {
        let terms = rig.standin
        return ServiceSettings(
            requestors: [.init(id: rig.target.requestor, domains: [rig.target.domain])],
            providers: providers(rig), fidelity: terms.isStrict ? .strict : .lenient,
            throttle: terms.policies.throttle.map(Self.throttle),
            checksBearer: rig.target.usesBearer, authenticationTTL: terms.authnLifetime,
            authorizationTTL: terms.authzLifetime, mediaTTL: terms.mediaLifetime,
            accessTTL: terms.accessLifetime, deleteOnFirstRetrieve: terms.deletesOnFirstRetrieve,
            signsMedia: terms.signsMedia, enhancedErrors: terms.enhancedErrors,
            policies: policies(terms.policies), providersRemember: terms.providersRemember,
            checksStatements: terms.verifiesStatements)
    }

    private static func throttle(_ rule: Policies.Throttle) -> ServiceSettings.ThrottleRule {
        let seconds = rule.rate.perSecond > 0 ? 1 / rule.rate.perSecond : 86_400 * 365
        return .init(every: .nanoseconds(Int64((seconds * 1e9).rounded())), burst: rule.burst)
    }

    private static func policies(_ held: Policies) -> ServiceSettings.Policies {
        ServiceSettings.Policies(
            codeReuse: held.codeReuse == .single ? .single : .untilExpiry,
            newCode: held.newCode == .replace ? .replace : .keep,
            secondSignIn: held.secondSignIn == .replace ? .replace : .reject,
            mediaReuse: held.mediaReuse == .never ? .never : .untilExpiry,
            goneDecays: held.goneDecays)
    }

    private static func providers(_ rig: Rig) -> [ServiceSettings.Provider] {
        let own = rig.standin.providers
        if own.isEmpty, rig.target.mvpds.isEmpty { return ServiceSettings().providers }
        guard own.isEmpty else { return own.map(provider) }
        return rig.target.mvpds.map { provider(Rig.StandinTerms.Provider(id: $0.id)) }
            + [.tempPass()]
    }

    private static func provider(
        _ terms: Rig.StandinTerms.Provider
    ) -> ServiceSettings.Provider {
        let mapping = "platform-\(terms.id)"
        let platform: ServiceSettings.Provider.Platform? =
            switch terms.platform {
            case .none: nil
            case .supported: .init(mappingID: mapping)
            case .picker: .init(mappingID: mapping, boarding: .picker)
            case .hidden: .init(mappingID: mapping, isListed: false)
            }
        return ServiceSettings.Provider(
            id: terms.id, authenticationTTL: terms.authnLifetime,
            offersMetadata: terms.offersMetadata, encryptsZip: terms.encryptsZip,
            passTime: terms.passTime, proxy: terms.proxy, platform: platform)
    }
}
