/// A link of a page to a tool that is none of ours.
public struct PageLink: Sendable, Hashable {
    public var name: String
    /// Of http or https.
    public var address: String

    public init(name: String, address: String) {
        self.name = name
        self.address = address
    }

    /// One after the other; nothing where there are none.
    package static func html(_ links: [PageLink]) -> HTML {
        if links.isEmpty { return .none }
        let each = links.map { link -> HTML in
            " <a href=\"\(link.address)\" rel=\"noreferrer\" target=\"_blank\">\(link.name)\u{a0}↗</a>"
        }
        return "<span class=\"links\">\(each)</span>"
    }
}
