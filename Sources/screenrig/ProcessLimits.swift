internal import ArgumentParser
internal import Foundation
internal import Wire

/// The limits of this process (`ulimit`): what cannot be opened or reserved in mid-run is a crash or a
/// hang inside libraries, so too small a limit is refused before anything begins.
enum ProcessLimits {
    /// Those who start lanes or a server: each core has its threads, their stacks, and three descriptors
    /// for each event loop. A `try` on 2 cores used 28 descriptors.
    private static let heavy: [any ParsableCommand.Type] = [
        TryCommand.self, RunCommand.self, SimulateCommand.self,
        FindLimitCommand.self, RaceCommand.self, ReplayCommand.self, NightlyCommand.self,
        ServeCommand.self, CalibrateCommand.self,
    ]
    /// Those that a run may use; a machine with more of them is not refused for what it need not start.
    private static let cores = min(16, ProcessInfo.processInfo.activeProcessorCount)

    /// Refuses a command that its limits do not let start; raises the one of descriptors as far as it
    /// may be.
    static func check(for command: any ParsableCommand) throws {
        let isHeavy = heavy.contains { $0 == type(of: command) }
        let needed = isHeavy ? 24 + 8 * cores : 16
        let allowed = WireLimits.raiseDescriptorLimit().soft
        guard allowed >= needed else {
            throw CommandFailure.couldNotRun(
                "this command needs \(needed) file descriptors, and the limit is \(allowed); "
                    + "raise it: ulimit -n \(needed)")
        }
        if isHeavy { try check(memoryMB: 0) } else { try check(.data, needed: 30) }
    }

    /// Refuses what runs households and uses so much memory for them.
    static func check(memoryMB: Int) throws {
        // What a small run reserved in all was 750 MB on 2 cores: program and libraries, and for each core
        // stacks and allocation arenas of its threads.
        try check(.addressSpace, needed: 600 + 80 * cores + memoryMB)
        try check(.data, needed: 20 * cores + max(60, memoryMB))
    }

    /// Memory that is reserved in all, and what of it may be written to (heap and stacks).
    private enum Reserve {
        case addressSpace
        case data

        var limit: (number: Int, name: String, option: String) {
            switch self {
            case .addressSpace: (Int(RLIMIT_AS.rawValue), "an address space", "-v")
            case .data: (Int(RLIMIT_DATA.rawValue), "a data segment", "-d")
            }
        }
    }

    private static func check(_ reserve: Reserve, needed: Int) throws {
        let (number, name, option) = reserve.limit
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(UInt32(number)), &limit)
        let megabytes = Int(clamping: limit.rlim_cur / 1_048_576)
        guard megabytes < needed else { return }
        throw CommandFailure.couldNotRun(
            "this command needs \(name) of about \(needed) MB, and the limit is \(megabytes) MB; "
                + "raise it: ulimit \(option) \(needed * 1_024)"
        )
    }
}
