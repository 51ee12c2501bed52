// swift-tools-version: 6.2
import PackageDescription

let parts: [Target.Dependency] = [.product(name: "ScreenrigParts", package: "screenrig")]

/// Nested, so that building the product never builds this. One target for each question.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "screenrig", path: "..")],
    targets: [
        .executableTarget(name: "exchanges", dependencies: parts),
        .executableTarget(name: "simulation", dependencies: parts),
        .executableTarget(name: "checker", dependencies: parts),
        // Runs the built program and its peers; links none of its parts.
        .executableTarget(name: "goals"),
    ]
)
