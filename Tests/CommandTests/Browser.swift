import Foundation
import TestSupport
import Testing

/// A headless Chromium with one page open, driven over its own pipe (Chrome DevTools Protocol,
/// `--remote-debugging-pipe`: JSON texts that end in a NUL), so that no port is opened. Calls block
/// their thread: use it in suites with `.ownThread`.
///
///     @Test(..., .enabled(if: Browser.isThere, Browser.advice))
///     let page = try Browser()
///     try page.open(file: run.path("report.html"))
///     #expect(try page.text("#latency caption") == "Latency by operation")
///     #expect(page.complaints.isEmpty)
final class Browser {
    enum Trouble: Error {
        case silent(String)
        case refused(String)
        case script(String)
    }

    /// What a browser test says where it is skipped.
    static let advice: Comment =
        "no Chromium here: 'apt-get install chromium' (or SCREENRIG_BROWSER=/path/to/it) runs the tests of pages"

    /// `SCREENRIG_BROWSER`, or the first of the usual names on the PATH.
    static let program: String? = {
        let environment = ProcessInfo.processInfo.environment
        if let named = environment["SCREENRIG_BROWSER"] { return named.isEmpty ? nil : named }
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
        return folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    static var isThere: Bool { program != nil }

    /// Errors and warnings of the console, exceptions, and what could not be loaded.
    var complaints: [String] = []
    /// Every address that the page asked for, its own included.
    var requests: [String] = []

    let folder: TestFolder
    let process = Process()
    let toBrowser: Int32
    let fromBrowser: Int32
    var received: [UInt8] = []
    var lastID = 0
    var session: String?
    var hasLoaded = false

    /// Starts it with a blank page of `width` by `height`.
    init(width: Int = 1280, height: Int = 900) throws {
        folder = TestFolder()
        let pipes = ["to", "from"].map(folder.path)
        for pipe in pipes { mkfifo(pipe, 0o600) }
        // For reading and writing: neither end waits for the other to open.
        toBrowser = Glibc.open(pipes[0], O_RDWR | O_CLOEXEC)
        fromBrowser = Glibc.open(pipes[1], O_RDWR | O_CLOEXEC)
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", "exec \"$0\" \"$@\" 3<'\(pipes[0])' 4>'\(pipes[1])'", Self.program ?? "chromium",
            "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
            "--hide-scrollbars", "--no-first-run", "--disable-extensions",
            "--disable-dev-shm-usage",
            "--disable-background-networking", "--user-data-dir=\(folder.path("profile"))",
            "--window-size=\(width),\(height)", "about:blank",
        ]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["HOME": folder.url.path]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let target = try send("Target.createTarget", ["url": "about:blank"])
        session =
            try send(
                "Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])[
                "sessionId"] as? String
        for domain in ["Page", "Runtime", "Log", "Network"] { try send("\(domain).enable") }
        try resize(width: width, height: height)
    }

    deinit {
        process.terminate()
        process.waitForEnd()
        close(toBrowser)
        close(fromBrowser)
    }

    // MARK: The page

    /// Opens an address and waits until it has loaded; what was seen of the page before is forgotten.
    func open(_ address: String, within limit: Duration = .seconds(30)) throws {
        (complaints, requests, hasLoaded) = ([], [], false)
        let answer = try send("Page.navigate", ["url": address])
        if let error = answer["errorText"] as? String { throw Trouble.refused(error) }
        let end = ContinuousClock.now + limit
        while !hasLoaded { try receive(until: end, "the page to load") }
    }

    func open(file path: String) throws { try open(URL(filePath: path).absoluteString) }

    /// The value of an expression, awaited if it is a promise.
    @discardableResult
    func evaluate(_ script: String) throws -> Any? {
        let answer = try send(
            "Runtime.evaluate",
            [
                "expression": script, "returnByValue": true, "awaitPromise": true,
                "userGesture": true,
            ])
        if let details = answer["exceptionDetails"] as? [String: Any] {
            throw Trouble.script("\(Self.words(details)) in \(script)")
        }
        return (answer["result"] as? [String: Any])?["value"]
    }

    /// The text of the first element that the selector finds; nil where none does.
    func text(_ selector: String) throws -> String? {
        try evaluate("document.querySelector(\(Self.quoted(selector)))?.textContent") as? String
    }

    /// The texts of all elements that the selector finds.
    func texts(_ selector: String) throws -> [String] {
        try evaluate(
            "[...document.querySelectorAll(\(Self.quoted(selector)))].map(e => e.textContent)")
            as? [String] ?? []
    }

    func click(_ selector: String) throws {
        try evaluate("document.querySelector(\(Self.quoted(selector))).click()")
    }

    /// A key as a person presses it: `Tab`, `Enter`, `ArrowRight`, `Escape`, `Home`.
    func press(_ key: String, code: Int = 0) throws {
        let codes = [
            "Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37,
            "ArrowRight": 39,
        ]
        var event: [String: Any] = [
            "key": key, "code": key, "windowsVirtualKeyCode": codes[key] ?? code,
        ]
        if key == "Enter" { event["text"] = "\r" }
        for type in ["keyDown", "keyUp"] {
            event["type"] = type
            try send("Input.dispatchKeyEvent", event)
        }
    }

    /// A mouse event at a place of the page's window: `mouseMoved`, `mousePressed`, `mouseReleased`.
    func mouse(_ type: String, x: Double, y: Double) throws {
        let isMove = type == "mouseMoved"
        try send(
            "Input.dispatchMouseEvent",
            [
                "type": type, "x": x, "y": y, "button": isMove ? "none" : "left",
                "clickCount": isMove ? 0 : 1,
            ])
    }

    func resize(width: Int, height: Int, isPhone: Bool = false) throws {
        try send(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": width, "height": height, "deviceScaleFactor": isPhone ? 2 : 1,
                "mobile": isPhone,
            ])
    }

    /// `screen` or `print`; dark or light.
    func prefer(media: String = "screen", dark: Bool = false) throws {
        try send(
            "Emulation.setEmulatedMedia",
            [
                "media": media,
                "features": [["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]],
            ])
    }
}
