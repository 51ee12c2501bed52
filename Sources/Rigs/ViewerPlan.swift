public import Dialects

/// The viewer's times and choices.
public struct ViewerPlan: Sendable, Hashable {
    public var noticesCode: Duration
    public var signsIn: Duration
    /// Leaves instead of signing in, after noticing the code.
    public var givesUp: Bool
    /// Types a wrong password first.
    public var mistypesPassword: Bool
    /// Types a wrong code first.
    public var mistypesCode: Bool
    /// Types the code in once more after it has served.
    public var typesTwice: Bool
    /// Cancels the first login at the provider.
    public var cancels: Bool
    /// Comes once the code has run out.
    public var isTooLate: Bool

    public init(
        noticesCode: Duration, signsIn: Duration, givesUp: Bool, mistypesPassword: Bool = false,
        mistypesCode: Bool = false, typesTwice: Bool = false, cancels: Bool = false,
        isTooLate: Bool = false
    ) {
        self.noticesCode = noticesCode
        self.signsIn = signsIn
        self.givesUp = givesUp
        self.mistypesPassword = mistypesPassword
        self.mistypesCode = mistypesCode
        self.typesTwice = typesTwice
        self.cancels = cancels
        self.isTooLate = isTooLate
    }
}

/// A second viewer's times, and who that is.
public struct SecondViewerPlan: Sendable, Hashable {
    public var noticesCode: Duration
    public var signsIn: Duration
    public var account: Account
    /// As `HouseholdPlan.providerDraw`.
    public var providerDraw: Double

    public init(
        noticesCode: Duration, signsIn: Duration, account: Account, providerDraw: Double
    ) {
        self.noticesCode = noticesCode
        self.signsIn = signsIn
        self.account = account
        self.providerDraw = providerDraw
    }
}
