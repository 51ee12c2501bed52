import Dialects

@testable import Wire

/// What reading an answer came to.
enum Reading1: Equatable, CustomStringConvertible {
    case reply(Reply, persists: Bool, used: Int)
    case fault(ResponseFault)

    var description: String {
        switch self {
        case .reply(let reply, let persists, let used):
            let fields = reply.headers.fields.map { "\($0.name)=\($0.value)" }
            return
                "\(reply.status) [\(fields.joined(separator: "|"))] '\(reply.text)'"
                + (persists ? " keep" : " close") + " \(used)"
        case .fault(let fault): return fault.label
        }
    }
}

/// The slow, obvious twin of `ResponseParser`: the whole connection in one array, texts everywhere,
/// no state between calls.
struct SlowReader {
    var bytes: [UInt8]
    var answersHead = false
    var bodyLimit = 1000
    var headLimit = 400
    private var position = 0
    private var headBytes = 0

    init(_ bytes: [UInt8], answersHead: Bool = false) {
        self.bytes = bytes
        self.answersHead = answersHead
    }

    mutating func read() -> Reading1 {
        do throws(ResponseFault) {
            if bytes.isEmpty { throw .unanswered }
            while true {
                let (status, isOld) = try statusLine()
                let fields = try fields()
                if status == 101 { throw .switchedProtocols }
                if status >= 200 { return try answer(status, isOld, fields) }
            }
        } catch {
            return .fault(error)
        }
    }

    /// The next line with its LF; a fault where the bytes end before it.
    private mutating func line() throws(ResponseFault) -> [UInt8] {
        let rest = bytes[position...]
        guard let end = rest.firstIndex(of: 10) else {
            if headBytes + rest.count > headLimit { throw .headTooLong }
            throw .cutOff
        }
        let line = Array(rest[...end])
        headBytes += line.count
        if headBytes > headLimit { throw .headTooLong }
        position = end + 1
        return line
    }

    private static func withoutEnd(_ line: [UInt8]) -> [UInt8] {
        Array(line.dropLast(line.suffix(2) == [13, 10] ? 2 : 1))
    }

    private mutating func statusLine() throws(ResponseFault) -> (Int, Bool) {
        let start = Array(bytes[position...].prefix(5))
        guard Array("HTTP/".utf8).starts(with: start) else { throw .statusLine }
        let text = Self.withoutEnd(try line())
        let characters = text.map { Character(UnicodeScalar($0)) }
        guard characters.count >= 12 else { throw .statusLine }
        let major = characters[5]
        let hasVersion = major.isASCIIDigit && characters[6] == "." && characters[7].isASCIIDigit
        if !hasVersion { throw major == "2" || major == "3" ? .version : .statusLine }
        if major != "1" { throw .version }
        let rest = characters[8...]
        guard rest.first == " " || rest.first == "\t" else { throw .statusLine }
        let code = rest.drop { $0 == " " || $0 == "\t" }
        let word = String(code.prefix { $0 != " " && $0 != "\t" })
        guard word.utf8.count == 3, word.allSatisfy(\.isASCIIDigit), let status = Int(word),
            status >= 100
        else { throw .statusLine }
        if text.contains(0) { throw .nul }
        return (status, characters[7] == "0")
    }

    private mutating func fields() throws(ResponseFault) -> [(name: String, value: [UInt8])] {
        var found: [(name: String, value: [UInt8])] = []
        while true {
            let text = Self.withoutEnd(try line())
            if text.isEmpty { break }
            if text[0] == 32 || text[0] == 9 {
                if found.isEmpty { throw .spaceBeforeFields }
                found[found.count - 1].value += [32] + Self.trimmed(text)
                continue
            }
            guard let colon = text.firstIndex(of: 58) else { throw .fieldName }
            var name = Array(text[..<colon])
            while name.last == 32 || name.last == 9 { name.removeLast() }
            let special = Array("!#$%&'*+-.^_`|~".utf8)
            let isToken = name.allSatisfy {
                special.contains($0) || Character(UnicodeScalar($0)).isASCIIDigit
                    || (65...90).contains($0) || (97...122).contains($0)
            }
            guard !name.isEmpty, isToken else { throw .fieldName }
            found.append(
                (
                    String(decoding: name, as: UTF8.self),
                    Self.trimmed(Array(text[(colon + 1)...]))
                ))
        }
        if found.contains(where: { $0.value.contains(0) }) { throw .nul }
        return found.map { ($0.name, $0.value.map { $0 == 13 ? 32 : $0 }) }
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while let last = bytes.last, [32, 9, 13].contains(last) { bytes.removeLast() }
        while let first = bytes.first, [32, 9, 13].contains(first) { bytes.removeFirst() }
        return bytes
    }

    private mutating func answer(
        _ status: Int, _ isOld: Bool, _ fields: [(name: String, value: [UInt8])]
    ) throws(ResponseFault) -> Reading1 {
        func words(_ name: String) -> [String]? {
            let values = fields.filter { $0.name.lowercased() == name }
            if values.isEmpty { return nil }
            return values.flatMap { field in
                field.value.split(separator: 44).map { Self.trimmed(Array($0)) }
                    .filter { !$0.isEmpty }
                    .map { String($0.map { Character(UnicodeScalar($0)) }).lowercased() }
            }
        }
        let codings = (words("transfer-encoding") ?? []).filter { $0 != "identity" }
        guard codings == [] || codings == ["chunked"] else { throw .transferCoding }
        var length: Int?
        if let lengths = words("content-length") {
            let isNumber = lengths.allSatisfy {
                !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit)
            }
            let hasEmpty = fields.contains {
                $0.name.lowercased() == "content-length"
                    && $0.value.allSatisfy { [32, 9, 44].contains($0) }
            }
            guard isNumber, !lengths.isEmpty, Set(lengths.map { Int($0) ?? .max }).count == 1,
                !hasEmpty
            else { throw .contentLength }
            length = Int(lengths[0]) ?? .max
        }
        if !codings.isEmpty, length != nil { throw .lengthAndCoding }
        let options = words("connection") ?? []
        var persists = (!isOld || options.contains("keep-alive")) && !options.contains("close")
        var body: [UInt8] = []
        if answersHead || status == 204 || status == 304 {
        } else if !codings.isEmpty {
            persists = persists && !isOld
            body = try chunks()
        } else if let length {
            if length > bodyLimit { throw .bodyTooLong }
            if bytes.count - position < length { throw .cutOff }
            body = Array(bytes[position..<position + length])
            position += length
        } else {
            persists = false
            body = Array(bytes[position...])
            if body.count > bodyLimit { throw .bodyTooLong }
            position = bytes.count
        }
        let headers = Headers(
            fields.map { Headers.Field($0.name, String(decoding: $0.value, as: UTF8.self)) })
        return .reply(
            Reply(status: status, headers: headers, body: body), persists: persists,
            used: position)
    }

    private mutating func chunks() throws(ResponseFault) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let text = try line()
            guard text.suffix(2) == [13, 10] else { throw .chunkSize }
            let characters = text.dropLast(2).map { Character(UnicodeScalar($0)) }
            let digits = characters.prefix { $0.isASCII && $0.isHexDigit }
            let after = characters.dropFirst(digits.count).first { $0 != " " && $0 != "\t" }
            guard !digits.isEmpty, after == nil || after == ";" else { throw .chunkSize }
            let significant = digits.drop { $0 == "0" }
            guard significant.count <= 15 else { throw .chunkSize }
            let size = significant.isEmpty ? 0 : Int(String(significant), radix: 16)!
            if size == 0 { break }
            if body.count + size > bodyLimit { throw .bodyTooLong }
            if bytes.count - position < size { throw .cutOff }
            body += bytes[position..<position + size]
            position += size
            for expected in [13, 10] as [UInt8] {
                if position == bytes.count { throw .cutOff }
                if bytes[position] != expected { throw .chunkEnd }
                position += 1
            }
        }
        while !Self.withoutEnd(try line()).isEmpty {}
        return body
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
