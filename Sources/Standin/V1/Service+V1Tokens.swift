internal import Dialects

/// Whether somebody is signed in: N2, N3, N4 (rest-v1.md §§ 9, 10).
extension Service {
    /// N2: 200 iff the code is bound, not expired, not deleted, and that sign-in's token lives.
    mutating func checkCode(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        guard try boundSignIn(question, at: moment) != nil else { throw .forbidden }
        return empty(200, at: moment)
    }

    /// The live sign-in that a code led to, with its key.
    func boundSignIn(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> (DeviceKey, SignIn)? {
        let requestor = try question.required("requestor")
        guard let key = CodeKey(question.route.code),
            let record = codes.live(key, of: requestor, at: moment.milliseconds),
            case .bound(let serial) = record.state,
            let signIn = tokens.live(record.device, serial: serial, at: moment.milliseconds)
        else { return nil }
        return (record.device, signIn)
    }

    /// N3.
    mutating func checkAuthentication(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        switch tokens.find(device, at: moment.milliseconds) {
        case .live(let signIn) where signIn.isInvalidated:
            return reply(.sessionInvalidated, question, at: moment)
        case .live: return empty(200, at: moment)
        case .expired: return reply(.tokenExpired, question, at: moment)
        case .none: return reply(.noToken, question, at: moment)
        }
    }

    /// N4, what first screens poll.
    mutating func pollToken(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        switch tokens.find(device, at: moment.milliseconds) {
        case .expired: return reply(.gone, question, at: moment)
        case .none: return reply(.notFound, question, at: moment)
        case .live(let signIn): return show(signIn, of: device, question, at: moment)
        }
    }

    /// What some first screens poll instead, by their code: the answer of N4 once the sign-in that it led to is
    /// there, and 404 before, after it, and for a code that is over (observed.md).
    mutating func pollByCode(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        guard let (device, signIn) = try boundSignIn(question, at: moment) else {
            return reply(.notFound, question, at: moment)
        }
        return show(signIn, of: device, question, at: moment)
    }

    private mutating func show(
        _ signIn: SignIn, of device: DeviceKey, _ question: V1Question, at moment: Moment
    ) -> Reply {
        if settings.deleteOnFirstRetrieve, let code = signIn.code,
            let record = codes.live(code, at: moment.milliseconds),
            record.state == .bound(serial: signIn.serial)
        {
            codes.delete(code)
        }
        // `expires` is a string here (A21).
        let proxy = settings.provider(signIn.mvpd)?.proxy
        return reply(200, root: "authentication", question, at: moment) {
            $0.text("requestor", device.requestor)
            $0.text("mvpd", signIn.mvpd)
            $0.text("userId", signIn.user)
            $0.text("expires", String(signIn.expires))
            if let proxy { $0.text("proxyMvpd", proxy) }
        }
    }
}
