// The C half of virtual time replaces symbols of libc and libdispatch. On a thread that pumps a kernel they use its time;
// on every other thread they call the original function. See ADR 0026.
#define _GNU_SOURCE
#include "internal.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

// In Swift: installs the executors before any task exists; reports that code on a device exits the process; reports misuse.
void whereabouts_virtual_time_install(void);
void whereabouts_virtual_time_exiting(void);
void whereabouts_virtual_time_misused(int32_t misuse);
// In Swift: runs one program in this process, and never returns.
void whereabouts_virtual_time_program(const char *setting);

_Thread_local struct cvirtualtime_thread cvirtualtime_current;

static void exiting(void) {
    if (cvirtualtime_current.kernel) whereabouts_virtual_time_exiting();
}

__attribute__((constructor)) static void begin(void) {
    whereabouts_virtual_time_install();
    atexit(exiting);
    const char *program = getenv("WHEREABOUTS_VIRTUAL_PROGRAM");
    if (program) whereabouts_virtual_time_program(program);
}

void *cvirtualtime_system(const char *name) { return dlsym(RTLD_NEXT, name); }

void *cvirtualtime_kernel(void) { return cvirtualtime_current.kernel; }

uint64_t cvirtualtime_birthplace(void) { return cvirtualtime_current.birthplace; }

void cvirtualtime_enter(void *kernel, uint64_t device) {
    cvirtualtime_current.kernel = kernel;
    cvirtualtime_current.device = device;
    cvirtualtime_end_job();
}

int64_t cvirtualtime_now(void) { return cvirtualtime_current.kernel ? cvirtualtime_current.now : -1; }

void cvirtualtime_set_clocks(int64_t now, int64_t epoch, int64_t boot) {
    cvirtualtime_current.now = now;
    cvirtualtime_current.epoch = epoch;
    cvirtualtime_current.boot = boot;
}

void cvirtualtime_misused(enum cvirtualtime_misuse misuse) {
    if (cvirtualtime_current.is_telling) return;
    cvirtualtime_current.is_telling = 1;
    whereabouts_virtual_time_misused((int32_t)misuse);
    cvirtualtime_current.is_telling = 0;
}

int cvirtualtime_clock_is_ours(void) {
    return dlsym(RTLD_DEFAULT, "clock_gettime") == (void *)clock_gettime;
}

void **cvirtualtime_main_executor_hook(void) { return dlsym(RTLD_DEFAULT, "swift_task_getMainExecutor_hook"); }
