public import Dialects

/// The viewer's times and choices.
public struct ViewerPlan: Sendable, Hashable {
    public var noticesCode: Duration
    public var signsIn: Duration
    /// Leaves instead of signing in, after noticing the code.
    public var givesUp: Bool
    /// Types a wrong password first.
    public var mistypesPassword: Bool = false
    /// Types a wrong code first.
    public var mistypesCode: Bool = false
    /// Types the code in once more after it has served.
    public var typesTwice: Bool = false
    /// Cancels the first login at the provider.
    public var cancels: Bool = false
    /// Says no where the service asks whether the device may be let in.
    public var refuses: Bool = false
    /// Comes once the code has run out.
    public var isTooLate: Bool = false
    /// Presses the login's button twice.
    public var submitsTwice: Bool = false
    /// Reloads the page on which the login has ended.
    public var reloads: Bool = false
    /// Begins at another provider first.
    public var changesProvider: Bool = false
    /// Types the code in small letters first.
    public var typesSmall: Bool = false
    /// The phone loses its network on the login page.
    public var losesNetwork: Bool = false
    /// Closes the TV's app while it shows its code, and opens it again.
    public var reopensApp: Bool = false
    /// The TV goes to standby while it shows its code.
    public var tvSleeps: Bool = false
    /// The app has lost what it had kept when it is opened again.
    public var resetsApp: Bool = false

    /// Has the phone in hand, and does nothing wrong.
    public static let ready = ViewerPlan(noticesCode: .zero, signsIn: .zero, givesUp: false)
}

/// A second viewer's times, and who that is.
public struct SecondViewerPlan: Sendable, Hashable {
    public var noticesCode: Duration
    public var signsIn: Duration
    public var account: Account
    /// As `HouseholdPlan.providerDraw`.
    public var providerDraw: Double
}
