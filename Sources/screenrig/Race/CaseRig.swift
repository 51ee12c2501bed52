internal import Foundation
internal import Races
internal import Rigs
internal import Signing
internal import Staging

/// The rig that a case carries, with what the command line changes.
struct CaseRig {
    let rig: Rig

    init(
        _ known: Case, _ changes: RigChanges, faults: [String], isVirtual: Bool,
        readsSecrets: Bool, allowed: [String], isTrusted: Bool
    ) throws {
        var overrides = try changes.overrides.map(RigFile.split)
        overrides.append(("seed", String(changes.seed ?? known.seed)))
        _ = try FaultOptions.faults(faults)
        if let faults = FaultOptions.override(faults) { overrides.append(faults) }
        // Another target has none of the stand-in's faults, whatever the case was found on.
        let goesElsewhere = !isVirtual && changes.target != nil && changes.target != "embedded"
        if goesElsewhere, faults.isEmpty { overrides.append(("faults", "[]")) }
        let surroundings = RigSurroundings(
            overrides: overrides,
            target: isVirtual ? .embedded : changes.target.map { .init($0) },
            environment: ProcessInfo.processInfo.environment,
            secrets: readsSecrets ? .resolved : .omitted)
        let trust = CaseTrust(
            target: changes.target, allowed: allowed, overrides: overrides,
            isTrusted: isTrusted || isVirtual || !readsSecrets)
        do {
            let reading = try Rig.read(
                known.rig.source, file: "the rig in \(known.name)", with: surroundings)
            if let objection = trust.objection(to: reading, of: known.name) {
                throw CommandFailure.badInput(objection)
            }
            var read = reading.rig
            // A case may come from elsewhere: whom its requests and their secrets may reach is said here.
            read.target.allow = []
            rig = read
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.badInput("\(error)")
        }
        do { _ = try Assembly.faults(rig) } catch { throw CommandFailure.badInput("\(error)") }
    }
}

extension EmitTarget {
    /// What a script must know of a rig's target. Secrets and the rig's own headers, which may hold
    /// some, are left out.
    init(_ rig: Rig) {
        let home = Plan(rig.racing(phones: 1), seed: rig.seed).household(0)
        let target = rig.target
        let (base, isEmbedded): (String, Bool) =
            switch target.base {
            case .embedded: ("http://127.0.0.1:8080", true)
            case .remote(let origin, let prefix): ("\(origin)\(prefix)", false)
            }
        let isNear = isEmbedded || base.contains("//127.0.0.1") || base.contains("//localhost")
        self.init(
            base: base, requestor: target.requestor, domain: target.domain,
            redirectURL: target.redirectURL, mvpds: target.mvpds.map(\.id),
            resources: target.resources, usesBearer: target.usesBearer,
            forwards: rig.forwardedFor == .perDevice,
            firstInfo: home?.firstScreen.info.header ?? "",
            secondInfo: home?.secondScreens.first?.info.header ?? "",
            demoStatement: isNear ? Signing.demoSoftwareStatement() : "")
    }
}
