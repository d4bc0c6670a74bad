// Moves the clock of a program by WRONG_CLOCK_SECONDS. Durations stay as they are. Compiled into a library for LD_PRELOAD.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t offset(void) {
    const char *text = getenv("WRONG_CLOCK_SECONDS");
    return text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int result = syscall(SYS_gettimeofday, now, zone);
    if (result == 0) now->tv_sec += offset();
    return result;
}

time_t time(time_t *result) {
    time_t now = syscall(SYS_time, NULL) + offset();
    if (result) *result = now;
    return now;
}

// The kernel waits by the clock of the machine.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict end) {
    int (*wait)(sem_t *, const struct timespec *) = dlsym(RTLD_NEXT, "sem_timedwait");
    struct timespec moved = *end;
    moved.tv_sec -= offset();
    return wait(semaphore, &moved);
}
