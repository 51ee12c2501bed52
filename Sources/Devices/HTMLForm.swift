internal import Dialects

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
    }

    /// As written; empty means the page's own address.
    var action: String
    var isPost: Bool
    var fields: [FormField]
    /// Its id, name and class; lower case.
    var hint = ""

    var asksPassword: Bool { fields.contains { $0.kind == .password } }
    /// Nothing to be typed in.
    var isSilent: Bool { !fields.contains { $0.kind == .text || $0.kind == .password } }

    /// The text field for the user: the one whose name says so, else the first of the form.
    var userField: FormField? {
        let texts = fields.filter { $0.kind == .text && !$0.name.isEmpty }
        return texts.first { Self.namesUser($0.name) }
            ?? texts.first { $0.type == "email" || Self.namesUser($0.hint) } ?? texts.first
    }

    /// The button that a person would press: the first that does not lead away.
    var button: FormField? {
        let buttons = fields.filter { $0.kind == .submit }
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
        var text = text
        return text.withUTF8 { bytes in
            words.contains { word in
                var word = word
                return word.withUTF8 { holds(bytes, $0) }
            }
        }
    }

    private static func holds(
        _ text: UnsafeBufferPointer<UInt8>, _ word: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let first = word.first, text.count >= word.count else { return false }
        for start in 0...(text.count - word.count) where lower(text[start]) == first {
            var length = 1
            while length < word.count, lower(text[start + length]) == word[length] { length += 1 }
            if length == word.count { return true }
        }
        return false
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
    }

    private static func leadsAway(_ button: FormField) -> Bool {
        contains(
            "\(button.name) \(button.value) \(button.hint)",
            [
                "cancel", "deny", "decline", "reject", "back", "forgot", "reset", "register",
                "signup",
            ]
        )
    }

    /// A box that people tick because they must, whether the page says so or not.
    private static func isConsent(_ field: FormField) -> Bool {
        field.type == "checkbox" && contains(field.words, ["agree", "consent", "accept", "terms"])
            && !contains(field.words, ["revoke", "withdraw", "disagree"])
    }
}

// MARK: Reading

extension HTMLForm {
    /// Every form of a page, in order. Comments and scripts do not count.
    static func all(in html: String) -> [HTMLForm] { HTMLPage(html).forms }

    /// A form's opening tag.
    init(_ tag: HTMLTag) {
        self.init(
            action: tag["action"] ?? "", isPost: tag["method"]?.lowercased() == "post", fields: [],
            hint: Self.hint(tag, ["id", "name", "class"]))
    }

    /// The values of these attributes in one, lower case.
    private static func hint(_ tag: HTMLTag, _ names: [String]) -> String {
        var hint: String?
        for name in names {
            guard let value = tag[name] else { continue }
            if let former = hint { hint = former + " " + value } else { hint = value }
        }
        return hint?.lowercased() ?? ""
    }

    /// A field's tag; nil for what is never sent.
    static func field(_ tag: HTMLTag) -> FormField? {
        guard tag["disabled"] == nil else { return nil }
        let type = tag["type"]?.lowercased() ?? ""
        var field = FormField(
            kind: .text, name: tag["name"] ?? "", value: tag["value"] ?? "", type: type,
            hint: Self.hint(tag, ["id", "autocomplete", "placeholder", "aria-label"]),
            isRequired: tag["required"] != nil, action: tag["formaction"],
            method: tag["formmethod"])
        switch (tag.name, type) {
        case ("button", "submit"), ("button", ""), ("input", "submit"), ("input", "image"):
            field.kind = .submit
        case ("button", _), ("input", "button"), ("input", "reset"), ("input", "file"): return nil
        case ("select", _), ("textarea", _): field.kind = .choice
        case ("input", "hidden"): field.kind = .hidden
        case ("input", "password"): field.kind = .password
        case ("input", "checkbox"), ("input", "radio"):
            field.kind = tag["checked"] == nil ? .unchecked : .checked
            field.value = tag["value"] ?? "on"
        default: break
        }
        return field
    }
}
