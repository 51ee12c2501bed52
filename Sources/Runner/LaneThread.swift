internal import Dispatch

/// Where lanes run.
package enum LaneThread {
    /// Lanes block their thread: never one of the concurrency pool.
    package static func run(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            DispatchQueue(label: "screenrig.coordinator", qos: .userInteractive).async {
                work()
                done.resume()
            }
        }
    }
}
