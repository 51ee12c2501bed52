/// Texts as words of a shell's command line (POSIX sh), for a command to copy and for scripts.
public enum ShellText {
    /// One word: as it is where no shell reads anything else into it, else in quotes.
    public static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { plain.contains($0) }
        return isPlain && !text.isEmpty ? text : quoted(text)
    }

    /// In single quotes, whatever is in it. Control characters are spelled by `printf`: a terminal that shows the line
    /// does not obey them. Tabs and ends of lines stay.
    public static func quoted(_ text: some StringProtocol) -> String {
        var quoted = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": quoted += "'\\''"
            case _ where scalar.isControl && scalar != "\n" && scalar != "\t":
                let octal = (UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter).map {
                    "\\" + String(Int($0) | 0o1000, radix: 8).dropFirst()
                }
                quoted += "'\"$(printf '\(octal.joined())')\"'"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "'"
    }

    /// Not `~`: bash expands it behind `=` and `:`, too.
    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+".utf8)
}
