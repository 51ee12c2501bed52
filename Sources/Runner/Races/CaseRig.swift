internal import Dialects
internal import Foundation
package import Races
package import Rigs
internal import Signing

/// The rig that a case carries, with what the command line changes.
package struct CaseRig {
    package let rig: Rig
    /// The case in the steps of the protocol that the rig speaks.
    package let played: Case

    /// `target` and `overrides`: as `--target` and `--set` have them.
    package init(
        _ known: Case, target: String?, overrides changes: [(path: String, value: String)],
        seed: UInt64?, faults: [String], isVirtual: Bool,
        readsSecrets: Bool, allowed: [String], isTrusted: Bool
    ) throws {
        var overrides = changes
        overrides.append(("seed", String(seed ?? known.seed)))
        _ = try FaultOptions.faults(faults)
        if let faults = FaultOptions.override(faults) { overrides.append(faults) }
        // Another target has none of the stand-in's faults, whatever the case was found on.
        let goesElsewhere = !isVirtual && target != nil && target != "embedded"
        if goesElsewhere, faults.isEmpty { overrides.append(("faults", "[]")) }
        let surroundings = RigSurroundings(
            overrides: overrides,
            target: isVirtual ? .embedded : target.map { .init($0) },
            environment: ProcessInfo.processInfo.environment,
            secrets: readsSecrets ? .resolved : .omitted)
        let trust = CaseTrust(
            target: target, allowed: allowed, overrides: overrides,
            isTrusted: isTrusted || isVirtual || !readsSecrets)
        do {
            let reading = try Rig.read(
                known.rig.source, file: "the rig in \(known.name)", with: surroundings)
            if let objection = trust.objection(to: reading, of: known.name) {
                throw RunError.badInput(objection)
            }
            var read = reading.rig
            // A case may come from elsewhere: whom its requests and their secrets may reach is said here.
            read.target.allow = []
            if let spoken = known.spoken { read = read.led(by: spoken) }
            played = try known.translated(to: read.racedProtocol)
            rig = read
        } catch let failure as RunError {
            throw failure
        } catch let errors as RigErrors {
            throw RunError.badInput("\(RigErrors(errors.problems.map(\.ofCase)))")
        } catch {
            throw RunError.badInput("\(error)")
        }
        do { _ = try Assembly.faults(rig) } catch { throw RunError.badInput("\(error)") }
    }
}

extension EmitTarget {
    /// What a script must know of a rig's target. Secrets and the rig's own headers, which may hold
    /// some, are left out.
    package init(_ rig: Rig) {
        let home = Plan(rig.racing(phones: 1), seed: rig.seed).household(0)
        let target = rig.target
        let (base, isEmbedded): (String, Bool) =
            switch target.base {
            case .embedded: ("http://127.0.0.1:8080", true)
            case .remote(let origin, let prefix): ("\(origin)\(prefix)", false)
            }
        let isNear = isEmbedded || base.contains("//127.0.0.1") || base.contains("//localhost")
        self.init(
            base: base, requestor: home?.kind.application?.requestor ?? target.requestor,
            domain: target.domain,
            redirectURL: target.redirectURL, mvpds: target.mvpds.map(\.id),
            resources: target.resources, usesBearer: target.usesBearer,
            forwards: rig.forwardedFor != .none,
            firstInfo: Self.info(of: home?.firstScreen, rig),
            secondInfo: Self.info(of: home?.secondScreens.first, rig),
            demoStatement: isNear ? Signing.demoSoftwareStatement() : "")
        if isNear { demoIdentityKey = DemoIdentities.keyPEM }
        deviceGrant = target.deviceGrant
        firstAgent = home?.firstScreen.userAgent ?? ""
        secondAgent = home?.secondScreens.first?.userAgent ?? ""
        hasBarePhones = home?.secondScreens.first?.style.signs == false
        parameters = home?.firstScreen.style.parameters ?? [:]
    }

    /// `X-Device-Info` as the rig's protocol writes it.
    private static func info(of device: DeviceIdentity?, _ rig: Rig) -> String {
        guard let device else { return "" }
        let dialect = rig.racedProtocol.dialect(
            at: Origin(scheme: .http, host: "target"), requestor: rig.target.requestor,
            domain: rig.target.domain, redirectURL: rig.target.redirectURL)
        let call = dialect.configuration(Credential(device: device, bearer: nil))
        return call?.headers["X-Device-Info"] ?? ""
    }
}
