// Declarations that the C files of this target share; each file replaces symbols of its own.
#pragma once
#include "cvirtualtime.h"

// The state of a thread; most of it is used only on a thread that pumps a device.
struct cvirtualtime_thread {
    void *kernel;
    uint64_t device;
    uint64_t birthplace;
    // Nanoseconds since the kernel's start; from 1970 to that start; and from that start to the last boot.
    int64_t now;
    int64_t epoch;
    int64_t boot;
    // How far the running job's clock is ahead, because the job slept or reads the clock in a loop.
    int64_t ahead;
    int64_t reads;
    // Whether output or a misuse is being reported: what the report itself writes is not reported again.
    int is_telling;
    // Whether a job runs, and the job's dispatch queue; NULL if it has none.
    int runs_job;
    void *queue;
    // How many calls of dispatch_sync this thread is in; libdispatch knows their queues.
    int syncs;
};
extern _Thread_local struct cvirtualtime_thread cvirtualtime_current;

// The time since the device was switched on.
static inline int64_t cvirtualtime_uptime(void) { return cvirtualtime_current.now - cvirtualtime_current.boot; }

// Dispatch's main queue; NULL if the program has no Dispatch.
void *cvirtualtime_main_queue(void);

// The system's function of this name, which a function defined here replaces.
void *cvirtualtime_system(const char *name);

// Reports a misuse by the running code to Swift.
void cvirtualtime_misused(enum cvirtualtime_misuse misuse);
