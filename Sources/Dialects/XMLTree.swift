internal import Foundation
internal import FoundationXML

/// Reads an XML document into a `Tree`: an element with children becomes an object named by its
/// children, any other its text. Names lose their prefix; attributes are dropped. External entities
/// are not resolved.
enum XMLReader {
    /// The root element's name and content; nil when the document is not well formed.
    static func read(_ bytes: [UInt8]) -> (root: String, tree: Tree)? {
        let builder = Builder()
        let parser = XMLParser(data: Data(bytes))
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        guard parser.parse(), let root = builder.root else { return nil }
        return root
    }

    private final class Builder: NSObject, XMLParserDelegate {
        var root: (root: String, tree: Tree)?
        private var open: [(name: String, members: [Tree.Member], text: String)] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            open.append((String(name.split(separator: ":").last ?? ""), [], ""))
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if !open.isEmpty { open[open.count - 1].text += text }
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
            qualifiedName: String?
        ) {
            guard let closed = open.popLast() else { return }
            let tree: Tree = closed.members.isEmpty ? .string(closed.text) : .object(closed.members)
            if open.isEmpty {
                root = (closed.name, tree)
            } else {
                open[open.count - 1].members.append(Tree.Member(name: closed.name, value: tree))
            }
        }
    }
}
