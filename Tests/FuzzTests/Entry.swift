import Foundation

// What libFuzzer calls (https://llvm.org/docs/LibFuzzer.html). The environment names the reader,
// because libFuzzer takes all arguments for its own.

private let chosen: Reader = {
    let name = ProcessInfo.processInfo.environment["SCREENRIG_READER"] ?? ""
    guard let reader = Reader(named: name) else {
        let names = Reader.all.map(\.name).joined(separator: ", ")
        fatalError("SCREENRIG_READER is '\(name)'; it must be one of \(names)")
    }
    return reader
}()

/// One execution. A broken property ends the process, as a trap does, so that libFuzzer keeps the
/// input.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    if let broken = chosen.check(Array(UnsafeBufferPointer(start: start, count: count))) {
        fatalError("\(chosen.name): \(broken)")
    }
    return 0
}
