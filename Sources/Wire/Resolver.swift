internal import CCurl
internal import Dispatch
internal import Glibc
internal import Journal
internal import Lanes

/// Asks the system for the addresses of a name. Blocks: never on a lane.
public enum Resolver {
    /// Why a name has no address: the system's words.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String
    }

    /// All addresses of `host` in the system's order; a literal is its own.
    public static func resolve(_ host: String) throws(Failure) -> [IPAddress] {
        if let literal = IPAddress(host) { return [literal] }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = curl_stream_socket()
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            throw Failure(description: String(cString: gai_strerror(code)).lowercased())
        }
        defer { freeaddrinfo(list) }
        var found: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr.flatMap({ IPAddress($0) }), !found.contains(address) {
                found.append(address)
            }
            next = entry.ai_next
        }
        guard !found.isEmpty else { throw Failure(description: "no IP address") }
        return found
    }
}

/// What one lane knows of names. Each is asked for once, by whoever comes first, on a queue off the
/// lane; the rest wait in line. Kept for 30 s, so that a name that moves is noticed; failures for
/// two, so that a dead name is not asked for at every request.
final class NameTable {
    typealias LookupResult = Result<[IPAddress], Resolver.Failure>
    typealias Lookup = @Sendable (String) -> LookupResult

    static let keeps: Duration = .seconds(30)
    static let keepsFailures: Duration = .seconds(2)

    private enum NameEntry {
        case asking([(LookupResult) -> Void])
        case known(LookupResult, until: Instant)
    }

    private var entries: [String: NameEntry] = [:]
    private unowned let lane: Lane
    private let lookup: Lookup
    private let queue = DispatchQueue(label: "screenrig.names", attributes: .concurrent)

    init(lane: Lane, lookup: @escaping Lookup = NameTable.system) {
        self.lane = lane
        self.lookup = lookup
    }

    @Sendable static func system(_ host: String) -> LookupResult {
        do throws(Resolver.Failure) { return .success(try Resolver.resolve(host)) } catch {
            return .failure(error)
        }
    }

    /// Calls `use` with what `host` resolves to: at once when that is known, else later, on the lane.
    func find(_ host: String, _ use: @escaping (LookupResult) -> Void) {
        switch entries[host] {
        case .known(let found, let until) where lane.now < until: use(found)
        case .asking(let waiting): entries[host] = .asking(waiting + [use])
        case .known, nil:
            if let literal = IPAddress(host) {
                let found = LookupResult.success([literal])
                entries[host] = .known(found, until: .distantFuture)
                use(found)
            } else {
                entries[host] = .asking([use])
                ask(host)
            }
        }
    }

    /// Drops everyone who waits, without an answer.
    func abandon() {
        entries = entries.filter { if case .known = $0.value { true } else { false } }
    }

    private func ask(_ host: String) {
        let table = LaneReference(self, lane: lane)
        queue.async { [lookup, lane] in
            let found = lookup(host)
            lane.post { table.value.learn(host, found) }
        }
    }

    private func learn(_ host: String, _ found: LookupResult) {
        guard case .asking(let waiting) = entries[host] else { return }
        let keeps = if case .success = found { Self.keeps } else { Self.keepsFailures }
        entries[host] = .known(found, until: lane.now + keeps)
        for use in waiting { use(found) }
    }
}

/// Carries a reference that belongs to a lane through another thread and back.
///
/// Safe because the other thread can only hold it: `value` checks that it is read on the lane.
private final class LaneReference<Value: AnyObject>: @unchecked Sendable {
    private let held: Value
    private let lane: Lane

    init(_ value: Value, lane: Lane) {
        held = value
        self.lane = lane
    }

    var value: Value {
        lane.checkIsolated()
        return held
    }
}
