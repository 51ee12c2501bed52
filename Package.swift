// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target of ours: Swift 6 mode comes with the tools version; a warning in our
/// own code is an error, one in a dependency is not (a command-line flag would hit both). An exchange goes through
/// eight modules: what is optimised is optimised across them. Whether access is exclusive is asked at run time in debug
/// builds only, which the tests are: a race is 7 % quicker without. Debug builds know line numbers and no more, an eighth of
/// the compiling less: to look at variables in a debugger, take that away.
let house: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-gline-tables-only"], .when(configuration: .debug)),
    .unsafeFlags(
        ["-cross-module-optimization", "-enforce-exclusivity=unchecked"],
        .when(configuration: .release)),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Of what every household works with, also in debug builds: the tests play hundreds of thousands of
/// them. To step through it, take this away. The rest is not worth the time that optimising takes.
let quick: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Of programs and tests: what every exchange allocates takes more than a third of a simulation's time with the C
/// library's own allocator (docs/performance.md).
let allocator: [LinkerSetting] = [.linkedLibrary("jemalloc")]

/// A library of the product with its tests beside it, by the arrows of ARCHITECTURE.md. `files`: files or folders of
/// scripts or style sheets that are compiled into it, as `PackageResources.name_js`.
func part(
    _ name: String, _ dependencies: [Target.Dependency] = [], isQuick: Bool = false,
    files: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, resources: files.map { .embedInCode($0) },
        swiftSettings: isQuick ? house + quick : house)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: house,
        linkerSettings: allocator)
}

/// `SCREENRIG_TESTS=CheckerTests,RigsTests swift test` builds these test targets and no others: a third of
/// the time after a change that reaches far. Nil: all of them.
let chosen = Context.environment["SCREENRIG_TESTS"]?.split(separator: ",").map(String.init)

/// `make fuzz` links the sources of FuzzTests with libFuzzer instead of building tests from them: that
/// they stay one target keeps the replayed entry points those that are fuzzed.
let isFuzzing = Context.environment["SCREENRIG_FUZZ"] != nil
let fuzzed: [Target.Dependency] = [
    "Rigs", "Wire", "Dialects", "Vocabulary", "Devices", "Lanes", "Signing", "Standin", "Races",
    "Journal",
    "Checker", "Reports", "Trends", "Formats",
    .product(name: "GRDB", package: "GRDB.swift"),
]

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
]
let http2: [Target.Dependency] = [.product(name: "NIOHTTP2", package: "swift-nio-http2")]

let package = Package(
    name: "screenrig",
    products: [
        .executable(name: "screenrig", targets: ["screenrig"]),
        // For Benchmarks/, and for nobody else: no promise is made of its interface.
        .library(
            name: "ScreenrigParts",
            targets: [
                "Statistics", "Dialects", "Vocabulary", "Journal", "Rigs", "Lanes", "Devices",
                "Wire", "Signing",
                "Standin", "Checker",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),

        .systemLibrary(name: "CLinux"),

        part("Statistics", isQuick: true),
        part("Formats", isQuick: true),
        part("Vocabulary", isQuick: true),
        part("Dialects", ["Formats", "Vocabulary"], isQuick: true),
        part(
            "Journal",
            [
                "Dialects", "Vocabulary", "Formats", "Statistics", "CLinux",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], isQuick: true),
        part(
            "Rigs",
            [
                "Dialects", "Vocabulary", "Formats", "Statistics",
                .product(name: "Yams", package: "Yams"),
            ]),
        part("Manifests", ["Rigs", "Formats"]),
        part("Lanes", ["Journal", "Dialects", "Vocabulary", "Formats", "CLinux"], isQuick: true),
        part(
            "Devices",
            ["Rigs", "Lanes", "Journal", "Dialects", "Vocabulary", "Formats", "Statistics"],
            isQuick: true),
        part("Wire", ["Lanes", "Journal", "Dialects", "Vocabulary", "CCurl"]),
        part("Signing", ["Formats", "COpenSSL"]),
        part(
            "Standin",
            ["Dialects", "Vocabulary", "Formats", "Lanes", "Journal", "Signing", "Statistics"] + nio
                + http2,
            isQuick: true),
        part("Calibration", ["Lanes", "Journal", "Dialects", "Statistics"]),
        part(
            "Checker", ["Journal", "Dialects", "Vocabulary", "Formats", "Statistics"], isQuick: true
        ),
        part(
            "Races",
            [
                "Devices", "Checker", "Rendering", "Rigs", "Lanes", "Journal",
                "Dialects", "Vocabulary", "Formats",
                "Statistics",
            ], files: ["Emit/Script", "Pages/case.css"]),
        part("Rendering", ["Formats"], files: ["Page"]),
        part(
            "Reports",
            [
                "Rendering", "Checker", "Journal", "Rigs", "Dialects", "Vocabulary", "Formats",
                "Statistics",
            ],
            files: ["HTML/Page"]),
        part(
            "Trends",
            [
                "Reports", "Rendering", "Checker", "Journal", "Rigs", "Dialects", "Vocabulary",
                "Formats",
                "Statistics",
                .product(name: "GRDB", package: "GRDB.swift"),
            ], files: ["Page"]),
        part(
            "Runner",
            [
                "Races", "Calibration", "Trends", "Reports", "Rendering", "Checker", "Devices",
                "Wire", "Standin", "Signing",
                "Rigs", "Lanes", "Journal", "Dialects", "Vocabulary", "Formats", "Statistics",
            ]),
        part(
            "Dashboard", ["Rendering", "Reports", "Statistics"] + nio, files: ["Page"]),
        .executableTarget(
            name: "screenrig",
            dependencies: [
                "Statistics", "Formats", "Dialects", "Vocabulary", "Journal", "Rigs", "Lanes",
                "Devices", "Wire",
                "Signing",
                "Standin", "Checker", "Rendering", "Reports", "Trends", "Calibration",
                "Races",
                "Runner",
                "Dashboard",
                "Manifests",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house, linkerSettings: allocator),
        // How well judge and race lab find what the stand-in does wrong: `make detection`, `make races`. No
        // product that is installed needs it.
        .executableTarget(
            name: "evaluation",
            dependencies: [
                "Runner", "Races", "Reports", "Checker", "Standin", "Rigs", "Journal",
                "Vocabulary", "Statistics",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house, linkerSettings: allocator),

        .target(
            name: "TestSupport", dependencies: ["Lanes", "Journal", "Dialects"],
            path: "Tests/TestSupport",
            swiftSettings: house),
        tests("StatisticsTests", ["Statistics"]),
        tests("FormatsTests", ["TestSupport", "Formats"]),
        tests(
            "DialectsTests", ["TestSupport", "Dialects", "Vocabulary", "Formats"],
            exclude: ["Golden"]),
        tests(
            "JournalTests",
            [
                "TestSupport",
                "Journal", "Dialects", "Vocabulary", "Formats", "Statistics",
                .product(name: "GRDB", package: "GRDB.swift"),
            ], exclude: ["Golden"]),
        tests("CheckerTests", ["Checker", "Journal", "Dialects", "Vocabulary", "Statistics"]),
        tests(
            "RacesTests",
            [
                "TestSupport",
                "Races", "Runner", "Standin", "Rigs", "Journal", "Dialects",
                "Vocabulary", "Signing", "Statistics",
            ], exclude: ["Golden"]),
        tests(
            "RigsTests", ["TestSupport", "Rigs", "Dialects", "Vocabulary", "Statistics"],
            exclude: ["Golden"]),
        tests(
            "LanesTests",
            ["TestSupport", "Lanes", "Journal", "Dialects", "Vocabulary", "Statistics"]),
        tests(
            "DevicesTests",
            [
                "TestSupport",
                "Devices", "Checker", "Rigs", "Lanes", "Journal", "Dialects", "Vocabulary",
                "Statistics",
            ],
            exclude: ["Pages"]),
        tests(
            "WireTests",
            [
                "TestSupport",
                "Wire", "Statistics", "Lanes", "Journal", "Dialects", "Vocabulary", "Signing",
                "Standin",
            ] + nio
                + http2),
        tests(
            "CalibrationTests",
            [
                "TestSupport", "Calibration", "Lanes", "Journal", "Dialects", "Vocabulary",
                "Statistics",
            ]),
        tests("SigningTests", ["Signing", "Formats"]),
        tests(
            "StandinTests",
            [
                "TestSupport",
                "Standin", "Lanes", "Journal", "Dialects", "Vocabulary", "Formats", "Signing",
                "Statistics",
            ] + nio
                + http2),
        tests(
            "ReportsTests",
            [
                "TestSupport",
                "Rendering", "Reports", "Trends", "Checker", "Journal", "Rigs", "Dialects",
                "Vocabulary",
                "Formats",
                "Statistics", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["Golden"]),
        tests(
            "DashboardTests",
            [
                "TestSupport",
                "Dashboard", "Reports", "Journal", "Dialects", "Vocabulary", "Statistics",
            ] + nio),
        tests(
            "SimulationTests",
            [
                "TestSupport",
                "Checker", "Standin", "Runner", "Rigs", "Lanes", "Journal", "Dialects",
                "Vocabulary", "Statistics", "Rendering", "Reports", "Calibration",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(
            "CommandTests",
            [
                "TestSupport",
                "Rigs", "Reports", "Trends", "Journal", "Dialects",
                "Vocabulary", "Formats",
                "Signing", "Standin",
                "Statistics", .product(name: "Yams", package: "Yams"),
            ], exclude: ["Golden", "comments.py"]),
        isFuzzing
            ? .executableTarget(
                name: "fuzz", dependencies: fuzzed, path: "Tests/FuzzTests",
                exclude: ["ReplayTests.swift", "Corpus", "Dictionaries"], swiftSettings: house)
            : tests("FuzzTests", fuzzed, exclude: ["Corpus", "Dictionaries"]),
    ].filter { $0.type != .test || chosen?.contains($0.name) ?? true }
)
