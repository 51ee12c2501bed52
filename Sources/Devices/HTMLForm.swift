internal import Dialects
internal import Formats

/// A form of a page, as far as submitting it needs: lenient like a browser, for pages of any make.
struct HTMLForm: Hashable {
    struct FormField: Hashable {
        enum Kind: Hashable {
            case hidden, text, password
            /// A box or radio button that is on, or off.
            case checked, unchecked
            /// A list to choose from, with its first or selected choice.
            case choice
            case submit
        }
        var kind: Kind
        var name: String
        var value: String
        /// As written: `email`, `tel`.
        var type = ""
        /// What else tells its purpose: id, autocomplete, placeholder, label; lower case.
        var hint = ""
        var isRequired = false
        /// Of a button: where and how it sends the form, instead of the form's own way.
        var action: String?
        var method: String?

        /// Its names and hints in one, for guesses.
        var words: String { "\(name) \(hint)".lowercased() }

        /// Of a button: what stands on it begins with that word; lower case.
        var says = ""

        /// A button whose whole value or name is a no, or that begins with one.
        var saysNo: Bool {
            ["no", "nein", "non", "false"].contains(value.lowercased())
                || ["no", "nein"].contains(name.lowercased()) || isLabelledNo
        }
        var isLabelledNo: Bool { ["no", "nein", "non"].contains(says) }
        var saysYes: Bool { ["yes", "ja", "oui"].contains(says) }
    }

    /// As written; empty means the page's own address.
    var action: String
    var isPost: Bool
    var fields: [FormField]
    /// Its id, name and class; lower case.
    var hint = ""

    var asksPassword: Bool { fields.contains { $0.kind == .password } }
    /// Whether it asks for the account once more, after `sent` took the password: it has a field for the user, or its
    /// password's name. Where it leads tells nothing, for some servers have one address for all steps.
    func asksAgain(after sent: HTMLForm) -> Bool {
        func passwords(_ form: HTMLForm) -> Set<String> {
            Set(form.fields.lazy.filter { $0.kind == .password }.map(\.name))
        }
        return userField != nil || !passwords(self).isDisjoint(with: passwords(sent))
    }

    /// Nothing to be typed in.
    var isSilent: Bool { !fields.contains { $0.kind == .text || $0.kind == .password } }

    /// The text field for the user: the one whose name says so, else the first of the form.
    var userField: FormField? {
        let texts = fields.lazy.filter { $0.kind == .text && !$0.name.isEmpty }
        return texts.first { Self.namesUser($0.name) }
            ?? texts.first { $0.type == "email" || Self.namesUser($0.hint) } ?? texts.first
    }

    /// The button that a person would press: the first that does not lead away.
    var button: FormField? {
        let buttons = fields.lazy.filter { $0.kind == .submit }
        return buttons.first { !Self.leadsAway($0) } ?? buttons.first
    }

    /// What a browser would send when the user and the password are typed in: hidden fields echoed,
    /// boxes as they are, but those that must be ticked ticked, and the button pressed. A nil is
    /// not typed in. `named` are fields to use instead of those found.
    func filled(
        user: String?, password: String?, named: (user: String?, password: String?) = (nil, nil)
    ) -> [(String, String)] {
        let userName = named.user ?? userField?.name
        let button = button
        return fields.compactMap { field -> (String, String)? in
            guard !field.name.isEmpty else { return nil }
            if let password, field.name == named.password { return (field.name, password) }
            if let user, field.name == userName, field.kind != .submit, field.kind != .password {
                return (field.name, user)
            }
            switch field.kind {
            case .password:
                return (field.name, named.password == nil ? password ?? "" : field.value)
            case .submit: return field == button ? (field.name, field.value) : nil
            case .unchecked:
                let isTicked = field.type == "checkbox" && field.isRequired || Self.isConsent(field)
                return isTicked ? (field.name, field.value) : nil
            case .hidden, .text, .checked, .choice: return (field.name, field.value)
            }
        }
    }

    static func namesUser(_ name: String) -> Bool {
        contains(
            name, ["user", "login", "mail", "account", "identifier", "customer", "subscriber"])
    }

    /// Whether a text holds one of these ASCII words, in any case. The words are lower case.
    static func contains(_ text: String, _ words: [String]) -> Bool {
        !text.isEmpty && contains(text.utf8Span.span, words)
    }

    static func contains(_ text: Span<UInt8>, _ words: [String]) -> Bool {
        for word in words where text.holdsIgnoringCase(word.utf8Span.span) { return true }
        return false
    }

    /// A name or a path, cut to a readable length.
    static func brief(_ text: String) -> String {
        text.utf8.count <= 120 ? text : text.prefix(100) + "..."
    }

    private static func leadsAway(_ button: FormField) -> Bool {
        let words = [
            "cancel", "deny", "decline", "disallow", "reject", "refuse", "back", "forgot", "reset",
            "register", "signup", "abbrechen", "ablehnen", "annuler",
        ]
        return button.saysNo || contains(button.name, words) || contains(button.value, words)
            || contains(button.hint, words)
    }

    /// Whether its names or its address hold one of these ASCII words, in any case.
    func speaks(of words: [String]) -> Bool {
        Self.contains(hint, words) || Self.contains(action, words)
    }

    /// A box that people tick because they must, whether the page says so or not.
    private static func isConsent(_ field: FormField) -> Bool {
        field.type == "checkbox" && contains(field.words, ["agree", "consent", "accept", "terms"])
            && !contains(field.words, ["revoke", "withdraw", "disagree"])
    }
}

// MARK: Reading

extension HTMLForm {
    /// A form's opening tag.
    init(_ tag: HTMLTag, of page: HTMLTags) {
        self.init(
            action: page.value("action", tag) ?? "",
            isPost: page.lowered("method", tag) == "post", fields: [],
            hint: Self.hint(["id", "name", "class"], tag, of: page))
    }

    /// The values of attributes in one, lower case.
    private static func hint(
        _ names: [StaticString], _ tag: HTMLTag, of page: HTMLTags
    ) -> String {
        var hint: String?
        for name in names {
            guard let value = page.value(name, tag) else { continue }
            if let former = hint { hint = former + " " + value } else { hint = value }
        }
        return hint?.lowercased() ?? ""
    }

    static func isField(_ tag: HTMLTag, of page: HTMLTags) -> Bool {
        page.isNamed(tag, "input") || page.isNamed(tag, "button") || page.isNamed(tag, "select")
            || page.isNamed(tag, "textarea")
    }

    /// The field whose tag stands at that position; nil for what is never sent.
    static func field(_ position: Int, of page: HTMLTags) -> FormField? {
        let tag = page.list[position]
        let type = page.lowered("type", tag) ?? ""
        guard !page.has("disabled", tag), let kind = kind(tag, type, of: page) else { return nil }
        let isBox = kind == .checked || kind == .unchecked
        var hint = Self.hint(["id", "autocomplete", "placeholder", "aria-label"], tag, of: page)
        var says = ""
        if page.isNamed(tag, "button") {
            let label = page.words(inside: position).lowercased()
            hint += " " + label
            says = String(label.prefix(while: \.isLetter))
        }
        return FormField(
            kind: kind, name: page.value("name", tag) ?? "",
            value: page.isNamed(tag, "textarea")
                ? sent(page.text(behind: position))
                : page.value("value", tag) ?? (isBox ? "on" : ""), type: type,
            hint: hint, isRequired: page.has("required", tag),
            action: page.value("formaction", tag),
            method: page.value("formmethod", tag), says: says)
    }

    /// What a text area sends of the text between its tags: no newline that begins it, and others as two characters (HTML,
    /// 13.2.6.4.7 and 4.10.22.4).
    private static func sent(_ text: String) -> String {
        let lines = text.split(
            omittingEmptySubsequences: false, whereSeparator: { ["\n", "\r\n", "\r"].contains($0) })
        return (lines.count > 1 && lines[0].isEmpty ? lines.dropFirst() : lines[...])
            .joined(separator: "\r\n")
    }

    private static func kind(
        _ tag: HTMLTag, _ type: String, of page: HTMLTags
    ) -> FormField.Kind? {
        if page.isNamed(tag, "button") { return type.isEmpty || type == "submit" ? .submit : nil }
        guard page.isNamed(tag, "input") else { return .choice }
        switch type {
        case "hidden": return .hidden
        case "password": return .password
        case "submit", "image": return .submit
        case "button", "reset", "file": return nil
        case "checkbox", "radio": return page.has("checked", tag) ? .checked : .unchecked
        default: return .text
        }
    }
}
