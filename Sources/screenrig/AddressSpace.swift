internal import ArgumentParser
internal import Foundation

/// The limit of this process's address space (`ulimit -v`). Threads and their allocators reserve far
/// more than they use, and what cannot be reserved in mid-run is a crash; so too small a limit is
/// refused before anything begins.
enum AddressSpace {
    /// What a small run reserved in all was 750 MB on 2 cores: program and libraries, and for each core
    /// stacks and allocation arenas of its threads.
    private static let base = 600
    private static let perCore = 80

    /// Refuses a command that runs households where the limit is below what a small run reserves.
    static func check(for command: any ParsableCommand) throws {
        let heavy: [any ParsableCommand.Type] = [
            TryCommand.self, RunCommand.self, SimulateCommand.self, RaceCommand.self,
            ReplayCommand.self, NightlyCommand.self, ServeCommand.self, CalibrateCommand.self,
        ]
        if heavy.contains(where: { $0 == type(of: command) }) { try check(memoryMB: 0) }
    }

    /// The same for a run that uses so much memory.
    static func check(memoryMB: Int) throws {
        let needed = base + perCore * ProcessInfo.processInfo.activeProcessorCount + memoryMB
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        let megabytes = Int(clamping: limit.rlim_cur / 1_048_576)
        guard megabytes < needed else { return }
        throw Failure.couldNotRun(
            "this needs an address space of about \(needed) MB, and its limit is \(megabytes) MB; "
                + "type 'ulimit -v unlimited', or 'ulimit -v \(needed * 1_024)' at least")
    }
}
