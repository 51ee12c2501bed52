/// A ZIP archive of a few texts, stored as they are (PKWARE APPNOTE 6.3, 4.3): every system opens it,
/// and the same files give the same bytes.
package enum Zip {
    /// What cannot be written in the format's 32-bit fields is nothing that a report ever is.
    package static func archive(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        var archive: [UInt8] = []
        var directory: [UInt8] = []
        for file in files {
            let offset = archive.count
            let facts = facts(file.name, file.bytes)
            archive += four(0x0403_4b50) + facts + Array(file.name.utf8) + file.bytes
            // Made on a Unix system, readable by all, a plain file.
            directory += four(0x0201_4b50) + two(0x0314) + facts
            directory += two(0) + two(0) + two(0) + four(0o100644 << 16) + four(offset)
            directory += Array(file.name.utf8)
        }
        let start = archive.count
        archive += directory
        archive += four(0x0605_4b50) + two(0) + two(0) + two(files.count) + two(files.count)
        return archive + four(directory.count) + four(start) + two(0)
    }

    /// What both headers of a file say: names in UTF-8, stored, at the first date that ZIP knows.
    private static func facts(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let (version, flags, method, time, date) = (20, 0x0800, 0, 0, 0x0021)
        return [version, flags, method, time, date].flatMap(two) + four(Int(checksum(bytes)))
            + four(bytes.count) + four(bytes.count) + two(name.utf8.count) + two(0)
    }

    /// CRC-32 as in ISO 3309, a byte at a time.
    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes { sum = table[Int((sum ^ UInt32(byte)) & 0xff)] ^ sum >> 8 }
        return ~sum
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1
        }
    }

    private static func two(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }

    private static func four(_ value: Int) -> [UInt8] { two(value) + two(value >> 16) }
}
