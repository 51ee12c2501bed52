// The slow paths of Swift's Mutex (Synchronization, LinuxImpl.swift), told to the thread sanitizer.
//
// The quick paths are inlined into our code, where the sanitizer sees their atomics. What happens when
// two threads want a lock at once is in a library of the toolchain that is built without the sanitizer:
// the kernel hands the lock over, and everything that the lock protects is reported as a race. These
// functions stand in front of the library's (an executable's own symbols come first) and do the same,
// with a word to the sanitizer. Linked by scripts/sanitize.sh, for the thread sanitizer only.

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall, disable_sanitizer_instrumentation))
#define SELF __attribute__((swift_context)) uint32_t *lock

// Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> ()
SWIFT void lockSlow(uint32_t thread, SELF)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void lockSlow(uint32_t thread, SELF) {
    (void)thread;
    while (syscall(SYS_futex, lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL) != 0) {
        if (errno != EINTR && errno != EAGAIN) abort();
    }
    __tsan_acquire(lock);
}

// Synchronization._MutexHandle._unlockSlow() -> ()
SWIFT void unlockSlow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
SWIFT void unlockSlow(SELF) {
    __tsan_release(lock);
    while (syscall(SYS_futex, lock, FUTEX_UNLOCK_PI_PRIVATE) != 0) {
        if (errno != EINTR) abort();
    }
}
