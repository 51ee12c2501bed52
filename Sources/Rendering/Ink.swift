/// Colours of a terminal, or none.
package struct Ink {
    package enum Paint: Int, CaseIterable {
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
    }

    package var isOn: Bool

    package init(isOn: Bool) { self.isOn = isOn }

    package func callAsFunction(_ text: String, _ paint: Paint, bold: Bool = false) -> String {
        isOn ? "\u{1b}[\(bold ? "1;" : "")\(paint.rawValue)m\(text)\u{1b}[0m" : text
    }
}

extension String {
    package func padded(to width: Int, right: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - count))
        return right ? space + self : self + space
    }

    package var trimmedEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
