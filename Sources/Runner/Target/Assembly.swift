package import Devices
internal import Dialects
package import Rigs
internal import Signing
package import Standin
package import Wire

/// A rig in the terms of each part: the one place that knows all of them.
package enum Assembly {
    package static func wire(_ rig: Rig, allowedByCommand: [String]) -> WireSettings {
        let target = rig.target
        return WireSettings(
            connections: rig.connections, http: target.http, engine: target.engine,
            sources: SourceAddresses(rig.sources.map(\.text)), tls: target.tls,
            timeout: target.timeout, responseLimit: target.responseLimit, proxy: target.proxy,
            permission: Permission(
                allowedByRig: target.allow,
                allowedByCommand: allowedByCommand.map { $0.lowercased() },
                named: named(target)),
            pinned: target.pinned.compactMap {
                PinnedAddresses(host: $0.host, addresses: $0.addresses, spread: $0.spread)
            })
    }

    /// Hosts that the rig itself names.
    private static func named(_ target: Target) -> [String] {
        let base: String? =
            if case .remote(let origin, _) = target.base { origin.host } else { nil }
        return [base, WebAddress(target.redirectURL)?.origin.host].compactMap(\.self)
    }

    /// The stand-in that a rig's embedded target asks for.
    package static func service(_ rig: Rig) -> ServiceSettings {
        let terms = rig.standin
        var settings = ServiceSettings(
            requestors: requestors(rig),
            providers: providers(rig), fidelity: terms.isStrict ? .strict : .lenient,
            policies: terms.policies,
            auth: auth(rig), codeTTL: terms.codeLifetime,
            authenticationTTL: terms.authnLifetime,
            authorizationTTL: terms.authzLifetime, mediaTTL: terms.mediaLifetime,
            accessTTL: terms.accessLifetime, deleteOnFirstRetrieve: terms.deletesOnFirstRetrieve,
            signsMedia: terms.signsMedia, enhancedErrors: terms.enhancedErrors,
            hasOpaqueUsers: terms.hasOpaqueUsers,
            providersRemember: terms.providersRemember,
            checksStatements: terms.verifiesStatements, unentitled: terms.unentitled,
            identityKeys: .init(rawValue: terms.identityKeys.rawValue) ?? .demo,
            degradations: terms.degradations.compactMap { term in
                ServiceSettings.Degradation.Rule(rawValue: term.rule.rawValue).map {
                    .init(
                        mvpd: term.mvpd, rule: $0, from: term.from, until: term.until,
                        message: term.message)
                }
            })
        settings.grants.client = rig.target.deviceGrant.client
        settings.grants.secret = rig.target.deviceGrant.secret?.reveal()
        settings.grants.otherClient = rig.target.deviceGrant.otherClient
        settings.grants.otherSecret = rig.target.deviceGrant.otherSecret?.reveal()
        settings.grants.interval = terms.interval
        settings.nodes = terms.nodes
        settings.trustsAnyPlatform = terms.platformKey == .any
        return settings
    }

    private static func auth(_ rig: Rig) -> ServiceSettings.ClientAuth {
        guard let auth = rig.standin.auth else { return rig.target.usesBearer ? .bearer : .none }
        return switch auth {
        case .bearer: .bearer
        case .any: .any
        case .none: .none
        }
    }

    private static func requestors(_ rig: Rig) -> [ServiceSettings.Requestor] {
        let asked = rig.standin.requestors
        var ids: [String] = []
        for id in asked.isEmpty ? rig.applications.map(\.requestor) : asked where !ids.contains(id)
        {
            ids.append(id)
        }
        let domains = rig.standin.domains.isEmpty ? [rig.target.domain] : rig.standin.domains
        return ids.map { .init(id: $0, domains: domains) }
    }

    /// The stand-in's faults as the rig names them.
    package static func faults(_ rig: Rig) throws(RunError) -> [Fault] {
        var problems: [String] = []
        let faults = rig.faults.compactMap { term -> Fault? in
            do throws(FaultError) {
                return try Fault(parsing: term.text)
            } catch {
                problems.append("\(term.place): \(error)")
                return nil
            }
        }
        guard problems.isEmpty else { throw .badInput(problems.joined(separator: "\n")) }
        return faults
    }

    /// Who signs for the platforms of a rig's kinds. Where `program` is nil, in virtual time, there are
    /// no programs: the built-in platform is in their place, with the key that the stand-in in this
    /// process trusts.
    package static func platforms(
        _ rig: Rig, program: ((_ path: String, _ limit: Duration) -> any UserProgram)?
    ) throws(RunError) -> [PlatformSignOn.Signer: Platform] {
        var platforms: [PlatformSignOn.Signer: Platform] = [.demo: demoPlatform]
        for signer in rig.kinds.compactMap({ $0.platform?.signer }) where platforms[signer] == nil {
            switch signer {
            case .demo: break
            case .key(let file):
                platforms[signer] = platform(key: try platformKey(file, of: "platform-sign-on").key)
            case .command(let path, let limit):
                if let program {
                    platforms[signer] = .program(program(path, limit), within: limit + .seconds(30))
                } else {
                    platforms[signer] = platform(key: try platformKey(rig)?.key)
                }
            }
        }
        return platforms
    }

    /// The demo platforms and identity service that say who a device's user is.
    package static func identities(at startedMicroseconds: Int64) -> IdentitySource {
        IdentitySource(
            startedMilliseconds: startedMicroseconds / 1000,
            platformToken: { Secret(DemoIdentities.platformToken(claims: $0)) },
            serviceToken: { Secret(DemoIdentities.serviceToken(claims: $0)) },
            digest: { Hex.encode(SHA256.digest($0)) })
    }

    /// The demo platform, which the stand-in trusts.
    package static let demoPlatform = platform(key: nil)

    private static func platform(key: RSAKey?) -> Platform {
        .builtIn { query in
            do throws(PlatformSAML.Refusal) {
                return .document(
                    try PlatformSAML.response(
                        to: query.verificationToken, provider: query.provider,
                        subject: query.subject, attributes: query.attributes, key: key,
                        at: key == nil ? 0 : WallClock.microseconds / 1000))
            } catch {
                return .refused(code: 5, why: "\(error)")
            }
        }
    }

    /// The stand-in's key of the platform, where the rig names a file.
    package static func platformKey(_ rig: Rig) throws(RunError) -> PlatformKey? {
        guard case .key(let file) = rig.standin.platformKey else { return nil }
        return try platformKey(file, of: "platform-key")
    }

    private static func platformKey(
        _ file: String, of key: String
    ) throws(RunError) -> PlatformKey {
        guard let text = Disk.contents(file) else {
            throw .badInput(
                "\(key): \(file) cannot be read; it must be a file with an RSA key")
        }
        do throws(SigningError) {
            return try PlatformKey(pem: text)
        } catch {
            throw .badInput(
                "\(key): \(file) holds no RSA key (PEM); make one with "
                    + "'openssl genrsa -out \(file) 2048'")
        }
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
        var platform: ServiceSettings.Provider.Platform? =
            switch terms.platform {
            case .none: nil
            case .supported: .init(mappingID: mapping)
            case .picker: .init(mappingID: mapping, boarding: .picker)
            case .hidden: .init(mappingID: mapping, isListed: false)
            case .disabled: .init(mappingID: mapping, isEnabled: false)
            }
        platform?.enabledFor = terms.platformFor
        platform?.refuses = terms.platformRefuses.flatMap { .init(rawValue: $0) }
        var provider = ServiceSettings.Provider(
            id: terms.id, authenticationTTL: terms.authnLifetime,
            offersMetadata: terms.offersMetadata, encryptsZip: terms.encryptsZip,
            passTime: terms.passTime, proxy: terms.proxy, platform: platform,
            integratedFor: terms.integratedFor)
        provider.passResources = terms.passResources
        provider.sharesIdentity = terms.sharesIdentity
        provider.hasLogoutPage = terms.hasLogoutPage
        provider.interstitial =
            switch terms.interstitial {
            case .none: .none
            case .script: .script
            case .refresh: .refresh
            }
        return provider
    }
}
