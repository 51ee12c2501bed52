import Foundation
import Synchronization
import TestSupport

/// A plain client on a thread of its own: reads what comes, as it comes.
final class Browser: Sendable {
    private let socket: Int32
    private let heard = Mutex((text: "", hasEnded: false))

    /// Connects and sends `request`; reads only if `reads`.
    init(port: Int, _ request: String, reads: Bool = true) {
        let handle = Loopback.connected(to: port) ?? -1
        socket = handle
        let bytes = Array(request.utf8)
        _ = send(handle, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard reads else { return }
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(handle, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                let text = String(decoding: buffer.prefix(count), as: UTF8.self)
                heard.withLock { $0.text += text }
            }
            heard.withLock { $0.hasEnded = true }
        }
    }

    deinit { close(socket) }

    var text: String { heard.withLock { $0.text } }
    var hasEnded: Bool { heard.withLock { $0.hasEnded } }

    /// Waits until `condition` holds of what was heard; false after ten seconds.
    func waits(until condition: (String) -> Bool) async -> Bool {
        let start = ContinuousClock.now
        while !condition(text) {
            if ContinuousClock.now - start > .seconds(10) { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    /// One request on a connection of its own, to its end.
    static func get(
        _ path: String, port: Int, method: String = "GET", host: String? = nil
    ) async -> (status: Int, head: String, body: String) {
        let browser = Browser(
            port: port,
            "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "localhost:\(port)")\r\nConnection: close\r\n\r\n"
        )
        _ = await browser.waits { _ in browser.hasEnded }
        let parts = browser.text.components(separatedBy: "\r\n\r\n")
        let status = parts[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return (status, parts[0], parts.dropFirst().joined(separator: "\r\n\r\n"))
    }
}
