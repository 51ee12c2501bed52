extension Unicode.Scalar {
    /// Whether a terminal may obey it, or a text reads otherwise than it stands there because of it: control
    /// characters (C0 with tab and line end, DEL, C1), separators of lines, marks of direction, and what is
    /// no character.
    public var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfffe,
            0xffff:
            true
        default: false
        }
    }
}
