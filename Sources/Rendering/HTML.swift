internal import Formats

/// A piece of HTML or SVG. Literals stand as they are; every text put into one is escaped, so that
/// what came from a server or a rig can never become markup.
package struct HTML: ExpressibleByStringInterpolation, Hashable, Sendable {
    package var text: String

    package init(stringLiteral value: String) {
        text = value
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ text: String) {
            self.text += Markup.escaped(text)
        }
        package mutating func appendInterpolation(_ html: HTML) { text += html.text }
        package mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }
        package mutating func appendInterpolation(_ number: Int) { text += String(number) }
        /// A length in a drawing, to a tenth of a unit.
        package mutating func appendInterpolation(px: Double) { text += DecimalText.trimmed(px, 1) }
    }

    package static let none: HTML = ""

    /// A section of a page under a heading that names it.
    package static func section(_ id: String, _ title: HTML, _ body: HTML) -> HTML {
        """
        <section id="\(id)" aria-labelledby="\(id)-h">
        <h2 id="\(id)-h">\(title)</h2>
        \(body)
        </section>

        """
    }

    /// A number as it is shown, with the number that it is: sorting and machines go by the latter.
    package static func number(_ value: Double, shown text: String) -> HTML {
        "<data value=\"\(DecimalText.trimmed(value))\">\(text)</data>"
    }
}
