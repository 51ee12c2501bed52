internal import Formats

/// The two spellings of an answer.
enum Spelling: Sendable {
    case json, xml

    var contentType: String {
        switch self {
        case .json: "application/json;charset=utf-8"
        case .xml: "application/xml;charset=utf-8"
        }
    }
}

/// Writes a document member by member, as JSON without spaces (RFC 8259) or as XML: straight to bytes, for
/// nearly every answer is one.
struct DocumentWriter {
    let spelling: Spelling
    private var bytes: [UInt8] = []
    /// In JSON, nothing stands yet in the object or list that is being written.
    private var isAtStart = true

    private init(_ spelling: Spelling) {
        self.spelling = spelling
        bytes.reserveCapacity(256)
    }

    /// A whole document. `root` is the name of the XML element, with its attributes.
    static func document(
        _ spelling: Spelling, root: String, _ content: (inout DocumentWriter) -> Void
    ) -> [UInt8] {
        var writer = DocumentWriter(spelling)
        switch spelling {
        case .json: writer.json("{", "}", content)
        case .xml:
            writer.write(#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#)
            writer.element(root, content)
        }
        return writer.bytes
    }

    static func json(_ content: (inout DocumentWriter) -> Void) -> [UInt8] {
        document(.json, root: "", content)
    }

    /// One XML element, without the declaration.
    static func element(_ name: String, _ content: (inout DocumentWriter) -> Void) -> [UInt8] {
        var writer = DocumentWriter(.xml)
        writer.element(name, content)
        return writer.bytes
    }

    // MARK: Members

    mutating func text(_ name: String, _ text: String) {
        open(name)
        value(text)
        close(name)
    }

    mutating func number(_ name: String, _ number: Int64) {
        open(name)
        write(String(number))
        close(name)
    }

    mutating func flag(_ name: String, _ flag: Bool) {
        open(name)
        write(flag ? "true" : "false")
        close(name)
    }

    /// A member whose value is JSON already.
    mutating func json(_ name: String, _ value: [UInt8]) {
        open(name)
        bytes += value
        close(name)
    }

    /// Only JSON has one.
    mutating func null(_ name: String) {
        open(name)
        write("null")
        close(name)
    }

    mutating func object(_ name: String, _ content: (inout DocumentWriter) -> Void) {
        open(name)
        items("{", "}", content)
        close(name)
    }

    /// A list of texts; in XML the member is repeated.
    mutating func texts(_ name: String, _ texts: [String]) {
        guard spelling == .json else {
            for text in texts { self.text(name, text) }
            return
        }
        open(name)
        json("[", "]") { list in
            for text in texts {
                list.separate()
                list.value(text)
            }
        }
    }

    /// A list of objects, each of which is named `item` in XML.
    mutating func list<Item>(
        _ name: String, of items: [Item], as item: String,
        _ content: (inout DocumentWriter, Item) -> Void
    ) {
        open(name)
        self.items("[", "]") { $0.objects(items, as: item, content) }
        close(name)
    }

    /// The objects of a list by themselves.
    mutating func objects<Item>(
        _ items: [Item], as item: String, _ content: (inout DocumentWriter, Item) -> Void
    ) {
        for one in items {
            switch spelling {
            case .json:
                separate()
                json("{", "}") { content(&$0, one) }
            case .xml: element(item) { content(&$0, one) }
            }
        }
    }

    // MARK: Marks

    /// What stands in brackets in JSON, and by itself within an XML element.
    private mutating func items(
        _ opening: Unicode.Scalar, _ closing: Unicode.Scalar,
        _ content: (inout DocumentWriter) -> Void
    ) {
        switch spelling {
        case .json: json(opening, closing, content)
        case .xml: content(&self)
        }
    }

    private mutating func json(
        _ opening: Unicode.Scalar, _ closing: Unicode.Scalar,
        _ content: (inout DocumentWriter) -> Void
    ) {
        bytes.append(UInt8(ascii: opening))
        isAtStart = true
        content(&self)
        bytes.append(UInt8(ascii: closing))
        isAtStart = false
    }

    private mutating func element(
        _ name: String, _ content: (inout DocumentWriter) -> Void
    ) {
        open(name)
        content(&self)
        let bytes = name.utf8Span.span
        close(bytes.extracting(0..<bytes.first(UInt8(ascii: " "))))
    }

    private mutating func separate() {
        if !isAtStart { bytes.append(UInt8(ascii: ",")) }
        isAtStart = false
    }

    private mutating func open(_ name: String) {
        let name = name.utf8Span.span
        switch spelling {
        case .json:
            let isFirst = isAtStart
            isAtStart = false
            bytes.append(addingCapacity: name.count + 4) { out in
                if !isFirst { out.append(UInt8(ascii: ",")) }
                out.append(UInt8(ascii: "\""))
                out.append(name)
                out.append(UInt8(ascii: "\""))
                out.append(UInt8(ascii: ":"))
            }
        case .xml:
            bytes.append(addingCapacity: name.count + 2) { out in
                out.append(UInt8(ascii: "<"))
                out.append(name)
                out.append(UInt8(ascii: ">"))
            }
        }
    }

    private mutating func close(_ name: String) { close(name.utf8Span.span) }

    private mutating func close(_ name: Span<UInt8>) {
        guard spelling == .xml else { return }
        bytes.append(addingCapacity: name.count + 3) { out in
            out.append(UInt8(ascii: "<"))
            out.append(UInt8(ascii: "/"))
            out.append(name)
            out.append(UInt8(ascii: ">"))
        }
    }

    private mutating func value(_ text: String) {
        switch spelling {
        case .json: JSONSlice.quote(text, to: &bytes)
        case .xml: Markup.xml(text, to: &bytes)
        }
    }

    private mutating func write(_ text: String) { bytes.append(text: text) }
}
