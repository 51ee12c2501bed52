/// The JSON Schema (draft 2020-12) of a rig file, for editors: made of the same rows as the reader.
/// It knows spelling, not sense: what it accepts the reader may still refuse, never the other way
/// round.
public enum RigSchema {
    /// The schema as JSON text.
    public static func json() -> String {
        let body = map(Rig.keys.map(\.row))
        let schema: [(String, JSON)] =
            [
                ("$schema", "https://json-schema.org/draft/2020-12/schema"),
                ("title", "screenrig rig"),
                ("description", "A rig: the target, the households, the load, the thresholds."),
            ] + body + [("$defs", .object(definitions))]
        return JSON.object(schema).text() + "\n"
    }

    private static let named: [ScalarForm] = [
        Scalar.text.form, Scalar.secret.form, Scalar.flag.form, Scalar.duration.form,
        Scalar.rate.form, Scalar.share.form, Scalar.size.form, Scalar.distribution.form,
        Scalar.base.form, Scalar.url.form, Scalar.host.form, Scalar.address.form,
        Scalar.addressRange.form, Scalar.ceiling.form, Scalar.proxy.form, Scalar.recording.form,
        Scalar.threshold.form, Scalar.historyCheck.form, Scalar.offsets.form,
    ]

    private static var definitions: [(String, JSON)] {
        named.compactMap { scalar in scalar.name.map { ($0, .object(definition(scalar))) } }
    }

    private static func map(_ keys: [KeyRow]) -> [(String, JSON)] {
        var entries: [(String, JSON)] = [
            ("type", "object"),
            ("properties", .object(keys.map { ($0.name, property($0)) })),
        ]
        let required = keys.filter(\.isRequired)
        if !required.isEmpty {
            entries.append(("required", .array(required.map { .string($0.name) })))
        }
        return entries + [("additionalProperties", .boolean(false))]
    }

    private static func property(_ key: KeyRow) -> JSON {
        switch key.status {
        case .supported:
            var text = key.text
            if let fallback = key.fallback, key.hasPlainDefault { text += " Default: \(fallback)." }
            return .object([("description", .string(text))] + schema(key.shape))
        case .notYet(let accepted):
            let text = key.text + " Not supported yet."
            return .object(
                [("description", .string(text))]
                    + (accepted.isEmpty
                        ? [("not", .object([]))]
                        : [("enum", .array(accepted.flatMap { spellings($0) }))]))
        }
    }

    private static func schema(_ shape: Shape) -> [(String, JSON)] {
        switch shape {
        case .scalar(let scalar):
            if let name = scalar.name { return [("$ref", .string("#/$defs/\(name)"))] }
            return definition(scalar).filter { $0.0 != "description" }
        case .choice(let choices):
            let words = choices.filter(\.isSupported).flatMap { spellings($0.word) }
            return [("anyOf", .array([.object([("enum", .array(words))]), variable]))]
        case .map(let keys): return map(keys)
        case .one(let keys):
            return map(keys) + [("minProperties", .number(1)), ("maxProperties", .number(1))]
        case .named(let inner):
            return [("type", "object"), ("additionalProperties", .object(schema(inner)))]
        case .list(.scalar(let scalar)) where scalar.mayNameKind:
            // `kind "NAME": errors < 1%` is a map with one key to YAML.
            let line: JSON = .object([("$ref", .string("#/$defs/\(scalar.name ?? "text")"))])
            let ofKind: JSON = .object([
                ("type", "object"), ("minProperties", .number(1)), ("maxProperties", .number(1)),
                ("patternProperties", .object([("^kind ", line)])),
                ("additionalProperties", .boolean(false)),
            ])
            return [("type", "array"), ("items", .object([("anyOf", .array([line, ofKind]))]))]
        case .list(let inner): return [("type", "array"), ("items", .object(schema(inner)))]
        case .either(let shapes):
            let fitting = shapes.filter { if case .later = $0 { false } else { true } }
            if fitting.count == 1 { return schema(fitting[0]) }
            return [("anyOf", .array(fitting.map { .object(schema($0)) }))]
        case .later: return [("not", .object([]))]
        }
    }

    /// A text that the reader gets from the environment or a file.
    private static let variable: JSON = .object([
        ("type", "string"), ("pattern", "\\$\\{[^}]+\\}"),
    ])

    private static func definition(_ scalar: ScalarForm) -> [(String, JSON)] {
        let text: JSON = .object([
            ("type", "string"),
            ("pattern", .string("^(\(scalar.pattern))$|\\$\\{[^}]+\\}")),
        ])
        let description: (String, JSON) = (
            "description", .string("It must be " + scalar.wanted + ".")
        )
        let others: [JSON] = scalar.types.map { type in
            var entries: [(String, JSON)] = [("type", .string(type))]
            if type == "integer", let range = scalar.range {
                entries.append(("minimum", .number(range.lowerBound)))
                if range.upperBound < .max {
                    entries.append(("maximum", .number(range.upperBound)))
                }
            }
            return .object(entries)
        }
        if others.isEmpty {
            guard case .object(let entries) = text else { return [] }
            return [description] + entries
        }
        return [description, ("anyOf", .array([text] + others))]
    }

    /// A word as a string, and as the number, flag or empty list that YAML may take it for.
    private static func spellings(_ word: String) -> [JSON] {
        switch word {
        case "true", "false": return [.boolean(word == "true"), .string(word)]
        case "[]": return [.array([])]
        default:
            if let number = Int(word) { return [.number(number), .string(word)] }
            if Spelling.decimal(word) != nil { return [.string(word), .decimal(word)] }
            return [.string(word)]
        }
    }
}
