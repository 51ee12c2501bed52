import Foundation

/// Text and answers between a test and its browser.
extension Browser {
    static func quoted(_ text: String) -> String {
        let data = try? JSONSerialization.data(withJSONObject: [text])
        return String(String(decoding: data ?? Data(), as: UTF8.self).dropFirst().dropLast())
    }

    static func words(_ details: [String: Any]) -> String {
        let exception = details["exception"] as? [String: Any]
        return exception?["description"] as? String ?? details["text"] as? String ?? "\(details)"
    }

    // MARK: The pipe

    /// Sends a command and waits for its answer; events that come meanwhile are noted.
    @discardableResult
    func send(
        _ method: String, _ parameters: [String: Any] = [:], within limit: Duration = .seconds(30)
    ) throws -> [String: Any] {
        lastID += 1
        var message: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        let bytes = [UInt8](try JSONSerialization.data(withJSONObject: message)) + [0]
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                write(toBrowser, $0.baseAddress, $0.count)
            }
            guard count > 0 else { throw Trouble.silent("cannot write \(method)") }
            written += count
        }
        let end = ContinuousClock.now + limit
        while true {
            guard let answer = try receive(until: end, method), answer["id"] as? Int == lastID
            else { continue }
            if let error = answer["error"] as? [String: Any] {
                throw Trouble.refused("\(method): \(error["message"] ?? error)")
            }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    /// Takes note of what happens until the condition holds.
    func wait(
        _ what: String, within limit: Duration = .seconds(30), until condition: () throws -> Bool
    ) throws {
        let end = ContinuousClock.now + limit
        while try !condition() {
            guard ContinuousClock.now < end else { throw Trouble.silent("waited for \(what)") }
            usleep(50_000)
        }
    }

    /// The next message: an answer, or an event, of which note is taken here.
    @discardableResult
    func receive(
        until end: ContinuousClock.Instant, _ what: String
    ) throws -> [String: Any]? {
        while true {
            if let stop = received.firstIndex(of: 0) {
                let data = Data(received[..<stop])
                received.removeSubrange(...stop)
                let message = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
                note(message)
                return message
            }
            guard ContinuousClock.now < end else { throw Trouble.silent("waited for \(what)") }
            var descriptor = pollfd(fd: fromBrowser, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 100) > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(fromBrowser, &buffer, buffer.count)
            if count > 0 { received += buffer[..<count] }
        }
    }

    private func note(_ message: [String: Any]) {
        let event = message["params"] as? [String: Any] ?? [:]
        switch message["method"] as? String {
        case "Page.loadEventFired": hasLoaded = true
        case "Runtime.exceptionThrown":
            complaints.append(Self.words(event["exceptionDetails"] as? [String: Any] ?? [:]))
        case "Runtime.consoleAPICalled"
        where ["error", "warning"].contains(event["type"] as? String):
            complaints.append("console: \(event["args"] ?? "")")
        case "Log.entryAdded":
            let entry = event["entry"] as? [String: Any] ?? [:]
            complaints.append("\(entry["text"] ?? entry) \(entry["url"] ?? "")")
        case "Network.requestWillBeSent":
            let request = event["request"] as? [String: Any]
            requests.append(request?["url"] as? String ?? "")
        default: break
        }
    }
}
