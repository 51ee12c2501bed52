internal import CLinux
internal import Glibc
public import Journal

extension ClockReading {
    /// What this machine knows of its wall clock now; nil where the system does not tell (a container may be denied
    /// adjtimex(2)).
    public static func here() -> ClockReading? {
        var error: Int64 = 0
        let state = lane_read_clock(&error)
        guard state >= 0 else { return nil }
        return ClockReading(
            isSynchronised: state == 1, errorMicroseconds: max(0, error),
            bootID: bootID)
    }

    /// Of the kernel; containers of one machine have the same one.
    private static var bootID: String? {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 36)
        guard read(descriptor, &text, text.count) == text.count else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
