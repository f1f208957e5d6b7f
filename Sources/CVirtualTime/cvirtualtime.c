// The C half of virtual time: symbols of libc and libdispatch that answer for the kernel on the thread that pumps it,
// and pass through on every other thread. See ADR 0026.
#define _GNU_SOURCE
#include "cvirtualtime.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// In Swift: installs the executors, before any task exists; takes over a block; tells what ends with the process.
void whereabouts_virtual_time_install(void);
void whereabouts_virtual_time_take_block(void *block, int on_main, int64_t delay);
void whereabouts_virtual_time_exiting(void);
// In Swift: runs one program in this process, and never returns.
void whereabouts_virtual_time_program(const char *setting);

static _Thread_local struct {
    void *kernel;
    int64_t now;
    int64_t epoch;
} current;

// The device was switched on this long before its start: to libdispatch, the time 0 means "now".
static const int64_t uptime_at_start = 3600ll * 1000000000;

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

void cvirtualtime_enter(void *kernel, int64_t now, int64_t epoch) {
    current.kernel = kernel;
    current.now = now;
    current.epoch = epoch;
}

int64_t cvirtualtime_now(void) { return current.kernel ? current.now : -1; }

void cvirtualtime_set_now(int64_t now) { current.now = now; }

// ── Clocks ──────────────────────────────────────────────────────────────────────────────────────────

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!current.kernel) {
        // Before the constructor ran, the kernel is asked directly.
        if (!system_clock_gettime) return (int)syscall(SYS_clock_gettime, clock, time);
        return system_clock_gettime(clock, time);
    }
    int64_t now = current.now;
    now += clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? current.epoch : uptime_at_start;
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
    return (int64_t)when - (current.now + uptime_at_start);
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
