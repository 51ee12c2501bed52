internal import Dialects
internal import Formats

/// How a trial stands (rest-v2.md § 11).
struct PassStanding {
    /// When it began; nil: not yet.
    var begun: Int64?
    /// `expiration_date`.
    var end: Int64
    /// Of a promotional one: how many resources are left, and which were had.
    var remaining: Int?
    var assets: [String] = []

    func write(to attributes: inout DocumentWriter) {
        attributes.attribute("expiration_date") { $0.number("value", end) }
        guard let remaining else { return }
        attributes.attribute("remaining_resources") { $0.number("value", Int64(remaining)) }
        attributes.attribute("used_assets") { $0.texts("value", assets) }
    }
}

/// TempPass, basic and promotional (rest-v2.md § 11).
extension Service {
    /// The profile that P2 and P3 show of a trial; before its first authorization nothing has begun (B30).
    mutating func trialProfile(
        _ asker: V2Asker, _ provider: ServiceSettings.Provider, at moment: Moment
    ) throws(V2Error) -> ProfileView {
        let standing = try trial(asker, provider, at: moment)
        if let problem = problem(standing, with: nil, at: moment) { throw problem }
        return ProfileView(
            kind: .temporary, key: asker.device.with(mvpd: provider.id),
            signIn: SignIn(
                mvpd: provider.id,
                user: "temppass_" + ProfileView.digest(asker.device.device, 20),
                started: standing.begun ?? moment.milliseconds, expires: standing.end, serial: 0,
                updated: moment.milliseconds), trial: standing)
    }

    /// Z1: permitted while anything is left; without a promotional trial's header only the device tells
    /// (B35, B51).
    func trialProblem(
        _ asker: V2Asker, _ provider: ServiceSettings.Provider, at moment: Moment
    ) -> V2Error? {
        do throws(V2Error) {
            return problem(
                try trial(asker, provider, at: moment, needsIdentity: false), with: nil, at: moment)
        } catch {
            return error
        }
    }

    /// Z2: a resource is had. The end of the trial, which begins with its first.
    mutating func begin(
        _ resource: String, _ asker: V2Asker, _ provider: ServiceSettings.Provider,
        at moment: Moment
    ) throws(V2Error) -> Int64 {
        let standing = try trial(asker, provider, at: moment)
        if let problem = problem(standing, with: resource, at: moment) { throw problem }
        let names = try names(asker, provider)
        if provider.passResources == nil {
            passes.begin(names[0], at: moment.milliseconds)
        } else {
            passes.permit(resource, of: names, at: moment.milliseconds)
        }
        return standing.end
    }

    /// DELETE at the management host: everybody's trial of a provider, a device's, or that of one who is
    /// named.
    mutating func resetPasses(
        _ question: V2Question, at moment: Moment
    ) throws(V2Error) -> Reply {
        guard let name = question.parameter("requestor_id"), settings.requestor(name) != nil,
            let mvpd = question.parameter("mvpd_id"),
            settings.provider(mvpd)?.isTempPass ?? false
        else { throw V2Error(.mvpd, "'requestor_id' and 'mvpd_id' must name a TempPass") }
        if let bearer = question.request.bearer,
            let own = clients.software(of: bearer, at: moment.milliseconds)?.requestors,
            !own.contains(name)
        {
            throw V2Error(
                .tokenServiceProvider, "The access token does not cover '\(name)'", status: 403)
        }
        let isGeneric = question.route.endpoint == .resetGenericPass
        let key = isGeneric ? question.parameter("key").flatMap { $0 == "all" ? nil : $0 } : nil
        passes.reset(
            requestor: name, mvpd: mvpd,
            device: isGeneric ? nil : question.parameter("device_id"), scope: key)
        return empty(204, at: moment)
    }

    // MARK: How it stands

    private func trial(
        _ asker: V2Asker, _ provider: ServiceSettings.Provider, at moment: Moment,
        needsIdentity: Bool = true
    ) throws(V2Error) -> PassStanding {
        let time = provider.passTime?.wholeMilliseconds ?? 0
        guard time > 0, provider.passResources ?? 1 > 0 else {
            throw V2Error(.trialSetUp, "'\(provider.id)' is not set up as a TempPass")
        }
        let names = try names(asker, provider, needsIdentity: needsIdentity)
        let now = moment.milliseconds
        guard let limit = provider.passResources else {
            let end = passes.end(of: names[0], lasting: time)
            return PassStanding(begun: end.map { $0 - time }, end: end ?? now + time)
        }
        let trial = passes.trial(of: names)
        return PassStanding(
            begun: trial?.begun, end: (trial?.begun ?? now) + time,
            remaining: max(0, limit - (trial?.assets.count ?? 0)), assets: trial?.assets ?? [])
    }

    private func problem(
        _ standing: PassStanding, with resource: String?, at moment: Moment
    ) -> V2Error? {
        guard moment.milliseconds < standing.end else {
            return V2Error(.trialTime, "The temporary access is over")
        }
        // What was had once may be had again (B52).
        if standing.remaining == 0, !(resource.map(standing.assets.contains) ?? false) {
            return V2Error(.trialResources, "The temporary access is used up")
        }
        return nil
    }

    /// By what a trial is known: the device, and of a promotional one its identity besides.
    private func names(
        _ asker: V2Asker, _ provider: ServiceSettings.Provider, needsIdentity: Bool = true
    ) throws(V2Error) -> [PassKey] {
        let device = PassKey(
            requestor: asker.device.requestor, mvpd: provider.id, device: asker.device.device,
            scope: "")
        guard provider.passResources != nil else { return [device] }
        guard let header = asker.trialIdentity,
            let identity = Base64.decode(header), !identity.isEmpty
        else {
            guard !needsIdentity, asker.trialIdentity == nil else {
                throw V2Error(
                    .trialIdentity, "AP-TempPass-Identity must be the Base64 of an identity")
            }
            return [device]
        }
        return [
            device,
            PassKey(
                requestor: asker.device.requestor, mvpd: provider.id, device: "",
                scope: String(decoding: identity, as: UTF8.self)),
        ]
    }
}
