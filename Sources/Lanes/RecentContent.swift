internal import Dialects
internal import Journal
internal import Vocabulary

/// What the last answer to each operation said, on one lane: the next says the same more often than not,
/// and then both exchanges share one object, and nothing is searched for secrets or written twice.
struct RecentContent {
    private struct Last {
        /// Its headers; of these, what is evidence.
        var headers = Headers()
        var fields: [EvidenceField] = []
        /// What is shown of all `fields`.
        var evidence = Headers()
        var content: ExchangeContent?

        mutating func evidence(
            of headers: Headers, _ gate: OutputGate, _ fingerprinter: Fingerprinter
        ) -> Headers {
            if headers == self.headers,
                fields.indices.allSatisfy({ fields[$0].isShownAlike(by: gate) })
            {
                return evidence
            }
            self.headers = headers
            var count = 0
            var isSame = true
            for field in headers.fields where isNext(field.name, count) {
                if count == fields.count {
                    fields.append(EvidenceField(field, gate, fingerprinter))
                    isSame = false
                } else if !fields[count].shows(field, gate, fingerprinter) {
                    isSame = false
                }
                count += 1
            }
            if count < fields.count {
                fields.removeLast(fields.count - count)
                isSame = false
            }
            if !isSame { show() }
            return evidence
        }

        /// Whether a header is evidence: most often it is the one that stood there last time.
        private func isNext(_ name: String, _ count: Int) -> Bool {
            count < fields.count && fields[count].isNamed(name) || EvidenceField.isEvidence(name)
        }

        private mutating func show() {
            evidence = Headers()
            evidence.reserve(fields.count)
            for field in fields {
                guard let shown = field.shown else { continue }
                evidence.append(shown.name, shown.value)
            }
        }
    }

    /// By `OperationName.rawValue`.
    private var last = [Last](repeating: Last(), count: OperationName.allCases.count)
    /// Where the next content is put together: it becomes an object only where it differs from the last.
    private var next = ExchangeContent.Fields(.answered(status: 0), observation: Observation(.none))

    /// What `fill` makes of all fields, or what is equal to them.
    mutating func content(
        of operation: OperationName, _ fill: (inout ExchangeContent.Fields) -> Void
    ) -> ExchangeContent {
        fill(&next)
        let position = Int(operation.rawValue)
        if let known = last[position].content, known.has(next) { return known }
        let new = ExchangeContent(next)
        last[position].content = new
        return new
    }

    mutating func evidence(
        of headers: Headers, to operation: OperationName, _ gate: OutputGate,
        _ fingerprinter: Fingerprinter
    ) -> Headers {
        last[Int(operation.rawValue)].evidence(of: headers, gate, fingerprinter)
    }
}

/// A header of an answer that is kept of every exchange: as it came, and as it is shown. What the gate
/// made of the same field for the last household is used again, as far as it depends on the run alone.
private struct EvidenceField {
    private var raw: Headers.Field
    /// Nil: there is nothing in it to keep.
    private(set) var shown: Headers.Field?
    private var sort: OutputGate.HeaderSort
    /// Whether the gate makes the same of the name, and of the value, for every household that has no secret
    /// in it. Not of cookies, whose names it compares with those that a household knows.
    private var isOfRun = (name: false, value: false)

    init(_ field: Headers.Field, _ gate: OutputGate, _ fingerprinter: Fingerprinter) {
        raw = field
        sort = gate.sort(ofHeader: field.name)
        guard Self.isKept(field.name) else {
            shown = Self.cookie(field, gate, fingerprinter)
            return
        }
        let name = gate.shown(field.name, of: .harmless)
        let value = gate.shown(field.value, of: sort)
        isOfRun = (name.isOfRun, value.isOfRun)
        shown = Headers.Field(name.text, value.text)
    }

    /// Takes up this field of the next answer; true where it is shown as the last one was.
    mutating func shows(
        _ field: Headers.Field, _ gate: OutputGate, _ fingerprinter: Fingerprinter
    ) -> Bool {
        guard isOfRun.name, let last = shown, raw.name == field.name,
            gate.isOfRun(plain: field.name)
        else {
            self = EvidenceField(field, gate, fingerprinter)
            return false
        }
        if isOfRun.value, raw.value == field.value, gate.isOfRun(plain: field.value) { return true }
        let value = gate.shown(field.value, of: sort)
        (raw.value, isOfRun.value) = (field.value, value.isOfRun)
        shown = Headers.Field(last.name, value.text)
        return false
    }

    /// Whether the gate of another household shows the same field as it is shown here.
    @inline(__always)
    func isShownAlike(by gate: OutputGate) -> Bool {
        isOfRun.name && isOfRun.value && gate.isOfRun(plain: raw.name)
            && gate.isOfRun(plain: raw.value)
    }

    func isNamed(_ name: String) -> Bool { raw.name == name }

    private static func cookie(
        _ field: Headers.Field, _ gate: OutputGate, _ fingerprinter: Fingerprinter
    ) -> Headers.Field? {
        guard let equals = field.value.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let value = field.value.utf8[equals...].dropFirst().prefix { $0 != UInt8(ascii: ";") }
        let mark = fingerprinter.fingerprint(of: Secret(String(Substring(value))))
        return Headers.Field(field.name, "\(gate.name(String(field.value[..<equals])))=#\(mark)")
    }

    static func isEvidence(_ name: String) -> Bool { isKept(name) || isCookie(name) }

    private static func isCookie(_ name: String) -> Bool {
        name.utf8.count == 10 && name.equalsIgnoringCase("set-cookie")
    }

    /// By length first: most names are none of these, and there are thousands a second.
    private static func isKept(_ name: String) -> Bool {
        switch name.utf8.count {
        case 3: name.equalsIgnoringCase("via") || name.equalsIgnoringCase("age")
        case 4: name.equalsIgnoringCase("date")
        case 6: name.equalsIgnoringCase("server") || name.equalsIgnoringCase("cf-ray")
        case 7: name.equalsIgnoringCase("x-cache") || isOfAmazon(name)
        case 11: name.equalsIgnoringCase("retry-after") || isOfAmazon(name)
        case 12: name.equalsIgnoringCase("x-request-id") || isOfAmazon(name)
        case 16: name.equalsIgnoringCase("adobe-request-id") || isOfAmazon(name)
        default: isOfAmazon(name)
        }
    }

    private static func isOfAmazon(_ name: String) -> Bool {
        let bytes = name.utf8Span.span
        guard bytes.count >= 6, bytes[1] == UInt8(ascii: "-"), bytes[0] | 0x20 == UInt8(ascii: "x")
        else { return false }
        return String(Substring(name.utf8.prefix(6))).equalsIgnoringCase("x-amz-")
    }
}
