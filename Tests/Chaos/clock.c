// Our own wall clock, which jumps: preloaded into the rig, not into its peer (chaos.py).
// CHAOS_AFTER: seconds after the start; CHAOS_JUMP: by how many seconds. The monotonic clock stays as it is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static int (*real)(clockid_t, struct timespec *);
static time_t after, jump, began;

__attribute__((constructor)) static void begin(void) {
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    after = atol(getenv("CHAOS_AFTER") ? getenv("CHAOS_AFTER") : "0");
    jump = atol(getenv("CHAOS_JUMP") ? getenv("CHAOS_JUMP") : "0");
    struct timespec now;
    real(CLOCK_MONOTONIC, &now);
    began = now.tv_sec;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!real) begin();
    int result = real(clock, time);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        struct timespec now;
        real(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - began >= after) time->tv_sec += jump;
    }
    return result;
}

int gettimeofday(struct timeval *time, void *zone) {
    struct timespec now;
    (void)zone;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return result;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}
