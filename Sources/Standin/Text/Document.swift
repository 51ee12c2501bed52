internal import Formats

/// A value to be written as JSON or as XML.
enum Document: Sendable {
    case text(String)
    case number(Int64)
    case flag(Bool)
    /// In XML each element is named `item`; without a name they repeat the name of the member.
    case list([Document], item: String?)
    case object([(String, Document)])

    /// The document as JSON (RFC 8259), without spaces.
    func json() -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(256)
        writeJSON(to: &out)
        return out
    }

    /// The document as XML, with the declaration.
    func xml(root: String) -> [UInt8] {
        var out = Array(#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#.utf8)
        writeXML(as: root, to: &out)
        return out
    }

    /// The document as one XML element, without the declaration.
    func xmlElement(_ name: String) -> [UInt8] {
        var out: [UInt8] = []
        writeXML(as: name, to: &out)
        return out
    }

    private func writeJSON(to out: inout [UInt8]) {
        switch self {
        case .text(let text): JSONSlice.quote(text, to: &out)
        case .number(let number): out += String(number).utf8
        case .flag(let flag): out += (flag ? "true" : "false").utf8
        case .list(let items, item: _):
            out.append(UInt8(ascii: "["))
            for (position, item) in items.enumerated() {
                if position > 0 { out.append(UInt8(ascii: ",")) }
                item.writeJSON(to: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let members):
            out.append(UInt8(ascii: "{"))
            for (position, member) in members.enumerated() {
                if position > 0 { out.append(UInt8(ascii: ",")) }
                JSONSlice.quote(member.0, to: &out)
                out.append(UInt8(ascii: ":"))
                member.1.writeJSON(to: &out)
            }
            out.append(UInt8(ascii: "}"))
        }
    }

    private func writeXML(as name: String, to out: inout [UInt8]) {
        if case .list(let items, item: nil) = self {
            for item in items { item.writeXML(as: name, to: &out) }
            return
        }
        out.append(UInt8(ascii: "<"))
        out += name.utf8
        out.append(UInt8(ascii: ">"))
        switch self {
        case .text(let text): Markup.xml(text, to: &out)
        case .number(let number): out += String(number).utf8
        case .flag(let flag): out += (flag ? "true" : "false").utf8
        case .list(let items, let item):
            for element in items { element.writeXML(as: item ?? name, to: &out) }
        case .object(let members):
            for member in members { member.1.writeXML(as: member.0, to: &out) }
        }
        out += "</".utf8
        out += name.utf8.prefix { $0 != UInt8(ascii: " ") }
        out.append(UInt8(ascii: ">"))
    }
}
