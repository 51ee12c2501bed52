internal import Dialects

/// A page, as far as a browser without script has to understand it.
struct HTMLPage {
    let html: String
    let forms: [HTMLForm]
    /// Of `<base href>`, as written.
    let base: String?
    /// Where `<meta http-equiv=refresh>` leads, as written, and after how many seconds.
    let refresh: (seconds: Int, target: String)?
    /// Fields that belong to no form: only a script can send them.
    let strayFields: [HTMLForm.FormField]
    /// Of what it has more than is read, as `has more than 5000 fields`: then no form, field or refresh
    /// of it is known.
    let excess: String?
    private let tags: [HTMLTag]
    /// Where each form begins.
    private let formPlaces: [Int]

    init(_ html: String) {
        self.html = html
        let found = HTMLTag.all(in: html)
        tags = found.tags
        var reading = PageReading(excess: found.excess)
        for tag in tags where reading.excess == nil { reading.take(tag) }
        excess = reading.excess
        if excess != nil { reading = PageReading() }
        reading.close()
        forms = reading.forms
        base = reading.base
        refresh = reading.refresh
        formPlaces =
            forms.isEmpty ? [] : tags.lazy.filter { $0.name == "form" }.map(\.place.lowerBound)
        strayFields = reading.strays.filter { $0.kind == .text || $0.kind == .password }
    }

    /// Forms as they open and close, with fields that name theirs by id.
    private struct PageReading {
        var forms: [HTMLForm] = []
        var base: String?
        var refresh: (seconds: Int, target: String)?
        var strays: [HTMLForm.FormField] = []
        var excess: String?
        private var fieldCount = 0
        /// Of an id of forms, the first.
        private var positions: [String: Int] = [:]
        private var owned: [(form: String, field: HTMLForm.FormField)] = []
        private var isOpen = false
        private var hasSelected = true

        init(excess: String? = nil) {
            self.excess = excess
        }

        mutating func take(_ tag: HTMLTag) {
            switch tag.name {
            case "form":
                guard forms.count < HTMLBudget.forms else {
                    excess = HTMLBudget.exceeded("\(HTMLBudget.forms) forms")
                    return
                }
                let id = tag["id"] ?? ""
                if positions[id] == nil { positions[id] = forms.count }
                forms.append(HTMLForm(tag))
                isOpen = true
            case "/form": isOpen = false
            case "input", "button", "select", "textarea":
                guard let field = HTMLForm.field(tag) else { return }
                fieldCount += 1
                guard fieldCount <= HTMLBudget.fields else {
                    excess = HTMLBudget.exceeded("\(HTMLBudget.fields) fields")
                    return
                }
                if tag.name == "select" { hasSelected = false }
                if let owner = tag["form"] {
                    owned.append((owner, field))
                } else if isOpen {
                    forms[forms.count - 1].fields.append(field)
                } else {
                    strays.append(field)
                }
            case "option": choose(tag)
            case "base": base = base ?? tag["href"]
            case "meta" where tag["http-equiv"]?.lowercased() == "refresh":
                refresh = refresh ?? HTMLPage.refresh(tag["content"] ?? "")
            default: break
            }
        }

        /// The first option stands until one is marked as selected.
        private mutating func choose(_ option: HTMLTag) {
            guard isOpen, let last = forms[forms.count - 1].fields.indices.last,
                forms[forms.count - 1].fields[last].kind == .choice,
                !hasSelected || option["selected"] != nil
            else { return }
            hasSelected = true
            forms[forms.count - 1].fields[last].value = option["value"] ?? ""
        }

        mutating func close() {
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
        var hidden: [String] = []
        var bytes: [UInt8] = []
        for (position, tag) in tags.enumerated() {
            if Self.inert.contains(tag.name) {
                hidden.append(tag.name)
            } else if tag.name.hasPrefix("/"), let last = hidden.last, tag.name.dropFirst() == last
            {
                hidden.removeLast()
            }
            guard hidden.isEmpty else { continue }
            if tag.name == "body" { onload = onload ?? tag["onload"] }
            guard tag.name == "script", Self.isRun(tag) else { continue }
            if bytes.isEmpty { bytes = Array(html.utf8) }
            let end = position + 1 < tags.count ? tags[position + 1].place.lowerBound : bytes.count
            guard tag.place.upperBound < end else { continue }
            scripts.append((tag.place.lowerBound, bytes[tag.place.upperBound..<end]))
        }
        return (scripts, onload)
    }

    /// What stands in these is text for a browser with scripts, or a part that is not used yet.
    private static let inert: Set = [
        "noscript", "template", "iframe", "noembed", "noframes", "xmp",
    ]

    private static func isRun(_ script: HTMLTag) -> Bool {
        guard script["src"] == nil, script["nomodule"] == nil else { return false }
        let type = script["type"]?.lowercased() ?? ""
        return type.isEmpty || type == "module" || type.hasSuffix("javascript")
            || type.hasSuffix("ecmascript")
    }

    /// The form that a script means, where only one can be.
    private func formPosition(of target: ScriptEffect.Target) -> Int? {
        switch target {
        case .address: return nil
        case .form(let position): return forms.indices.contains(position) ? position : nil
        case .id(let id):
            guard let first = tags.first(where: { $0["id"] == id }), first.name == "form" else {
                return nil
            }
            return formPlaces.firstIndex(of: first.place.lowerBound)
        case .name(let name):
            let named = tags.filter {
                $0.name == "form" && ($0["name"] == name || $0["id"] == name)
            }
            guard named.count == 1 else { return nil }
            return formPlaces.firstIndex(of: named[0].place.lowerBound)
        }
    }
}

// MARK: What a person sees

extension HTMLPage {
    /// The words between `<title>` and its end.
    var title: Untrusted { Untrusted(words(inside: tags.firstIndex { $0.name == "title" })) }

    /// What an element that looks like an error message says; empty without one.
    var notice: Untrusted {
        let position = tags.firstIndex { tag in
            guard !tag.name.hasPrefix("/"), !["input", "body", "html", "form"].contains(tag.name)
            else { return false }
            if tag["role"] == "alert" { return true }
            let marks = "\(tag["class"] ?? "") \(tag["id"] ?? "")"
            return HTMLForm.contains(marks, ["error", "alert", "invalid"])
        }
        return Untrusted(words(inside: position))
    }

    /// Where a link that says "cancel" leads, as written.
    var wayOut: String? {
        tags.indices.lazy.filter { tags[$0].name == "a" }.first { position in
            let marks = "\(tags[position]["href"] ?? "") \(words(inside: position))"
            return HTMLForm.contains(marks, ["cancel"])
        }.flatMap { tags[$0]["href"] }
    }

    /// What stands there for browsers without script.
    var noscript: String { words(inside: tags.firstIndex { $0.name == "noscript" }) }

    /// All visible words, spaces collapsed.
    var text: String { words(from: 0, to: tags.count, atMost: 2000) }

    var hasScript: Bool { tags.contains { $0.name == "script" } }

    /// A script sends the first form without anybody's doing.
    var submitsItself: Bool { HTMLForm.contains(html, [".submit()"]) }

    /// A script makes this page: without one there is nothing on it to fill in.
    var needsScript: Bool {
        guard hasScript else { return false }
        if HTMLForm.contains(noscript, ["javascript", "script"]) { return true }
        let roots = ["root", "app", "__next", "main"]
        let hasRoot = tags.contains { tag in roots.contains(tag["id"]?.lowercased() ?? "") }
        return hasRoot || !strayFields.isEmpty || text.count < 80
    }

    /// The words from a tag to the end of its element, as far as nesting of its own name tells. Links do
    /// not nest: the next one ends it.
    private func words(inside position: Int?) -> String {
        guard let position else { return "" }
        let name = tags[position].name
        let closing = "/" + name
        var depth = 1
        var end = position + 1
        while end < tags.count {
            if tags[end].name == name {
                if name == "a" { break }
                depth += 1
            }
            if tags[end].name == closing { depth -= 1 }
            if depth == 0 { break }
            end += 1
        }
        return words(from: position, to: end, atMost: 200)
    }

    /// The words between tags, without those of scripts and styles.
    private func words(from first: Int, to last: Int, atMost limit: Int) -> String {
        var words: [String] = []
        var length = 0
        var isGlued = false
        /// Whether there is room for more.
        func add(_ text: String) -> Bool {
            let parts = text.unicodeScalars.split(
                maxSplits: limit, whereSeparator: \.properties.isWhitespace)
            isGlued = isGlued && text.unicodeScalars.first?.properties.isWhitespace == false
            for word in parts {
                length += word.count + 1
                if length > limit { return false }
                if isGlued, let last = words.popLast() {
                    words.append(last + String(word))
                } else {
                    words.append(String(word))
                }
                isGlued = false
            }
            isGlued = text.unicodeScalars.last?.properties.isWhitespace == false
            return true
        }
        for position in first..<min(last, tags.count) {
            let tag = tags[position]
            if tag.name == "script" || tag.name == "style" { continue }
            // A viewer's own words may look like a tag: they stay whole, so that a secret in them is known.
            let isWord = position > first && !tag.isElement
            if !isWord { isGlued = false }
            let start = isWord ? tag.place.lowerBound : tag.place.upperBound
            let end =
                position + 1 < tags.count ? tags[position + 1].place.lowerBound : html.utf8.count
            guard start < end else { continue }
            guard add(HTMLEntities.decode(uncommented(start..<end))) else {
                return words.joined(separator: " ") + " ..."
            }
        }
        return words.joined(separator: " ")
    }

    /// What stands in these bytes outside comments.
    private func uncommented(_ range: Range<Int>) -> String {
        let utf8 = html.utf8
        var rest = utf8[
            utf8.index(
                utf8.startIndex, offsetBy: range.lowerBound)..<utf8.index(
                    utf8.startIndex, offsetBy: range.upperBound)]
        var text: [UInt8] = []
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            text += rest[..<start]
            rest = rest[start...]
            guard rest.starts(with: "<!--".utf8) else {
                text.append(UInt8(ascii: "<"))
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(4)
            while let hyphen = rest.firstIndex(of: UInt8(ascii: "-")) {
                rest = rest[hyphen...]
                if rest.starts(with: "-->".utf8) { break }
                rest = rest.dropFirst()
            }
            guard rest.starts(with: "-->".utf8) else {
                return String(decoding: text, as: UTF8.self)
            }
            rest = rest.dropFirst(3)
        }
        return String(decoding: text + rest, as: UTF8.self)
    }
}
