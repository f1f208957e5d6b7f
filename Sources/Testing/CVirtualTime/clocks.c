// Clocks and sleeps of the thread that pumps a device.
#define _GNU_SOURCE
#include "internal.h"
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define current cvirtualtime_current

// No real program reads the clock this often within one job; a loop that waits for a later time does so within a second.
static const int64_t reads_max = 5000000;

static int (*system_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor(101))) static void begin(void) { system_clock_gettime = cvirtualtime_system("clock_gettime"); }

// Time does not move while a job runs, so a loop that waits for a later time would never end. The loop is reported, and then
// reads later and later times, in growing steps, so that the test can continue.
static void count_read(void) {
    if (++current.reads < reads_max) return;
    if (current.reads == reads_max) cvirtualtime_misused(cvirtualtime_reads_clock);
    if (current.reads % 1000 == 0 && current.ahead < INT64_MAX / 4) current.ahead += current.ahead / 2 + 1000000;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!current.kernel) {
        // Before the constructor ran: a direct system call.
        if (!system_clock_gettime) return (int)syscall(SYS_clock_gettime, clock, time);
        return system_clock_gettime(clock, time);
    }
    count_read();
    int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    int64_t now = (is_wall ? current.epoch + current.now : cvirtualtime_uptime()) + current.ahead;
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    int result = clock_gettime(CLOCK_REALTIME, &precise);
    time->tv_sec = precise.tv_sec;
    time->tv_usec = precise.tv_nsec / 1000;
    return result;
}

time_t time(time_t *out) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (out) *out = precise.tv_sec;
    return precise.tv_sec;
}

// ── Sleeps ──────────────────────────────────────────────────────────────────────────────────────────

// A sleeping thread would stop the whole device. So the sleep is reported as misuse, and only the job's own clock moves on.
static void sleeps(int64_t nanoseconds) {
    if (nanoseconds > 0 && current.ahead < INT64_MAX / 4 - nanoseconds) current.ahead += nanoseconds;
    cvirtualtime_misused(cvirtualtime_sleeps);
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
    static int (*system)(const struct timespec *, struct timespec *);
    if (!current.kernel) {
        if (!system) system = cvirtualtime_system("nanosleep");
        return system(time, rest);
    }
    sleeps(time->tv_sec * 1000000000ll + time->tv_nsec);
    if (rest) *rest = (struct timespec){0, 0};
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
    static int (*system)(clockid_t, int, const struct timespec *, struct timespec *);
    if (!current.kernel) {
        if (!system) system = cvirtualtime_system("clock_nanosleep");
        return system(clock, flags, time, rest);
    }
    struct timespec now = {0, 0};
    if (flags & TIMER_ABSTIME) clock_gettime(clock, &now);
    sleeps((time->tv_sec - now.tv_sec) * 1000000000ll + time->tv_nsec - now.tv_nsec);
    return 0;
}

int usleep(useconds_t microseconds) {
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    return nanosleep(&time, NULL);
}

unsigned sleep(unsigned seconds) {
    struct timespec time = {seconds, 0}, rest;
    return nanosleep(&time, &rest) == 0 ? 0 : (unsigned)rest.tv_sec;
}
