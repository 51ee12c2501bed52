/// An optional value that is usually nil: one word while it is nil, an object of its own otherwise. It keeps
/// types small that functions hand to each other, because a waiting household holds every copy in its frames.
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
