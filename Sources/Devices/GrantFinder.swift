internal import Dialects
internal import Journal
internal import Rigs

/// How far a person has come in the pages of a device grant.
struct GrantProgress {
    /// The person says no in the end.
    var refuses = false
    var hasEnteredCode = false
    var hasMistypedCode = false
    /// The field that the code was typed into.
    var codeField: String?
    /// The decision was sent, and its answer came then.
    var decision: (ended: Instant, result: Observation.Result)?
    /// Where the forms of its decisions led.
    var decided: Set<String> = []
    /// Pages that ask for a decision at most: each leads elsewhere.
    static let decisions = 3
}

/// Decides what a page of a device grant asks of the person: the code, the decision, or nothing that has
/// to do with either (RFC 8628, 3.3). Pure, so that it is tested page by page.
struct GrantFinder {
    enum Step {
        /// The code goes into that field.
        case enter(HTMLForm, field: String)
        /// The person approves or refuses by that button; nil: by the form's own.
        case decide(HTMLForm, button: HTMLForm.FormField?)
        /// The page for the code came back after the code was sent.
        case turnedDown(Untrusted)
        case stuck(Untrusted)
        /// The page is one of a login.
        case other
    }

    let page: HTMLPage
    let pages: GrantPages
    let progress: GrantProgress
    /// As a person types it.
    var code = ""
    /// It is the page that the server names for the code (verification_uri).
    var isForCode = false
    /// A login was sent: a one-time code may be part of it.
    var isAfterLogin = false

    var step: Step {
        if page.forms.contains(where: \.asksPassword) { return .other }
        if let (form, field) = filledIn { return .enter(form, field: field) }
        if let (form, field) = codeForm {
            guard !progress.hasEnteredCode else {
                let notice = page.notice
                let said: Untrusted = notice.isEmpty ? "" : ": '\(notice)'"
                return .turnedDown(
                    progress.codeField == nil
                        ? "the page that verification_uri_complete leads to asks for the code, which should be in that link\(said)"
                        : "the page that asks for the code came back after it was sent\(said)")
            }
            return .enter(form, field: field)
        }
        return decision
    }

    /// The page that a decision led to asks for what was not asked for yet: the code, or a decision that leads elsewhere. What
    /// was decided was a provider's consent to the login, of which RFC 8628 says nothing.
    func asksNext(at address: WebAddress) -> Bool {
        switch step {
        case .enter: !progress.hasEnteredCode
        case .decide(let form, let button):
            progress.decided.count < GrantProgress.decisions
                && !progress.decided.contains(form.path(of: button, at: address))
        case .turnedDown, .stuck, .other: false
        }
    }

    /// Whether the page asks for a code or for a decision: then nothing has been decided.
    var asksAgain: Bool {
        switch step {
        case .enter, .decide, .turnedDown: true
        case .stuck, .other: false
        }
    }

    // MARK: The code

    /// The link had the code in it, and the page asks the person to compare and to send it (RFC 8628, 3.3.1).
    private var filledIn: (HTMLForm, String)? {
        guard progress.hasEnteredCode, progress.codeField == nil, !code.isEmpty else { return nil }
        for form in page.forms {
            let field = form.fields.first {
                $0.kind == .text && !$0.name.isEmpty && $0.value.isSameCode(as: code)
            }
            if let field { return (form, field.name) }
        }
        return nil
    }

    private var codeForm: (HTMLForm, String)? {
        for form in page.forms {
            let texts = form.fields.filter { $0.kind == .text && !$0.name.isEmpty }
            let named = texts.first { Self.namesCode($0.name) }
            if let named = named
                ?? (texts.count == 1 ? texts.first { Self.namesCode($0.hint) } : nil)
            {
                return (form, named.name)
            }
        }
        return loneField
    }

    /// The only text of the page for the code is the code, whatever its name: `pin`, `otp`. It is also the page
    /// that comes back after a wrong one.
    private var loneField: (HTMLForm, String)? {
        let asking = page.forms.compactMap { form -> (HTMLForm, String)? in
            let texts = form.fields.filter { $0.kind == .text && !$0.name.isEmpty }
            guard texts.count == 1, form.isPost, let field = texts.first, field.type != "email",
                !HTMLForm.namesUser(field.words),
                !(isAfterLogin && HTMLForm.contains(field.words, Self.oneTime))
            else { return nil }
            return (form, field.name)
        }
        guard asking.count == 1, let (form, name) = asking.first else { return nil }
        return isForCode && !progress.hasEnteredCode || name == progress.codeField
            ? (form, name) : nil
    }

    /// What the second step of a login asks for.
    private static let oneTime = ["otp", "one-time", "2fa", "mfa", "sms", "authenticator"]

    /// `user_code`, `userCode`, `code`; and not a one-time code.
    private static func namesCode(_ name: String) -> Bool {
        HTMLForm.contains(name, ["code"])
            && !HTMLForm.contains(name, ["otp", "zip", "post", "promo"])
    }

    // MARK: The decision

    private var decision: Step {
        let wanted = progress.refuses ? pages.refuseButton : pages.approveButton
        for form in page.forms where form.isSilent {
            let buttons = form.fields.filter { $0.kind == .submit }
            if let wanted {
                if let button = buttons.first(where: { $0.written == wanted }) {
                    return .decide(form, button: button)
                }
                // A choice among radio buttons, sent by a button that says nothing.
                if let choice = form.fields.first(where: { $0.isRadio && $0.written == wanted }) {
                    return .decide(form.choosing(choice), button: form.button)
                }
                // A form for each decision, which a hidden field tells.
                if form.fields.contains(where: { $0.kind == .hidden && $0.written == wanted }) {
                    return .decide(form, button: form.button)
                }
                continue
            }
            let says = buttons.filter { Self.refuses($0.words + " " + $0.value.lowercased()) }
            if progress.refuses {
                let isAsked = Self.approves(form, buttons)
                let no = buttons.first { $0.isLabelledNo || isAsked && $0.saysNo }
                if let button = says.first ?? no { return .decide(form, button: button) }
                if Self.refuses("\(form.hint) \(form.action)") {
                    return .decide(form, button: buttons.first)
                }
            } else if !says.isEmpty || Self.approves(form, buttons) {
                let others = buttons.filter { !says.contains($0) && !$0.saysNo }
                if !others.isEmpty { return .decide(form, button: others.first) }
            }
        }
        guard progress.hasEnteredCode, progress.decision == nil,
            page.forms.contains(where: { $0.isPost && $0.isSilent })
        else { return .other }
        return .stuck(reason(wanted))
    }

    private func reason(_ wanted: String?) -> Untrusted {
        let deed = progress.refuses ? "refuse" : "approve"
        let named = page.forms.filter(\.isSilent).flatMap(\.fields).filter { !$0.name.isEmpty }
        let buttons = named.filter { $0.kind == .submit || $0.isRadio }
        // Where each form is a decision, a hidden field may tell which: a word that they do not share, and no token.
        let words = named.filter { field in
            field.kind == .hidden && !field.value.isEmpty && field.value.count <= 20
                && field.value.allSatisfy(\.isLetter)
                && named.contains { $0.name == field.name && $0.value != field.value }
        }
        let fields = (buttons.isEmpty ? words : buttons)
            .prefix(Self.mostListed).map { "'\(HTMLForm.brief($0.written))'" }
            .joined(separator: ", ")
        let listed: Untrusted =
            !buttons.isEmpty
            ? "; it has \(fields)"
            : "; it has no button or radio button with a name"
                + (fields.isEmpty
                    ? "; where nothing but the address of a form tells, give the requests of the phone instead "
                        + "(target.device-grant.phone)"
                    : ", and the hidden fields \(fields)")
        guard let wanted else {
            return
                "asks for a decision, and none of its buttons is known to \(ours: deed)\(listed); name the button, "
                + "the radio button to choose, or a hidden field of the form, with target.device-grant: "
                + "{\(ours: deed)-button: \"NAME=VALUE\"}"
        }
        return
            "asks for a decision, and has no button or radio button '\(ours: wanted)' (target.device-grant."
            + "\(ours: deed)-button)\(listed); write one of its own as NAME=VALUE"
    }

    /// Buttons that a message lists.
    private static let mostListed = 6

    private static func approves(_ form: HTMLForm, _ buttons: [HTMLForm.FormField]) -> Bool {
        guard !refuses("\(form.hint) \(form.action)") else { return false }
        return buttons.contains { button in
            button.saysYes
                || HTMLForm.contains(
                    button.words + " " + button.value.lowercased(),
                    ["approve", "accept", "allow", "authorize", "confirm", "grant", "consent"])
        }
    }

    private static func refuses(_ words: String) -> Bool {
        HTMLForm.contains(
            words,
            [
                "deny", "denied", "refuse", "reject", "decline", "cancel", "disallow", "don't",
                "don’t",
                "do not", "not now",
            ])
    }
}

extension String {
    /// Whatever its case, and the signs between its groups.
    fileprivate func isSameCode(as other: String) -> Bool {
        func plain(_ text: String) -> String {
            text.uppercased().filter { $0.isLetter || $0.isNumber }
        }
        return plain(self) == plain(other)
    }
}

extension HTMLForm.FormField {
    /// `action=accept`, as a rig names it.
    fileprivate var written: String { "\(name)=\(value)" }

    fileprivate var isRadio: Bool {
        type == "radio" && (kind == .checked || kind == .unchecked) && !name.isEmpty
    }
}

extension HTMLForm {
    /// Where the form leads, without its query.
    func path(of button: FormField?, at page: WebAddress) -> String {
        let target = page.resolving(button?.action ?? action) ?? page
        return "\(target.origin)\(target.path)"
    }

    /// The form with this radio button on, and the others of its name off.
    fileprivate func choosing(_ choice: FormField) -> HTMLForm {
        var form = self
        for position in form.fields.indices
        where form.fields[position].isRadio && form.fields[position].name == choice.name {
            form.fields[position].kind = form.fields[position] == choice ? .checked : .unchecked
        }
        return form
    }

    /// What a browser would send when `field` has `value` typed in, hidden fields echoed.
    func filled(_ field: String, with value: String) -> [(String, String)] {
        filled(user: value, password: nil, named: (field, nil))
    }

    /// What a browser would send when that button is pressed.
    func pressed(_ button: FormField?) -> [(String, String)] {
        fields.compactMap { field -> (String, String)? in
            guard !field.name.isEmpty else { return nil }
            switch field.kind {
            case .submit: return field == button ? (field.name, field.value) : nil
            case .unchecked:
                return field.type == "checkbox" && field.isRequired
                    ? (field.name, field.value) : nil
            case .hidden, .text, .checked, .choice, .password: return (field.name, field.value)
            }
        }
    }
}
