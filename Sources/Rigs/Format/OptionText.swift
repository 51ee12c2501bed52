package import Statistics

/// Values of command line options that are written as in rigs.
package enum OptionText {
    /// What is wanted instead of a text.
    package struct Wanted: Error, CustomStringConvertible {
        package var description: String
    }

    /// `20s`, `uniform(1s, 3s)`, ...
    package static func distribution(_ text: String) throws(Wanted) -> Distribution {
        try value(text, .distribution)
    }

    /// `3%`, as 0 to 1.
    package static func share(_ text: String) throws(Wanted) -> Double { try value(text, .share) }

    /// `5s`, `1m30s`.
    package static func duration(_ text: String) throws(Wanted) -> Duration {
        try value(text, .duration)
    }

    private static func value<Value>(
        _ text: String, _ scalar: Scalar<Value>
    ) throws(Wanted) -> Value {
        do {
            return try scalar.parse(text)
        } catch {
            throw Wanted(description: scalar.form.wanted)
        }
    }
}
