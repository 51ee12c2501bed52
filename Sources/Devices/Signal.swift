/// Values handed from one flow of a lane to another: the third and last place where flows suspend.
/// Lives on one lane; one waiter at a time.
final class Signal<Value: Sendable> {
    private var values: [Value] = []
    private var isFinished = false
    private var waiter: UnsafeContinuation<Value?, Never>?

    func send(_ value: Value) {
        if let waiter {
            self.waiter = nil
            waiter.resume(returning: value)
        } else {
            values.append(value)
        }
    }

    /// No more values will come; a waiter gets nil.
    func finish() {
        isFinished = true
        waiter?.resume(returning: nil)
        waiter = nil
    }

    /// The next value, nil when there will be none.
    func next() async -> Value? {
        if !values.isEmpty { return values.removeFirst() }
        if isFinished { return nil }
        return await withUnsafeContinuation { waiter = $0 }
    }
}
