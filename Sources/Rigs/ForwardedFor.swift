internal import Statistics

extension Rig {
    /// The address that each request comes from, as `X-Forwarded-For` says: services throttle by it (rest-v1.md § 14).
    public enum ForwardedFor: Sendable, Hashable {
        /// A home has one, its router's, for the TV and the phones. Households that share a sign-in are one home.
        case perHousehold
        /// Each device has one of its own.
        case perDevice
        case none
        /// As `perHousehold`, out of these; where they are used up they come round again.
        case listed(AddressPool)

        /// A list of ranges, which may not be empty, nor have an address twice.
        static func listed(_ blocks: [AddressBlock], _ marks: Marks, _ reader: inout ValueReader)
            -> Self?
        {
            let pool = AddressPool(blocks)
            if blocks.isEmpty {
                reader.refuse(
                    marks.place,
                    "forwarded-for is an empty list; write per-household, or a range such as [203.0.113.0/24]"
                )
            } else if let (first, second) = pool.overlap, marks.items.indices.contains(second) {
                reader.refuse(
                    marks.items[second].place,
                    "this range has addresses of item \(first + 1), and two homes would have one limit; "
                        + "remove one of them")
            }
            return .listed(pool)
        }

        /// Whether the devices of a household have one address.
        public var isOfHomes: Bool {
            switch self {
            case .perHousehold, .listed: true
            case .perDevice, .none: false
            }
        }
    }

    /// Households of a home: 2 where some share a sign-in.
    public var householdsOfHome: Int { kinds.contains { $0.hasSharedHomes } ? 2 : 1 }

    /// Whether a home may be given the address of an earlier one: then nobody knows what its limit has left.
    public var repeatsAddresses: Bool {
        guard case .listed(let pool) = forwardedFor else { return false }
        guard let households = Plan(self, seed: seed).households else { return true }
        return HomeAddresses.homes(households, of: self) > pool.count
    }

    /// For a flow in which people lose no time: at home nobody is as fast, so that TV and phone would meet a limit
    /// that they share and that real ones do not meet.
    mutating func hurry() {
        if forwardedFor == .perHousehold { forwardedFor = .perDevice }
    }
}

/// Which home, or device, has which address: a function of the rig, the seed, the run's id and the number of the
/// household in the whole plan, and of nothing else. So parts of a plan, which are disjoint (`Plan.part`), need not
/// speak of addresses with each other, on one machine or on several: none is given twice while there are enough. By
/// default that is for 131,072 of 198.18.0.0/15, which is set aside for tests of networks (RFC 2544), and after
/// them for 2^32 homes in 2001:db8::/32, each with a /64 (RFC 3849).
struct HomeAddresses: Sendable, Hashable {
    /// One after the other is used up; the last comes round again.
    private let pools: [AddressPool]
    /// Where a run begins in each.
    private let begin: [Int]
    private let isOfHomes: Bool
    /// Numbers for each household.
    private let devicesEach: Int
    private let householdsEach: Int

    private static let usual = ["198.18.0.0/15", "2001:db8::/32"].map {
        AddressPool([AddressBlock($0)].compactMap(\.self))
    }

    /// Nil where devices have none. `seed`: of this run; nil: each run begins with the same.
    init?(_ rig: Rig, seed: Seed?, devicesEach: Int) {
        let first: Int
        switch rig.forwardedFor {
        case .none: return nil
        case .perHousehold, .perDevice: (pools, first) = (Self.usual, 1)
        case .listed(let pool):
            guard pool.count > 0 else { return nil }
            (pools, first) = ([pool], 0)
        }
        var dice = seed?.generator()
        begin = pools.map { dice?.below($0.count) ?? first }
        isOfHomes = rig.forwardedFor.isOfHomes
        self.devicesEach = devicesEach
        householdsEach = Self.householdsEach(rig)
    }

    /// Households that certainly have one home: where only some of the kinds do, numbers are left out.
    private static func householdsEach(_ rig: Rig) -> Int {
        rig.kinds.allSatisfy(\.hasSharedHomes) ? rig.householdsOfHome : 1
    }

    /// Numbers that so many households take.
    static func homes(_ households: Int, of rig: Rig) -> Int {
        let each = householdsEach(rig)
        return (households + each - 1) / each
    }

    /// The address of a device of a household, from 0; `home`: the first household of its home.
    func address(of device: Int, in household: Int, home: Int) -> String {
        self[isOfHomes ? home / householdsEach : household * devicesEach + device]
    }

    private subscript(number: Int) -> String {
        var number = number
        var place = 0
        while place + 1 < pools.count, number >= pools[place].count {
            number -= pools[place].count
            place += 1
        }
        return pools[place][(number % pools[place].count) + begin[place]]
    }

    /// Two that nobody has, of a plan of so many households (nil: of any number), where there are: a preflight fills
    /// their buckets. `salt` chooses; else they are of the blocks for documentation (RFC 5737).
    /// `pair`: which two, for several preflights at a time.
    func spare(besides households: Int?, salt: UInt64, pair: Int = 0) -> [String] {
        let size = pools[0].count
        let each = isOfHomes ? 1 : devicesEach
        let used = households.map { $0.multipliedReportingOverflow(by: each).partialValue }
        // Of homes without end the second half of the addresses comes long after the preflight.
        let free = size - min(size, used ?? size / 2)
        guard free > 1 else {
            let host = 1 + (salt % 254 + UInt64(pair)) % 254
            return ["192.0.2", "198.51.100"].map { "\($0).\(host)" }
        }
        let first = (Int(salt % UInt64(free)) + 2 * (pair % free)) % free
        return [first, (first + 1) % free].map { pools[0][size - 1 - $0 + begin[0]] }
    }
}

/// What stands under `forwarded-for: {file: ...}`.
struct AddressFile: RigSection {
    var file = ""

    static let blank = AddressFile()
    static let keys: [Key<AddressFile>] = [
        Key(
            "file", .scalar(.text), into: \.file, required: true, example: "ips.txt",
            "The file, relative to the rig: one address on each line; # begins a comment.")
    ]
}

/// Reads such a file: one address for each line, every problem with its line.
struct AddressFileReader {
    let path: String
    private(set) var problems: [RigProblem] = []

    private static let addressesAtMost = 1_000_000
    /// After so many the file is read no further.
    private static let problemsAtMost = 1_000

    init(_ path: String) { self.path = path }

    mutating func read(_ text: String) -> [AddressBlock] {
        var blocks: [AddressBlock] = []
        var lines: [AddressBlock: Int] = [:]
        for (position, line) in text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        )
        .enumerated() {
            let number = position + 1
            let word = line.prefix { $0 != "#" }.trimmingSpaces()
            guard !word.isEmpty, problems.count < Self.problemsAtMost else { continue }
            guard blocks.count < Self.addressesAtMost else {
                refuse(
                    number,
                    "more than \(Self.addressesAtMost) addresses; use a smaller file, or ranges")
                break
            }
            guard !word.contains("/"), let block = AddressBlock(word) else {
                let remedy =
                    word.contains("/")
                    ? "is a range; write each address on a line of its own, or ranges in the rig: "
                        + "forwarded-for: [\(word.shortened)]"
                    : "is no address; write one on each line, such as 203.0.113.7"
                refuse(number, "'\(word.shortened)' \(remedy)")
                continue
            }
            if let first = lines[block] {
                refuse(
                    number,
                    "duplicate of the address in line \(first), and two homes would have one limit; remove one "
                        + "of them")
                continue
            }
            lines[block] = number
            blocks.append(block)
        }
        if blocks.isEmpty, problems.isEmpty {
            refuse(1, "the file has no address; write one on each line, such as 203.0.113.7")
        }
        return blocks
    }

    private mutating func refuse(_ line: Int, _ sentence: String) {
        problems.append(RigProblem(Place(file: path, line: line, column: 0), .conflict(sentence)))
    }
}
