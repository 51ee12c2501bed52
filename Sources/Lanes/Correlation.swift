internal import Journal

/// What a request carries so that the server's team can find it in their logs. Written digit by
/// digit, because every request has it.
enum Correlation {
    /// `RUN/HOUSEHOLD/SEQUENCE`, for `X-Screenrig`.
    static func mark(run: String, household: Int, sequence: Int) -> String {
        let runBytes = run.utf8
        return String(unsafeUninitializedCapacity: runBytes.count + 42) { text in
            var count = 0
            for byte in runBytes {
                text[count] = byte
                count += 1
            }
            text[count] = UInt8(ascii: "/")
            count = write(household, to: text, at: count + 1)
            text[count] = UInt8(ascii: "/")
            return write(sequence, to: text, at: count + 1)
        }
    }

    /// W3C trace context: the trace is the household, the span the exchange.
    static func traceparent(_ trace: Fingerprint, household: Int, sequence: Int) -> String {
        let span =
            UInt64(truncatingIfNeeded: household) << 24 | UInt64(truncatingIfNeeded: sequence)
        return String(unsafeUninitializedCapacity: 55) { text in
            text[0] = UInt8(ascii: "0")
            text[1] = UInt8(ascii: "0")
            text[2] = UInt8(ascii: "-")
            writeHexadecimal(trace.value, to: text, at: 3)
            writeHexadecimal(UInt64(truncatingIfNeeded: household) &+ 1, to: text, at: 19)
            text[35] = UInt8(ascii: "-")
            writeHexadecimal(span, to: text, at: 36)
            text[52] = UInt8(ascii: "-")
            text[53] = UInt8(ascii: "0")
            text[54] = UInt8(ascii: "1")
            return 55
        }
    }

    private static func write(
        _ number: Int, to text: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) -> Int {
        var start = start
        if number < 0 {
            text[start] = UInt8(ascii: "-")
            start += 1
        }
        var digits = 1
        var rest = number.magnitude / 10
        while rest > 0 {
            digits += 1
            rest /= 10
        }
        rest = number.magnitude
        for position in stride(from: start + digits - 1, through: start, by: -1) {
            text[position] = UInt8(48 + rest % 10)
            rest /= 10
        }
        return start + digits
    }

    private static func writeHexadecimal(
        _ value: UInt64, to text: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) {
        for position in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * position)) & 15
            text[start + position] = digit < 10 ? 48 + digit : 87 + digit
        }
    }
}
