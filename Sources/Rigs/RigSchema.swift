internal import Formats

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
            ] + body + [("$defs", .members(definitions))]
        return JSON.members(schema).text(.indented) + "\n"
    }

    private static let named: [ScalarForm] = [
        Scalar.text.form, Scalar.secret.form, Scalar.flag.form, Scalar.duration.form,
        Scalar.rate.form, Scalar.share.form, Scalar.size.form, Scalar.distribution.form,
        Scalar.base.form, Scalar.url.form, Scalar.host.form, Scalar.address.form,
        Scalar.addressRange.form, Scalar.forwardedRange.form, Scalar.ceiling.form,
        Scalar.proxy.form, Scalar.recording.form,
        Scalar.threshold.form, Scalar.historyCheck.form, Scalar.offsets.form, Scalar.link.form,
    ]

    private static var definitions: [(String, JSON)] {
        named.compactMap { scalar in scalar.name.map { ($0, .members(definition(scalar))) } }
    }

    private static func map(_ keys: [KeyRow]) -> [(String, JSON)] {
        var entries: [(String, JSON)] = [
            ("type", "object"),
            ("properties", .members(keys.map { ($0.name, property($0)) })),
        ]
        let required = keys.filter(\.isRequired)
        if !required.isEmpty {
            entries.append(("required", .array(required.map { .string($0.name) })))
        }
        return entries + [("additionalProperties", .bool(false))]
    }

    private static func property(_ key: KeyRow) -> JSON {
        var text = key.text
        if let fallback = key.fallback, key.hasPlainDefault { text += " Default: \(fallback)." }
        return .members([("description", .string(text))] + schema(key.shape))
    }

    private static func schema(_ shape: Shape) -> [(String, JSON)] {
        switch shape {
        case .scalar(let scalar):
            if let name = scalar.name { return [("$ref", .string("#/$defs/\(name)"))] }
            return definition(scalar).filter { $0.0 != "description" }
        case .choice(let choices):
            let words = choices.flatMap { spellings($0) }
            return [("anyOf", .array([.members([("enum", .array(words))]), variable]))]
        case .map(let keys): return map(keys)
        case .one(let keys):
            return map(keys) + [("minProperties", .integer(1)), ("maxProperties", .integer(1))]
        case .named(let inner):
            return [("type", "object"), ("additionalProperties", .members(schema(inner)))]
        case .list(let inner):
            let items = ofKind(inner).map { [("anyOf", JSON.array(choices(inner) + [$0]))] }
            return [("type", "array"), ("items", .members(items ?? schema(inner)))]
        case .either: return [("anyOf", .array(choices(shape)))]
        }
    }

    private static func choices(_ shape: Shape) -> [JSON] {
        guard case .either(let shapes) = shape else { return [.members(schema(shape))] }
        return shapes.map { .members(schema($0)) }
    }

    /// `kind "NAME": errors < 1%` is a map with one key to YAML; nil for items that are no such lines.
    private static func ofKind(_ shape: Shape) -> JSON? {
        switch shape {
        case .scalar(let scalar) where scalar.mayNameKind:
            .members([
                ("type", "object"), ("minProperties", .integer(1)), ("maxProperties", .integer(1)),
                ("patternProperties", .members([("^kind ", .members(schema(shape)))])),
                ("additionalProperties", .bool(false)),
            ])
        case .either(let shapes): shapes.lazy.compactMap(ofKind).first
        default: nil
        }
    }

    /// A text that the reader gets from the environment or a file.
    private static let variable: JSON = .members([
        ("type", "string"), ("pattern", "\\$\\{[^}]+\\}"),
    ])

    private static func definition(_ scalar: ScalarForm) -> [(String, JSON)] {
        let text: JSON = .members([
            ("type", "string"),
            ("pattern", .string("^(\(scalar.pattern))$|\\$\\{[^}]+\\}")),
        ])
        let description: (String, JSON) = (
            "description", .string("It must be " + scalar.wanted + ".")
        )
        let others: [JSON] = scalar.types.map { type in
            var entries: [(String, JSON)] = [("type", .string(type))]
            if type == "integer", let range = scalar.range {
                entries.append(("minimum", .integer(range.lowerBound)))
                if range.upperBound < .max {
                    entries.append(("maximum", .integer(range.upperBound)))
                }
            }
            return .members(entries)
        }
        if others.isEmpty {
            guard case .object(let entries) = text else { return [] }
            return [description] + entries.map { ($0.name, $0.value) }
        }
        return [description, ("anyOf", .array([text] + others))]
    }

    /// A word as a string, and as the number, flag or empty list that YAML may take it for.
    private static func spellings(_ word: String) -> [JSON] {
        switch word {
        case "true", "false": return [.bool(word == "true"), .string(word)]
        case "[]": return [.array([])]
        default:
            if let number = Int(word) { return [.integer(number), .string(word)] }
            if Spelling.decimal(word) != nil { return [.string(word), .number(word)] }
            return [.string(word)]
        }
    }
}
