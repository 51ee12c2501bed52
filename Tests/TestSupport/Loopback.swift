public import Glibc

/// TCP sockets of 127.0.0.1. Whoever asks for one closes it.
public enum Loopback {
    /// A socket at a free port. Nothing listens there yet.
    public static func bound() -> (handle: Int32, port: Int) {
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, length) == 0 && getsockname(handle, $0, &length) == 0
            }
        }
        precondition(isBound, "no loopback socket")
        return (handle, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// A socket at a free port at which connections are made; `backlog`: how many before one is accepted.
    public static func listening(backlog: Int32 = 1024) -> (handle: Int32, port: Int) {
        let socket = bound()
        precondition(listen(socket.handle, backlog) == 0, "a loopback socket that does not listen")
        return socket
    }

    /// A connection to that port; nil where there is none to be had.
    public static func connected(to port: Int) -> Int32? {
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if connect(handle, to: port) { return handle }
        close(handle)
        return nil
    }

    /// False where nothing listens.
    public static func connect(_ handle: Int32, to port: Int) -> Bool {
        var address = address(port: port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// The other end of a connection; nil where `handle` is none.
    public static func peer(of handle: Int32) -> sockaddr_in? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(handle, $0, &length) == 0
            }
        }
        return isKnown ? address : nil
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
