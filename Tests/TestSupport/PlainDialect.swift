public import Dialects

/// What reads answers where no test is about how.
public let plainDialect = V1(
    origin: Origin(scheme: .http, host: "127.0.0.1"), requestor: "DEMOTV", domain: "demo.test",
    redirectURL: "https://demo.test/done")
