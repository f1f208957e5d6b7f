// The parts of this target: which symbol is found in whose stead is each file's own matter.
#pragma once
#include "cvirtualtime.h"

// This thread's time, where it pumps a device.
struct cvirtualtime_thread {
    void *kernel;
    uint64_t device;
    uint64_t birthplace;
    // Nanoseconds since the kernel's start; from 1970 to that; and from that to the last boot.
    int64_t now;
    int64_t epoch;
    int64_t boot;
    // How far the running job's clock is ahead: it slept, or waits for the clock.
    int64_t ahead;
    int64_t reads;
    // Whether what is written now is the device's own word.
    int is_telling;
    // Whether a job runs, and the dispatch queue whose work it is; NULL for a job of no queue.
    int runs_job;
    void *queue;
    // The calls of dispatch_sync that this thread is in: libdispatch knows their queues.
    int syncs;
};
extern _Thread_local struct cvirtualtime_thread cvirtualtime_current;

// The time since the device was switched on.
static inline int64_t cvirtualtime_uptime(void) { return cvirtualtime_current.now - cvirtualtime_current.boot; }

// Dispatch's main queue; NULL where the program has no Dispatch.
void *cvirtualtime_main_queue(void);

// The system's function of this name, behind the one defined here.
void *cvirtualtime_system(const char *name);

// Tells Swift of a misuse by the code that runs now.
void cvirtualtime_misused(enum cvirtualtime_misuse misuse);
