internal import Dialects
internal import Signing

/// Media tokens: Z5, and the verifier that a programmer runs (rest-v1.md § 11).
extension Service {
    /// Z5: a new one each time, unless the policy says otherwise.
    mutating func mediaToken(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let resource = try resource(question)
        let finding = tokens.find(device, at: moment.milliseconds)
        guard case .live(let signIn) = finding else {
            throw .notAuthenticated(finding, at: .mediaToken)
        }
        guard let authorized = signIn.authorizations[resource.key], moment.milliseconds < authorized
        else { throw .notAuthorized }
        let media = mediaToken(device, signIn, resource.key, at: moment)
        // `mvpdId` here, not `mvpd` (§ 11).
        return reply(200, root: "play", question, at: moment) {
            $0.text("resource", resource.sent)
            $0.text("requestor", device.requestor)
            $0.text("expires", String(media.expires))
            $0.text("serializedToken", media.text)
            $0.text("userId", signIn.user)
            $0.text("mvpdId", signIn.mvpd)
        }
    }

    private mutating func mediaToken(
        _ device: DeviceKey, _ signIn: SignIn, _ resource: String, at moment: Moment
    ) -> SignIn.MediaToken {
        let now = moment.milliseconds
        let isReused = settings.policies.mediaReuse == .untilExpiry
        if isReused, let former = signIn.media[resource], now < former.expires { return former }
        let ttl = settings.mediaTTL.wholeMilliseconds
        let text = media.token(
            session: ids.record(), device: device, signIn: signIn,
            proxy: settings.provider(signIn.mvpd)?.proxy ?? "", resource: resource, issued: now,
            ttl: ttl)
        counters.mediaTokens += 1
        let token = SignIn.MediaToken(text: text, expires: now + ttl)
        if isReused { tokens.keep(token, for: resource, of: device) }
        return token
    }
}
