internal import Formats

/// The key of access tokens: RS256 (RFC 7518, 3.3) under a modulus of 2,048 bits that is a product of 32 primes
/// of one machine word, instead of two of sixteen words (RFC 8017, 3.2 allows any number). Every verifier
/// accepts its signatures, and they cost a small part of those of an `RSAKey`, so that each device of a simulated
/// premiere can have one of its own.
///
/// DEMO KEY, NOT A SECRET: it is published below, and whoever has the modulus alone can factor it. It protects
/// nothing: a service that trusts it trusts the whole world.
public struct AccessTokenKey: Sendable {
    /// The same for everyone.
    public static let demo = AccessTokenKey()

    /// 256 bytes, the highest first.
    public let modulus: [UInt8]

    private let primes: [WordPrime]
    /// For each prime the inverses of those before it, one after another, in Montgomery form.
    private let inverses: [UInt64]
    /// For each prime what is left of the padded message without its digest.
    private let rests: [UInt64]

    private init() {
        let primes = Self.factors.map(WordPrime.init)
        self.primes = primes
        inverses = primes.indices.flatMap { place in
            primes[..<place].map { primes[place].inverse(of: $0.value) }
        }
        rests = primes.map { prime in
            prime.rest(of: Self.padding + Array(repeating: 0, count: 4))
        }
        var product: [UInt64] = [1]
        for prime in primes { Self.multiply(&product, by: prime.value, adding: 0) }
        modulus = Self.bytes(product)
    }

    /// What stands before the digest (RFC 8017, 9.2), as words, the highest first.
    private static let padding: [UInt64] =
        [0x0001_ffff_ffff_ffff] + Array(repeating: .max, count: 24)
        + [0xffff_ffff_0030_3130, 0x0d06_0960_8648_0165, 0x0304_0201_0500_0420]

    /// The signature of `bytes`, 256 bytes: a power for each prime, put together by Garner's rule (Knuth, The
    /// Art of Computer Programming 2, 4.3.2).
    public func sign(_ bytes: [UInt8]) -> [UInt8] {
        let digest = Self.words(SHA256.digest(bytes))
        // The result to mixed radices: digits[0] + digits[1] p0 + digits[2] p0 p1 + ...
        var digits = primes.indices.map { place in
            primes[place].sum(primes[place].rest(of: digest), rests[place])
        }
        for place in stride(from: 0, to: primes.count, by: 4) {
            WordPrime.raise(&digits, at: place, by: primes)
        }
        for former in primes.indices {
            let digit = digits[former]
            // None of these waits for another.
            for place in former + 1..<primes.count {
                let prime = primes[place]
                digits[place] = prime.product(
                    prime.difference(digits[place], prime.once(digit)),
                    inverses[place * (place - 1) / 2 + former])
            }
        }
        var number: [UInt64] = []
        number.reserveCapacity(primes.count)
        for place in primes.indices.reversed() {
            Self.multiply(&number, by: primes[place].value, adding: digits[place])
        }
        return Self.bytes(number)
    }

    /// The public half in PEM (`BEGIN PUBLIC KEY`).
    public var publicPEM: String {
        // SubjectPublicKeyInfo of an RSA key with 2,048 bits and the exponent 65537 (RFC 5280, 4.1).
        let head: [UInt8] = [
            0x30, 0x82, 0x01, 0x22, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d,
            0x01, 0x01, 0x01, 0x05, 0x00, 0x03, 0x82, 0x01, 0x0f, 0x00, 0x30, 0x82, 0x01, 0x0a,
            0x02, 0x82, 0x01, 0x01, 0x00,
        ]
        var rest = Base64.encode(head + modulus + [0x02, 0x03, 0x01, 0x00, 0x01])[...]
        var lines = ["-----BEGIN PUBLIC KEY-----"]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return (lines + ["-----END PUBLIC KEY-----", ""]).joined(separator: "\n")
    }

    // MARK: Long numbers, as words, the lowest first

    private static func multiply(_ number: inout [UInt64], by factor: UInt64, adding term: UInt64) {
        var carry = term
        for place in number.indices {
            let (high, low) = number[place].multipliedFullWidth(by: factor)
            let (sum, isOver) = low.addingReportingOverflow(carry)
            number[place] = sum
            carry = high &+ (isOver ? 1 : 0)
        }
        if carry > 0 || number.isEmpty { number.append(carry) }
    }

    private static func bytes(_ number: [UInt64]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        for (place, word) in number.enumerated() {
            for shift in 0..<8 {
                bytes[255 - place * 8 - shift] = UInt8(
                    truncatingIfNeeded: word >> UInt64(shift * 8))
            }
        }
        return bytes
    }

    /// Of 32 bytes, the highest first.
    private static func words(_ bytes: [UInt8]) -> [UInt64] {
        stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The primes, each with the private exponent below it: the inverse of 65537 modulo the prime less one.
    private static let factors: [(prime: UInt64, exponent: UInt64)] = [
        (0xfc48_d8b3_fe30_94cf, 0x82d6_34ac_8433_25b9),
        (0xfc96_1bbe_06cb_81fb, 0xafee_9e44_2dd7_7221),
        (0xfcb1_20d2_6aec_afe5, 0x25cd_29a7_d0af_0fb1),
        (0xfcd2_ea8d_e3f7_ef03, 0x5c85_16de_cbf1_1c5f),
        (0xfce2_2631_2185_85e9, 0xac00_a639_84b3_6d01),
        (0xfcf1_666d_26d8_01a5, 0xa61c_6656_a25e_d2dd),
        (0xfcfc_a0f1_e5f6_ce8d, 0xef6f_feb7_d389_db05),
        (0xfd26_a911_5a65_c413, 0x5d77_59b2_db82_795b),
        (0xfd27_6882_11cc_96d9, 0x3aa4_fc72_d548_bdd1),
        (0xfd3d_8e1d_c835_0691, 0xae1b_9e13_f7cc_0d21),
        (0xfd57_98bc_3e69_aaaf, 0xdcac_76b0_5235_3ca5),
        (0xfd6e_d706_6e78_0ba3, 0x6a2c_4569_2c5e_9e81),
        (0xfd7f_a566_8d25_e8a9, 0xaf7a_0ace_c06a_3b71),
        (0xfd83_5d4c_0a67_d3f9, 0xbecb_1ded_3bab_96a9),
        (0xfdb8_8026_e230_4843, 0x45e4_fbb8_ba7a_de8d),
        (0xfdf0_0d25_9125_31ad, 0x8bf0_820e_35d2_9d71),
        (0xfdf1_e34f_6308_b2cb, 0xfb92_cf6b_0d24_47e3),
        (0xfe42_0b97_94f8_1c17, 0xcfd0_afa4_dfaf_c355),
        (0xfe7a_4182_8390_8dc7, 0x1f80_a0f5_7835_ffe7),
        (0xfece_e779_34af_3b19, 0x7d58_6cd7_dc09_e369),
        (0xfed3_b40d_5856_bc43, 0x3a25_404e_533b_e755),
        (0xfed3_bcf4_266d_6859, 0x6a2d_797e_d580_22c9),
        (0xfee6_be82_bdec_81e7, 0x5840_4741_38c4_438d),
        (0xff0e_069a_956f_004b, 0x7ddc_19fe_2647_8449),
        (0xff0e_ec57_3a3f_07ad, 0x2c6a_d7e3_b4e4_071d),
        (0xff39_6670_772b_9e0d, 0x5309_0fc5_0360_9379),
        (0xff5d_5e0a_0bf1_7307, 0x97b1_cc12_25c4_1973),
        (0xff80_3ae2_7cfa_47b9, 0x1266_b9d6_f609_5081),
        (0xff94_9e31_6b77_a287, 0x3f48_2a1f_2c6f_d3d3),
        (0xff95_0234_3d6b_4a27, 0x7121_32fd_8ea6_3c07),
        (0xffa6_404e_72d9_7399, 0x9f89_5e64_1664_0131),
        (0xffe6_249d_765a_f1bf, 0x6dd6_78ec_e57a_4fbd),
    ]
}

/// Arithmetic modulo a prime between 2^63 and 2^64, by Montgomery's products.
private struct WordPrime: Sendable {
    let value: UInt64
    private let exponent: UInt64
    /// 2^128 modulo the prime: what takes a number into Montgomery's form.
    private let square: UInt64
    /// The inverse of the prime modulo 2^64.
    private let inverse: UInt64

    init(_ factor: (prime: UInt64, exponent: UInt64)) {
        value = factor.prime
        exponent = factor.exponent
        var inverse = factor.prime
        // Each step doubles the number of right bits, of which an odd number's own square has three.
        for _ in 0..<5 { inverse &*= 2 &- factor.prime &* inverse }
        self.inverse = inverse
        // 2^64 is less than twice the prime.
        let word = 0 &- factor.prime
        square = factor.prime.dividingFullWidth((word, 0)).remainder
    }

    /// `left * right / 2^64`. Which way a comparison goes is random here, so that nothing branches on one.
    @inline(__always)
    func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (high, low) = left.multipliedFullWidth(by: right)
        // The lower halves are equal, and cancel.
        return difference(high, (low &* inverse).multipliedFullWidth(by: value).high)
    }

    @inline(__always)
    func sum(_ left: UInt64, _ right: UInt64) -> UInt64 { difference(left, value &- right) }

    @inline(__always)
    func difference(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (difference, isBelow) = left.subtractingReportingOverflow(right)
        return difference &+ (value & (0 &- (isBelow ? 1 : 0)))
    }

    /// A word, of which at most one prime has to be taken.
    @inline(__always)
    func once(_ word: UInt64) -> UInt64 { word >= value ? word - value : word }

    /// What is left of a number, given as words, the highest first.
    func rest(of words: [UInt64]) -> UInt64 {
        words.reduce(0) { sum(product($0, square), once($1)) }
    }

    /// Four numbers to the private exponents of their primes, in their places. One product waits for the one before
    /// it: of four rows that take turns a processor works on all at once.
    static func raise(_ numbers: inout [UInt64], at place: Int, by primes: [WordPrime]) {
        let (first, second) = (primes[place], primes[place + 1])
        let (third, fourth) = (primes[place + 2], primes[place + 3])
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 64) { powers in
            // The powers 0 to 15 of each, side by side.
            for (row, prime) in [first, second, third, fourth].enumerated() {
                powers[row] = prime.product(1, prime.square)
                powers[4 + row] = prime.product(numbers[place + row], prime.square)
            }
            for power in 2..<16 {
                let (at, former) = (4 * power, 4 * power - 4)
                powers[at] = first.product(powers[former], powers[4])
                powers[at + 1] = second.product(powers[former + 1], powers[5])
                powers[at + 2] = third.product(powers[former + 2], powers[6])
                powers[at + 3] = fourth.product(powers[former + 3], powers[7])
            }
            var (one, two, three, four) = (powers[0], powers[1], powers[2], powers[3])
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                for _ in 0..<4 {
                    one = first.product(one, one)
                    two = second.product(two, two)
                    three = third.product(three, three)
                    four = fourth.product(four, four)
                }
                one = first.product(one, powers[4 * Int(first.exponent >> shift & 15)])
                two = second.product(two, powers[4 * Int(second.exponent >> shift & 15) + 1])
                three = third.product(three, powers[4 * Int(third.exponent >> shift & 15) + 2])
                four = fourth.product(four, powers[4 * Int(fourth.exponent >> shift & 15) + 3])
            }
            numbers[place] = first.product(one, 1)
            numbers[place + 1] = second.product(two, 1)
            numbers[place + 2] = third.product(three, 1)
            numbers[place + 3] = fourth.product(four, 1)
        }
    }

    /// The inverse of a word, in Montgomery's form (Fermat).
    func inverse(of word: UInt64) -> UInt64 { montgomeryPower(once(word), value - 2) }

    private func montgomeryPower(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 16) { powers in
            powers[0] = product(1, square)
            powers[1] = product(base, square)
            for place in 2..<16 { powers[place] = product(powers[place - 1], powers[1]) }
            var result = powers[Int(exponent >> 60)]
            for shift in stride(from: UInt64(56), through: 0, by: -4) {
                result = product(result, result)
                result = product(result, result)
                result = product(result, result)
                result = product(result, result)
                result = product(result, powers[Int(exponent >> shift & 15)])
            }
            return result
        }
    }
}
