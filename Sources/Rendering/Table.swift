/// A table whose first column names its rows; columns of numbers are set to the right.
package struct Table {
    package struct Column {
        package var title: HTML
        package var isNumber: Bool

        package static func text(_ title: HTML) -> Column { Column(title: title, isNumber: false) }
        package static func number(_ title: HTML) -> Column { Column(title: title, isNumber: true) }
    }

    package var caption: String
    package var columns: [Column]
    package var rows: [[HTML]]
    /// The page's script makes its headers buttons that sort it.
    package var isSortable: Bool

    package init(
        caption: String, columns: [Column], rows: [[HTML]], isSortable: Bool = false
    ) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.isSortable = isSortable
    }

    package var html: HTML {
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
