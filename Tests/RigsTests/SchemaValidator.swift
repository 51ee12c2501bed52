@testable import Rigs

/// Holds a YAML tree against a JSON Schema, itself a tree (JSON is YAML): the part of draft 2020-12
/// that `RigSchema` writes. An unknown keyword is a problem, so that the schema cannot outgrow it.
struct SchemaValidator {
    let schema: YAMLTree

    init(_ json: String) {
        var problems: [RigProblem] = []
        guard let tree = YAMLTree.read(json, file: "schema", problems: &problems), problems.isEmpty
        else {
            fatalError("the schema is no JSON: \(problems)")
        }
        schema = tree
    }

    /// Sentences about what does not fit; empty when all does.
    func problems(_ value: YAMLTree) -> [String] {
        check(value, schema, path: "")
    }

    private func check(_ value: YAMLTree, _ schema: YAMLTree, path: String) -> [String] {
        guard let keywords = schema.entries else { return [] }
        return keywords.flatMap { entry -> [String] in
            let rule = entry.value
            switch entry.key {
            case "$schema", "title", "description", "$defs": return []
            case "$ref": return check(value, referred(rule), path: path)
            case "type":
                return types(of: value).contains(rule.text) ? [] : ["\(path) is no \(rule.text)"]
            case "enum":
                let fits = (rule.items ?? []).contains { equal($0, value) }
                return fits ? [] : ["\(path) is none of the words"]
            case "pattern":
                guard types(of: value).contains("string"), let regex = try? Regex(rule.text) else {
                    return ["\(path) is no string"]
                }
                return value.text.firstMatch(of: regex) != nil ? [] : ["\(path) does not match"]
            case "anyOf":
                let fits = (rule.items ?? []).contains { check(value, $0, path: path).isEmpty }
                return fits ? [] : ["\(path) fits nothing"]
            case "not": return check(value, rule, path: path).isEmpty ? ["\(path) must not be"] : []
            case "minimum":
                guard let number = Int(value.text), let least = Int(rule.text) else { return [] }
                return number >= least ? [] : ["\(path) is too small"]
            case "maximum":
                guard let number = Int(value.text), let most = Int(rule.text) else { return [] }
                return number <= most ? [] : ["\(path) is too large"]
            case "items":
                return (value.items ?? []).flatMap { check($0, rule, path: path + "[]") }
            case "required":
                return (rule.items ?? []).filter { value[$0.text] == nil }
                    .map { "\(path) lacks \($0.text)" }
            case "minProperties":
                return value.entries.map { $0.count >= Int(rule.text) ?? 0 } ?? true
                    ? [] : ["\(path) has too few keys"]
            case "maxProperties":
                return value.entries.map { $0.count <= Int(rule.text) ?? 0 } ?? true
                    ? [] : ["\(path) has too many keys"]
            case "properties":
                return (value.entries ?? []).flatMap { entry in
                    rule[entry.key].map { check(entry.value, $0, path: "\(path).\(entry.key)") }
                        ?? []
                }
            case "patternProperties":
                return (value.entries ?? []).flatMap { entry in
                    (rule.entries ?? []).flatMap { pattern in
                        (try? Regex(pattern.key)).map { entry.key.contains($0) } == true
                            ? check(entry.value, pattern.value, path: "\(path).\(entry.key)") : []
                    }
                }
            case "additionalProperties": return others(value, rule, schema, path)
            default: return ["the validator does not know '\(entry.key)'"]
            }
        }
    }

    private func others(_ value: YAMLTree, _ rule: YAMLTree, _ schema: YAMLTree, _ path: String)
        -> [String]
    {
        let patterns = (schema["patternProperties"]?.entries ?? []).compactMap {
            try? Regex($0.key)
        }
        return (value.entries ?? []).filter { entry in
            schema["properties"]?[entry.key] == nil
                && !patterns.contains { entry.key.contains($0) }
        }.flatMap { entry in
            rule.entries != nil
                ? check(entry.value, rule, path: "\(path).\(entry.key)")
                : rule.text == "false" ? ["\(path).\(entry.key) is unknown"] : []
        }
    }

    private func referred(_ rule: YAMLTree) -> YAMLTree {
        let name = rule.text.replacing("#/$defs/", with: "")
        guard let found = schema["$defs"]?[name] else { fatalError("no definition \(name)") }
        return found
    }

    /// The JSON types of a YAML node by YAML's core schema, as an editor sees it.
    private func types(of value: YAMLTree) -> [String] {
        switch value.content {
        case .list: return ["array"]
        case .map: return ["object"]
        case .scalar(_, isQuoted: true): return ["string"]
        case .scalar(let text, isQuoted: false):
            if ["true", "false"].contains(text) { return ["boolean"] }
            if ["", "~", "null"].contains(text) { return ["null"] }
            if text.wholeMatch(of: /[-+]?[0-9]+/) != nil { return ["integer", "number"] }
            if text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?/) != nil {
                return ["number"]
            }
            return ["string"]
        }
    }

    private func equal(_ left: YAMLTree, _ right: YAMLTree) -> Bool {
        if let one = left.items, let other = right.items { return one.isEmpty && other.isEmpty }
        guard case .scalar(let a, _) = left.content, case .scalar(let b, _) = right.content else {
            return false
        }
        return a == b && types(of: left) == types(of: right)
    }
}

extension YAMLTree {
    var text: String { if case .scalar(let text, _) = content { text } else { "" } }
    var items: [YAMLTree]? { if case .list(let items) = content { items } else { nil } }
}
