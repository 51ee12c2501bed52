/// The Linux calls that Swift's Glibc module leaves out. Needs glibc 2.35 for `epoll_pwait2`.
#ifndef SCREENRIG_CLINUX_H
#define SCREENRIG_CLINUX_H
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <stdint.h>
#include <unistd.h>

// Words that one thread writes and another reads: whole, and in no order.
static inline void lane_store(int64_t *word, int64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static inline int64_t lane_load(const int64_t *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

// Of the calling thread: timers are exact to a nanosecond, as far as they go. `prctl` is variadic,
// which Swift cannot call.
static inline int lane_sharpen_timers(void) {
    return prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

// Of the calling thread: asks for slices of so many nanoseconds, 0.1 to 100 ms, the rest of its scheduling as it is. Since
// Linux 6.12 a thread with a shorter slice that wakes up goes before one with a longer; its share of the core stays the
// same. Older kernels ignore it. Threads that it starts have the usual slices (1, SCHED_FLAG_RESET_ON_FORK): Dispatch starts
// those of its queues from whichever thread asks first.
// The structure is the kernel's (sched_setattr(2)); not every glibc has it.
static inline int thread_set_slices(uint64_t nanoseconds) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {0};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return -1;
    attributes.size = sizeof attributes;
    attributes.flags |= 1;
    attributes.runtime = nanoseconds;
    return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

// 1 where something keeps the wall clock, 0 where nothing does, -1 where the system does not tell; and the bound of its
// error in microseconds. Changes nothing.
static inline int lane_read_clock(int64_t *error) {
    struct timex clock = {0};
    int state = adjtimex(&clock);
    if (state < 0) return -1;
    *error = clock.maxerror;
    return state != TIME_ERROR && (clock.status & STA_UNSYNC) == 0;
}
#endif
