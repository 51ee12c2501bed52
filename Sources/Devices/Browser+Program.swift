internal import Dialects
internal import Lanes
internal import Rigs
internal import Vocabulary

/// Logins that a program of the user's continues (`login: {command: PROGRAM}`).
extension Household {
    /// Lets the user's program continue the login. Its time counts as the viewer's own.
    @inline(never)
    func ask(
        _ program: any UserProgram, shown page: HTMLPage, _ walk: LoginWalk
    ) async throws(StopReason) {
        walk.hasAskedProgram = true
        let address = walk.call.address
        let device = walk.person.browser.device
        let question = LoginQuestion(
            address: address, account: walk.person.account, provider: walk.provider ?? "",
            code: walk.code, cookies: device.cookies.header(for: address) ?? "",
            userAgent: device.identity.userAgent, page: page.html)
        let began = lane.now
        let answer = try await answer(
            of: program, to: question.json, within: terms.loginLimit)
        if !walk.person.isSecond { noteViewerTime(since: began) }
        switch answer {
        case .failed(let reason): throw .failed("the login program \(reason)")
        case .output(let text): try follow(text, from: address, walk)
        }
    }

    private func follow(
        _ text: String, from address: WebAddress, _ walk: LoginWalk
    ) throws(StopReason) {
        let reply: LoginReply
        do throws(LoginReply.Refusal) {
            reply = try LoginReply.read(text, for: address)
        } catch {
            throw .failed("the login program \(error.reason)")
        }
        switch reply {
        case .turnedDown(let words):
            throw turnedDown("the login program says '\(words)'", nil, nil, walk)
        case .go(let next):
            var headers = Headers()
            for cookie in next.cookies {
                headers.append("Set-Cookie", "\(cookie.name)=\(cookie.value); Path=/")
            }
            walk.person.browser.device.cookies.store(headers, from: address)
            let fields = next.form.map { $0.map { ($0.name, $0.value) } }
            walk.progress = LoginProgress(
                hasSentUser: true, hasSentPassword: true, isByProgram: true)
            walk.call = dialect.hop(
                fields == nil ? .get : .post, next.address, form: fields ?? [], referer: address)
            if fields == nil { walk.target = next.address }
        }
    }
}

extension FormFinder.Step {
    /// Whether a person has to type or decide, so that the page does not pass by itself.
    var asksSomebody: Bool {
        switch self {
        case .send(let entry): !entry.isSilent
        case .follow, .ended: false
        case .turnedDown, .stuck: true
        }
    }
}
