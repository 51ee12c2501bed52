internal import Dialects

/// A page, as far as a browser without script has to understand it.
struct HTMLPage {
    let html: String
    let forms: [HTMLForm]
    /// Of `<base href>`, as written.
    let base: String?
    /// Where `<meta http-equiv=refresh>` leads, as written, and after how many seconds.
    let refresh: (seconds: Int, target: String)?
    /// What its forms are sent in; nil: UTF-8.
    let charset: Charset?
    /// Fields that belong to no form: only a script can send them.
    let strayFields: [HTMLForm.FormField]
    /// Of what it has more than is read, as `has more than 5000 fields`: then no form, field or refresh
    /// of it is known.
    let excess: String?
    private let tags: HTMLTags
    /// Where each form begins.
    private let formPlaces: [Int]

    init(_ html: String) {
        self.html = html
        tags = HTMLTags(html)
        var reading = PageReading(excess: tags.excess)
        for position in tags.list.indices where reading.excess == nil {
            reading.take(position, of: tags)
        }
        excess = reading.excess
        if excess != nil { reading = PageReading() }
        reading.close()
        forms = reading.forms
        base = reading.base
        refresh = reading.refresh
        charset = reading.charset.flatMap { Charset(label: $0) }.flatMap { $0.isOfForms ? $0 : nil }
        formPlaces = reading.formPlaces
        strayFields = reading.strays.filter { $0.kind == .text || $0.kind == .password }
    }

    /// Forms as they open and close, with fields that name theirs by id.
    private struct PageReading {
        var forms: [HTMLForm] = []
        var base: String?
        var refresh: (seconds: Int, target: String)?
        var charset: String?
        var strays: [HTMLForm.FormField] = []
        var excess: String?
        private(set) var formPlaces: [Int] = []
        private var fieldCount = 0
        /// Ids of the forms.
        private var ids: [String] = []
        private var owned: [(form: String, field: HTMLForm.FormField)] = []
        private var isOpen = false
        private var hasSelected = true

        init(excess: String? = nil) {
            self.excess = excess
        }

        mutating func take(_ position: Int, of page: HTMLTags) {
            let tag = page.list[position]
            if page.isNamed(tag, "form") {
                open(tag, of: page)
            } else if page.isNamed(tag, "/form") {
                isOpen = false
            } else if HTMLForm.isField(tag, of: page) {
                add(position, of: page)
            } else if page.isNamed(tag, "option") {
                choose(position, of: page)
            } else if page.isNamed(tag, "base") {
                base = base ?? page.value("href", tag)
            } else if page.isNamed(tag, "meta"), charset == nil,
                page.lowered("name", tag) == Charset.field
            {
                charset = page.value("content", tag)
            } else if page.isNamed(tag, "meta"), page.lowered("http-equiv", tag) == "refresh" {
                refresh = refresh ?? HTMLPage.refresh(page.value("content", tag) ?? "")
            }
        }

        private mutating func open(_ tag: HTMLTag, of page: HTMLTags) {
            guard forms.count < HTMLBudget.forms else {
                excess = HTMLBudget.exceeded("\(HTMLBudget.forms) forms")
                return
            }
            ids.append(page.value("id", tag) ?? "")
            formPlaces.append(tag.place.lowerBound)
            forms.append(HTMLForm(tag, of: page))
            isOpen = true
        }

        private mutating func add(_ position: Int, of page: HTMLTags) {
            let tag = page.list[position]
            guard let field = HTMLForm.field(position, of: page) else { return }
            fieldCount += 1
            guard fieldCount <= HTMLBudget.fields else {
                excess = HTMLBudget.exceeded("\(HTMLBudget.fields) fields")
                return
            }
            if page.isNamed(tag, "select") { hasSelected = false }
            if let owner = page.value("form", tag) {
                owned.append((owner, field))
            } else if isOpen {
                forms[forms.count - 1].fields.append(field)
            } else {
                strays.append(field)
            }
        }

        /// The first option stands until one is marked as selected.
        private mutating func choose(_ position: Int, of page: HTMLTags) {
            let option = page.list[position]
            guard isOpen, let last = forms[forms.count - 1].fields.indices.last,
                forms[forms.count - 1].fields[last].kind == .choice,
                !hasSelected || page.has("selected", option)
            else { return }
            hasSelected = true
            forms[forms.count - 1].fields[last].value =
                page.value("value", option)
                ?? page.text(behind: position).split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
        }

        mutating func close() {
            guard !owned.isEmpty else { return }
            // Of an id of forms, the first.
            let positions = Dictionary(
                zip(ids, ids.indices), uniquingKeysWith: { first, _ in first })
            for (owner, field) in owned {
                guard let position = positions[owner] else { continue }
                forms[position].fields.append(field)
            }
        }
    }

    /// `5; url=/next`.
    private static func refresh(_ content: String) -> (seconds: Int, target: String)? {
        let parts = content.split(separator: ";", maxSplits: 1)
        guard let first = parts.first else { return nil }
        let digits = first.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }
        guard let seconds = Int(digits), parts.count == 2 else { return nil }
        var target = parts[1].drop { $0 == " " }
        guard target.lowercased().hasPrefix("url") else { return nil }
        target = target.dropFirst(3).drop { $0 == " " || $0 == "=" }
        if let quote = target.first, quote == "'" || quote == "\"" {
            target = target.dropFirst().prefix { $0 != quote }
        }
        return (seconds, String(target))
    }
}

// MARK: What its scripts do

extension HTMLPage {
    /// Where its inline scripts lead without anybody's doing. Reads them at each call.
    var scripted: ScriptedLead {
        guard excess == nil else { return .none }
        let (scripts, onload) = inlineScripts
        guard !scripts.isEmpty || onload != nil else { return .none }
        let reading = PageScripts(scripts, onload: onload)
        guard let effect = reading.first else {
            return reading.speaksOfLeading || !reading.effects.isEmpty ? .unclear : .none
        }
        let delay = Duration.milliseconds(effect.delayMs)
        if case .address(let target) = effect.target { return .go(target, after: delay) }
        guard let position = formPosition(of: effect.target) else { return .unclear }
        // A form behind the script is not there when it runs.
        if let script = effect.script, formPlaces[position] > script { return .unclear }
        var form = forms[position]
        // A field of that name hides the method.
        guard !form.fields.contains(where: { $0.name == "submit" }) else { return .unclear }
        form.fields.removeAll { $0.kind == .submit }
        return .submit(form, after: delay)
    }

    /// Scripts that a browser would run, and what the body does when it has loaded.
    private var inlineScripts: (scripts: [(place: Int, text: ArraySlice<UInt8>)], onload: String?) {
        var scripts: [(place: Int, text: ArraySlice<UInt8>)] = []
        var onload: String?
        var hidden: [HTMLTag] = []
        for (position, tag) in tags.list.enumerated() {
            if isInert(tag) {
                hidden.append(tag)
            } else if let last = hidden.last, tags.closes(tag, last) {
                hidden.removeLast()
            }
            guard hidden.isEmpty else { continue }
            if tags.isNamed(tag, "body") { onload = onload ?? tags.value("onload", tag) }
            guard tags.isNamed(tag, "script"), isRun(tag) else { continue }
            let text = tags.place(behind: position)
            if !text.isEmpty { scripts.append((tag.place.lowerBound, tags.bytes(text))) }
        }
        return (scripts, onload)
    }

    /// What stands in these is text for a browser with scripts, or a part that is not used yet.
    private func isInert(_ tag: HTMLTag) -> Bool {
        tags.isNamed(tag, "noscript") || tags.isNamed(tag, "template")
            || tags.isNamed(tag, "iframe") || tags.isNamed(tag, "noembed")
            || tags.isNamed(tag, "noframes") || tags.isNamed(tag, "xmp")
    }

    private func isRun(_ script: HTMLTag) -> Bool {
        guard !tags.has("src", script), !tags.has("nomodule", script) else { return false }
        let type = tags.lowered("type", script) ?? ""
        return type.isEmpty || type == "module" || type.hasSuffix("javascript")
            || type.hasSuffix("ecmascript")
    }

    /// The form that a script means, where only one can be.
    private func formPosition(of target: ScriptEffect.Target) -> Int? {
        switch target {
        case .address: return nil
        case .form(let position): return forms.indices.contains(position) ? position : nil
        case .id(let id):
            guard let first = tags.list.first(where: { tags.value("id", $0) == id }),
                tags.isNamed(first, "form")
            else { return nil }
            return formPlaces.firstIndex(of: first.place.lowerBound)
        case .name(let name):
            let named = tags.list.filter {
                tags.isNamed($0, "form")
                    && (tags.value("name", $0) == name || tags.value("id", $0) == name)
            }
            guard named.count == 1 else { return nil }
            return formPlaces.firstIndex(of: named[0].place.lowerBound)
        }
    }
}

// MARK: What a person sees

extension HTMLPage {
    /// The words between `<title>` and its end.
    var title: Untrusted { Untrusted(tags.words(inside: first("title"))) }

    /// What an element that looks like an error message says; empty without one.
    var notice: Untrusted {
        let position = tags.list.firstIndex { tag in
            let isOther =
                tags.isClosing(tag) || tags.isNamed(tag, "input") || tags.isNamed(tag, "body")
                || tags.isNamed(tag, "html") || tags.isNamed(tag, "form")
            guard !isOther else { return false }
            if tags.value("role", tag) == "alert" { return true }
            let words = ["error", "alert", "invalid"]
            return HTMLForm.contains(tags.value("class", tag) ?? "", words)
                || HTMLForm.contains(tags.value("id", tag) ?? "", words)
        }
        return Untrusted(tags.words(inside: position))
    }

    /// Where a link that says "cancel" leads, as written.
    var wayOut: String? {
        tags.list.indices.first { position in
            let tag = tags.list[position]
            return tags.isNamed(tag, "a")
                && (HTMLForm.contains(tags.value("href", tag) ?? "", ["cancel"])
                    || HTMLForm.contains(tags.words(inside: position), ["cancel"]))
        }.flatMap { tags.value("href", tags.list[$0]) }
    }

    /// What stands there for browsers without script.
    var noscript: String { tags.words(inside: first("noscript")) }

    private func first(_ name: StaticString) -> Int? {
        tags.list.firstIndex { tags.isNamed($0, name) }
    }

    /// All visible words, spaces collapsed.
    var text: String { tags.words(from: 0, to: tags.list.count, atMost: 2000) }

    var hasScript: Bool { first("script") != nil }

    /// A script sends the first form without anybody's doing.
    var submitsItself: Bool { HTMLForm.contains(html, [".submit()"]) }

    /// A script makes this page: without one there is nothing on it to fill in.
    var needsScript: Bool {
        guard hasScript else { return false }
        if HTMLForm.contains(noscript, ["javascript", "script"]) { return true }
        let roots = ["root", "app", "__next", "main"]
        let hasRoot = tags.list.contains { roots.contains(tags.lowered("id", $0) ?? "") }
        return hasRoot || !strayFields.isEmpty || text.count < 80
    }
}
