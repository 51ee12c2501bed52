/// A table whose first column names its rows; columns of numbers are set to the right.
package struct Table {
    package struct Heading {
        package var title: HTML
        /// A class of the page's sheet; empty: none.
        fileprivate var style: String

        package static func text(_ title: HTML) -> Heading { Heading(title: title, style: "") }
        package static func number(_ title: HTML) -> Heading { Heading(title: title, style: "n") }
        /// The result of its row: on a narrow page it stands beside the row's name.
        package static func verdict(_ title: HTML) -> Heading { Heading(title: title, style: "v") }

        /// Its title without markup.
        fileprivate var label: HTML {
            HTML(stringLiteral: title.text.replacing(/<[^>]*>/, with: ""))
        }
    }

    package var caption: String
    package var columns: [Heading]
    package var rows: [[HTML]]
    /// The page's script makes its headers buttons that sort it.
    package var isSortable: Bool
    /// On a narrow page each row is a card that names its columns, so that nothing lies beyond the edge.
    package var isCards: Bool

    package init(
        caption: String, columns: [Heading], rows: [[HTML]], isSortable: Bool = false,
        isCards: Bool = false
    ) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.isSortable = isSortable
        self.isCards = isCards
    }

    private var kind: HTML {
        let classes = (isSortable ? ["sortable"] : []) + (isCards ? ["cards"] : [])
        return classes.isEmpty ? .none : " class=\"\(classes.joined(separator: " "))\""
    }

    package var html: HTML {
        let styles = columns.map { column -> HTML in
            column.style.isEmpty ? .none : " class=\"\(column.style)\""
        }
        let names = columns.map { column -> HTML in
            isCards ? " data-h=\"\(column.label)\"" : .none
        }
        let head = zip(columns, styles).map { column, style -> HTML in
            "<th scope=\"col\"\(style)>\(column.title)</th>"
        }
        // A number alone does not say of what it is the number.
        let rowName: HTML = columns.first?.style == "n" ? names[0] : .none
        let body = rows.map { cells -> HTML in
            let row = zip(cells, columns.indices).map { cell, position -> HTML in
                if position == 0 { return "<th scope=\"row\"\(rowName)>\(cell)</th>" }
                return "<td\(styles[position])\(names[position])>\(cell)</td>"
            }
            return "<tr>\(row)</tr>\n"
        }
        return """
            <div class="scroll" role="region" tabindex="0" aria-label="\(caption)"><table\(kind)>
            <caption class="unseen">\(caption)</caption>
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(body)</tbody></table></div>
            """
    }
}
