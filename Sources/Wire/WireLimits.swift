internal import CCurl
internal import Glibc

/// What this machine allows: for `validate`, and for the start of a run.
public enum WireLimits {
    /// Open descriptors of this process: what is allowed now, and what it may raise that to.
    public struct Descriptors: Hashable, Sendable {
        public var soft: Int
        public var hard: Int
    }

    /// RLIMIT_NOFILE as it stands.
    public static func descriptors() -> Descriptors {
        let limit = read()
        return Descriptors(soft: whole(limit.rlim_cur), hard: whole(limit.rlim_max))
    }

    /// Raises the soft limit to the hard one, which needs no privilege, and returns both.
    @discardableResult
    public static func raiseDescriptorLimit() -> Descriptors {
        var limit = read()
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return descriptors()
    }

    /// Local ports that the kernel gives to connections, per source address and destination; the
    /// kernel's default when the system does not say.
    public static func ephemeralPorts() -> ClosedRange<Int> {
        let fallback = 32768...60999
        guard let file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re") else {
            return fallback
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, Int32(line.count), file) != nil else { return fallback }
        let text = String(decoding: line.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let ports = text.split { !$0.isNumber }.compactMap { Int($0) }
        guard ports.count == 2, ports[0] <= ports[1] else { return fallback }
        return ports[0]...ports[1]
    }

    /// Whether connections may begin at this IPv4 address: it is loopback, or this machine's own. The
    /// kernel is asked, which knows of ranges that no interface shows; nothing is sent.
    public static func maySend(from address: String) -> Bool {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        guard inet_pton(AF_INET, address, &place.sin_addr) == 1 else { return false }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        SourceAddresses.bindWithoutPort(descriptor)
        return withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func read() -> rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }

    private static func whole(_ limit: rlim_t) -> Int { Int(clamping: limit) }
}
