internal import Dialects
internal import Foundation
internal import Journal
internal import Rigs
internal import Standin
internal import Statistics
internal import Wire

/// A rig in the terms of each part: the one place that knows all of them.
enum Assembly {
    /// The dialect that a rig's target speaks, at `origin` with `prefix` before each path.
    static func dialect(_ target: Target, origin: Origin, prefix: String) -> any Dialect {
        V1(
            origin: origin, prefix: prefix, requestor: target.requestor, domain: target.domain,
            redirectURL: target.redirectURL, format: target.format == .json ? .json : .xml)
    }

    static func wire(_ rig: Rig, allowedByCommand: [String]) -> WireSettings {
        let target = rig.target
        return WireSettings(
            connections: connections(rig.connections),
            http: target.http == .http1 ? .http1 : .http2,
            engine: engine(target.engine), sources: SourceAddresses(rig.sources.map(\.text)),
            tls: WireSettings.TLS(
                verifies: target.tls.verifies, ca: target.tls.ca, caOnly: target.tls.caOnly,
                certificate: target.tls.certificate, key: target.tls.key,
                minimum: target.tls.minimum == .v12 ? .v12 : .v13),
            timeout: target.timeout, responseLimit: target.responseLimit,
            proxy: proxy(target.proxy),
            permission: Permission(
                allowedByRig: target.allow,
                allowedByCommand: allowedByCommand.map { $0.lowercased() }),
            pinned: Politeness.pinned(target.pinned))
    }

    private static func engine(_ engine: Target.Engine) -> WireSettings.Engine {
        switch engine {
        case .auto: .auto
        case .direct: .direct
        case .multi: .multi
        }
    }

    private static func connections(_ connections: Rig.Connections) -> WireSettings.Connections {
        switch connections {
        case .perDevice: .perDevice
        case .pooled: .pooled
        case .fresh: .fresh
        }
    }

    private static func proxy(_ proxy: Target.Proxy) -> WireSettings.Proxy {
        switch proxy {
        case .none: .none
        case .environment: .environment
        case .url(let url): .url(url)
        }
    }

    /// The stand-in that a rig's embedded target asks for.
    static func service(_ rig: Rig) -> ServiceSettings {
        let terms = rig.standin
        var settings = ServiceSettings(
            requestors: [.init(id: rig.target.requestor, domains: [rig.target.domain])],
            fidelity: terms.isStrict ? .strict : .lenient,
            throttle: terms.throttle == .contract ? .init() : nil,
            checksBearer: rig.target.usesBearer, authenticationTTL: terms.authnLifetime,
            authorizationTTL: terms.authzLifetime,
            deleteOnFirstRetrieve: terms.deletesOnFirstRetrieve)
        if !rig.target.mvpds.isEmpty {
            settings.providers = rig.target.mvpds.map { .init(id: $0.id) }
        }
        return settings
    }

    static func recording(_ record: Rig.Recording, seed: Seed) -> Recording {
        switch record {
        case .all: .all
        case .sample(let share): .sample(share, seed: seed.value)
        case .aggregates: .aggregates
        case .none: .none
        }
    }
}
