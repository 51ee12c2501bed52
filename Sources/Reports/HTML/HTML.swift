internal import Formats

/// A piece of HTML or SVG. Literals stand as they are; every text put into one is escaped, so that
/// what came from a server or a rig can never become markup.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    var text: String

    init(stringLiteral value: String) {
        text = value
    }

    init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ text: String) { self.text += Markup.escaped(text) }
        mutating func appendInterpolation(_ html: HTML) { text += html.text }
        mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }
        mutating func appendInterpolation(_ number: Int) { text += String(number) }
        /// A length in a drawing, to a tenth of a unit.
        mutating func appendInterpolation(px: Double) { text += DecimalText.trimmed(px, 1) }
    }

    static let none: HTML = ""

    /// A number as it is shown, with the number that it is: sorting and machines go by the latter.
    static func number(_ value: Double, shown text: String) -> HTML {
        "<data value=\"\(DecimalText.trimmed(value))\">\(text)</data>"
    }
}

/// A table whose first column names its rows; columns of numbers are set to the right.
struct Table {
    struct Column {
        var title: HTML
        var isNumber: Bool

        static func text(_ title: HTML) -> Column { Column(title: title, isNumber: false) }
        static func number(_ title: HTML) -> Column { Column(title: title, isNumber: true) }
    }

    var caption: String
    var columns: [Column]
    var rows: [[HTML]]
    /// The page's script makes its headers buttons that sort it.
    var isSortable = false

    var html: HTML {
        let head = columns.map { column -> HTML in
            column.isNumber
                ? "<th scope=\"col\" class=\"n\">\(column.title)</th>"
                : "<th scope=\"col\">\(column.title)</th>"
        }
        let body = rows.map { cells -> HTML in
            let row = zip(cells, columns).enumerated().map { position, pair -> HTML in
                let (cell, column) = pair
                if position == 0 { return "<th scope=\"row\">\(cell)</th>" }
                return column.isNumber ? "<td class=\"n\">\(cell)</td>" : "<td>\(cell)</td>"
            }
            return "<tr>\(row)</tr>\n"
        }
        return """
            <div class="scroll" role="region" tabindex="0" aria-label="\(caption)"><table\(isSortable ? " class=\"sortable\"" : "" as HTML)>
            <caption class="unseen">\(caption)</caption>
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(body)</tbody></table></div>
            """
    }
}
