import Foundation

/// What `screenrig calibrate --json` found.
struct Calibration {
    let values: [String: Any]

    subscript(key: String) -> Double { (values[key] as? NSNumber)?.doubleValue ?? .nan }

    subscript(key: String, inner: String) -> Double {
        ((values[key] as? [String: Any])?[inner] as? NSNumber)?.doubleValue ?? .nan
    }
}

/// A measurement: requests per second, and processor time of the client for each.
struct Speed {
    var perSecond: Double
    var microseconds = Double.nan
    /// Of the processor time, start and end included, the kernel's share.
    var kernelShare = Double.nan

    /// What of a request's time the kernel has.
    var kernelMicroseconds: Double { microseconds * kernelShare }
}

/// The generators, ours and others, each on one core.
struct Generators {
    var screenrig: String
    var core: Int

    func calibrate(_ arguments: [String]) throws -> Calibration {
        try Self.calibration(calibrated(arguments))
    }

    private func calibrated(_ arguments: [String]) throws -> Ended {
        try Program.run(
            [screenrig, "calibrate", "--json", "--lanes", "1"] + arguments, core: core)
    }

    static func calibration(_ ended: Ended) throws -> Calibration {
        guard ended.code == 0,
            let read = try? JSONSerialization.jsonObject(with: Data(ended.output.utf8)),
            let values = read as? [String: Any]
        else { throw Trouble("calibrate: \(ended.output)") }
        return Calibration(values: values)
    }

    func ours(_ arguments: [String]) throws -> Speed {
        let ended = try calibrated(arguments)
        let found = try Self.calibration(ended)
        return Speed(
            perSecond: found["requestsPerSecond"],
            microseconds: found["cpuMicrosecondsPerRequest"], kernelShare: ended.kernelShare)
    }

    /// A closed loop of which every exchange is recorded and judged. What journal and judge leave for later
    /// is no speed: no more requests count than the processor time of all of it allows.
    func recorded(_ url: String, seconds: Int, connections: Int = 100) throws -> Speed {
        var speed = try ours([
            "--target", url, "--for", "\(seconds)s", "--connections", "\(connections)", "--record",
            "all",
        ])
        speed.perSecond = min(speed.perSecond, 1e6 / speed.microseconds)
        return speed
    }

    func wrk(_ url: String, seconds: Int = 4, connections: Int = 100, headers: [String] = [])
        throws -> Speed
    {
        let ended = try Program.run(
            ["wrk", "-t1", "-c\(connections)", "-d\(seconds)s"]
                + headers.flatMap { ["-H", $0] } + [url], core: core)
        let perSecond = try Program.number(after: "Requests/sec:", in: ended.output)
        return Speed(
            perSecond: perSecond,
            microseconds: ended.processor * 1e6 / (perSecond * Double(seconds)))
    }

    /// At a rate, or as fast as it goes.
    func hey(_ url: String, seconds: Int = 4, connections: Int = 100, perSecond: Int? = nil)
        throws -> (speed: Speed, output: String)
    {
        let pace = perSecond.map { ["-q", String($0 / connections)] } ?? []
        let ended = try Program.run(
            ["hey", "-cpus", "1", "-c", String(connections), "-z", "\(seconds)s"] + pace + [url],
            core: core)
        let found = try Program.number(after: "Requests/sec:", in: ended.output)
        return (
            Speed(
                perSecond: found,
                microseconds: ended.processor * 1e6 / (found * Double(seconds))), ended.output
        )
    }

    func h2load(_ url: String, seconds: Int = 4, connections: Int = 100) throws -> Speed {
        let (ended, perSecond) = try h2load(url, seconds: seconds, connections, [])
        return Speed(
            perSecond: perSecond,
            microseconds: ended.processor * 1e6 / (perSecond * Double(seconds)))
    }

    /// Processor time for each request at a rate, which each connection keeps for itself. It is that of four
    /// seconds more: starting and connecting are no part of it.
    func h2load(_ url: String, connections: Int, perSecond: Int) throws -> Double {
        let pace = ["--rps", String(Double(perSecond) / Double(connections))]
        let brief = try h2load(url, seconds: 1, connections, pace)
        let long = try h2load(url, seconds: 5, connections, pace)
        return (long.ended.processor - brief.ended.processor) * 1e6
            / (5 * long.perSecond - brief.perSecond)
    }

    private func h2load(_ url: String, seconds: Int, _ connections: Int, _ more: [String]) throws
        -> (ended: Ended, perSecond: Double)
    {
        let ended = try Program.run(
            ["h2load", "--h1", "-t1", "-c", String(connections), "-D", String(seconds)] + more
                + [url], core: core)
        guard let line = ended.output.split(separator: "\n").first(where: { $0.contains("req/s") }),
            let comma = line.firstIndex(of: ",")
        else { throw Trouble("h2load: \(ended.output)") }
        return (ended, try Program.number(after: ",", in: String(line[comma...])))
    }

    func ab(_ url: String, seconds: Int = 4) throws -> Speed {
        let ended = try Program.run(
            ["ab", "-k", "-q", "-c", "100", "-t", String(seconds), "-n", "100000000", url],
            core: core)
        let perSecond = try Program.number(after: "Requests per second:", in: ended.output)
        return Speed(
            perSecond: perSecond,
            microseconds: ended.processor * 1e6 / (perSecond * Double(seconds)))
    }
}
