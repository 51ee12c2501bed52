public import Foundation

/// A program of this machine, run to its end.
public struct Program {
    public let status: Int32
    /// What it wrote to its standard output; what it says to standard error is lost.
    public let output: String

    /// `command`: a name that is looked up in PATH, and arguments.
    public init(_ command: [String], in folder: URL? = nil) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = folder
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        (status, output) = (process.waitForEnd().status, String(decoding: data, as: UTF8.self))
    }
}
