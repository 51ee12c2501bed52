/// The Linux calls that Swift's Glibc module leaves out. Needs glibc 2.35 for `epoll_pwait2`.
#ifndef SCREENRIG_CEPOLL_H
#define SCREENRIG_CEPOLL_H
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <stdint.h>

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
#endif
