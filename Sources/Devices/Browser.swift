internal import Dialects
internal import Journal
internal import Lanes

/// The login as a browser walks it: each redirect and each form is an exchange of its own, cookies
/// are the device's, hidden fields are echoed (rest-v1.md § 8).
extension Household {
    /// From the start of the login to the return to the app.
    func walkLogin(_ code: Code, provider: String) async throws(Halt) {
        let credential = Credential(device: phone.device.identity, bearer: phone.token?.bearer)
        var call = terms.dialect.authenticate(code, mvpd: provider, credential)
        var hasLoggedIn = false
        for _ in 0..<terms.maxHops {
            call.code = code
            let answered = try await insist(call, phone)
            switch answered.answer {
            case .redirect(let address):
                if terms.dialect.isReturn(address) {
                    record.phoneDone = answered.exchange.ended
                    return try judgeReturn(address)
                }
                call = terms.dialect.hop(.get, address, form: [], referer: call.address)
            case .page(let html):
                let form = try chooseForm(html, shownAt: call.address)
                if form.asksPassword {
                    if hasLoggedIn {
                        throw .failed("the provider's login page came back after the password")
                    }
                    hasLoggedIn = true
                    try await human(plan.viewer.signsIn)
                }
                call = submission(of: form, shownAt: call.address)
            default: throw .refused(answered)
            }
        }
        throw .failed("the login did not end within \(terms.maxHops) hops (target.max-hops)")
    }

    /// `?error=access_denied` on the way back: turned down (§ 5, § 8).
    private func judgeReturn(_ address: WebAddress) throws(Halt) {
        guard !address.query.isEmpty else { return }
        for field in address.query.split(separator: "&") where field.hasPrefix("error=") {
            throw .failed("the login came back with \(field)")
        }
    }

    /// The one form to go on with: that with a password, else the only one there is.
    private func chooseForm(_ html: String, shownAt address: WebAddress) throws(Halt) -> HTMLForm {
        let forms = HTMLForm.all(in: html)
        if let login = forms.first(where: \.asksPassword) { return login }
        let candidates = forms.filter { $0.isPost || !$0.fields.isEmpty }
        guard candidates.count == 1, let only = candidates.first else {
            throw .failed(
                "the page at \(address.origin)\(address.path) has \(candidates.count) forms and none asks for a password"
            )
        }
        return only
    }

    private func submission(of form: HTMLForm, shownAt address: WebAddress) -> Call {
        let fields = form.filled(user: plan.account.user, password: plan.account.password.reveal())
        let target = address.resolving(form.action) ?? address
        if form.isPost { return terms.dialect.hop(.post, target, form: fields, referer: address) }
        let query = FormEncoding.fields(fields)
        let asked = WebAddress(origin: target.origin, target: "\(target.path)?\(query)")
        return terms.dialect.hop(.get, asked, form: fields, referer: address)
    }
}
