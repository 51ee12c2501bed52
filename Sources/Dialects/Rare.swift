/// A value that most do not have: one word where there is none, and memory of its own where there is one.
/// What is handed from function to function all the time stays small by it: a household that waits keeps
/// every copy in its frames.
@propertyWrapper
public struct Rare<Value: Sendable>: Sendable {
    @usableFromInline
    final class Holder: Sendable {
        @usableFromInline let value: Value

        @usableFromInline
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline var holder: Holder?

    @inlinable
    public init(wrappedValue: Value?) {
        holder = wrappedValue.map { Holder($0) }
    }

    @inlinable public var wrappedValue: Value? {
        get { holder?.value }
        set { holder = newValue.map { Holder($0) } }
    }
}

extension Rare: Equatable where Value: Equatable {
    public static func == (one: Rare, two: Rare) -> Bool {
        one.holder === two.holder || one.wrappedValue == two.wrappedValue
    }
}

extension Rare: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
