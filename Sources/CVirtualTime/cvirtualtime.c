// The C half of virtual time: symbols of libc and libdispatch that answer for the kernel on the thread that pumps it,
// and pass through on every other thread. See ADR 0026.
#define _GNU_SOURCE
#include "cvirtualtime.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// In Swift: installs the executors, before any task exists; takes over a block; tells what ends with the process.
void whereabouts_virtual_time_install(void);
void whereabouts_virtual_time_take_block(void *block, int on_main, int64_t delay);
void whereabouts_virtual_time_exiting(void);
// In Swift: where the app whose code runs has its home, or its temporary files; NULL when no app's code runs.
const char *whereabouts_virtual_time_home(int is_temporary);
// In Swift: runs one program in this process, and never returns.
void whereabouts_virtual_time_program(const char *setting);

static _Thread_local struct {
    void *kernel;
    int64_t now;
    int64_t epoch;
    int64_t boot;
} current;

static int64_t uptime(void) { return current.now - current.boot; }

static int (*system_clock_gettime)(clockid_t, struct timespec *);

static void exiting(void) {
    if (current.kernel) whereabouts_virtual_time_exiting();
}

__attribute__((constructor)) static void begin(void) {
    system_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    whereabouts_virtual_time_install();
    atexit(exiting);
    const char *program = getenv("WHEREABOUTS_VIRTUAL_PROGRAM");
    if (program) whereabouts_virtual_time_program(program);
}

void *cvirtualtime_kernel(void) { return current.kernel; }

void cvirtualtime_enter(void *kernel) { current.kernel = kernel; }

int64_t cvirtualtime_now(void) { return current.kernel ? current.now : -1; }

void cvirtualtime_set_clocks(int64_t now, int64_t epoch, int64_t boot) {
    current.now = now;
    current.epoch = epoch;
    current.boot = boot;
}

// ── Clocks ──────────────────────────────────────────────────────────────────────────────────────────

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!current.kernel) {
        // Before the constructor ran, the kernel is asked directly.
        if (!system_clock_gettime) return (int)syscall(SYS_clock_gettime, clock, time);
        return system_clock_gettime(clock, time);
    }
    int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    int64_t now = is_wall ? current.epoch + current.now : uptime();
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

int cvirtualtime_clock_is_ours(void) { return dlsym(RTLD_DEFAULT, "clock_gettime") == (void *)clock_gettime; }

// ── Homes ───────────────────────────────────────────────────────────────────────────────────────────

// Whether a variable says where an app keeps its files, which each app under test has of its own.
static int says_home(const char *name, const char **value) {
    if (!current.kernel) return 0;
    int is_temporary = strcmp(name, "TMPDIR") == 0;
    int is_home = strcmp(name, "HOME") == 0 || strcmp(name, "CFFIXED_USER_HOME") == 0;
    int is_below_home = strcmp(name, "XDG_DATA_HOME") == 0 || strcmp(name, "XDG_CONFIG_HOME") == 0 ||
                        strcmp(name, "XDG_CACHE_HOME") == 0 || strcmp(name, "XDG_STATE_HOME") == 0;
    if (!is_temporary && !is_home && !is_below_home) return 0;
    const char *home = whereabouts_virtual_time_home(is_temporary);
    if (!home) return 0;
    *value = is_below_home ? NULL : home;
    return 1;
}

char *getenv(const char *name) {
    static char *(*system)(const char *);
    const char *home;
    if (says_home(name, &home)) return (char *)home;
    if (!system) system = dlsym(RTLD_NEXT, "getenv");
    return system(name);
}

char *secure_getenv(const char *name) {
    static char *(*system)(const char *);
    const char *home;
    if (says_home(name, &home)) return (char *)home;
    if (!system) system = dlsym(RTLD_NEXT, "secure_getenv");
    return system(name);
}

// ── Dispatch ────────────────────────────────────────────────────────────────────────────────────────

extern void *_Block_copy(const void *);
extern void _Block_release(const void *);
extern char _dispatch_main_q[] __attribute__((weak));

// The part of the blocks' ABI that calling one needs (https://clang.llvm.org/docs/Block-ABI-Apple.html).
struct block {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *);
};

void cvirtualtime_run_block(void *block) {
    ((struct block *)block)->invoke(block);
    _Block_release(block);
}

static void take(void *queue, void *block, int64_t delay) {
    whereabouts_virtual_time_take_block(_Block_copy(block), queue == (void *)_dispatch_main_q, delay);
}

void dispatch_async(void *queue, void *block) {
    static void (*system)(void *, void *);
    if (current.kernel) return take(queue, block, 0);
    if (!system) system = dlsym(RTLD_NEXT, "dispatch_async");
    system(queue, block);
}

// libdispatch keeps wall times negated, and marks the clock that counts suspended time with the highest bit alone.
static int64_t delay_until(uint64_t when) {
    if (when & (1ull << 63)) {
        if (when & (1ull << 62)) return -(int64_t)when - (current.epoch + current.now);
        when &= ~(1ull << 63);
    }
    return (int64_t)when - uptime();
}

void dispatch_after(uint64_t when, void *queue, void *block) {
    static void (*system)(uint64_t, void *, void *);
    if (!current.kernel) {
        if (!system) system = dlsym(RTLD_NEXT, "dispatch_after");
        return system(when, queue, block);
    }
    if (when == ~0ull) return;
    int64_t delay = delay_until(when);
    take(queue, block, delay < 0 ? 0 : delay);
}

void **cvirtualtime_main_executor_hook(void) { return dlsym(RTLD_DEFAULT, "swift_task_getMainExecutor_hook"); }
