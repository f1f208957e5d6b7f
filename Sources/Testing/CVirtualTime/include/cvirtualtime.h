// Virtual time for the thread that pumps a virtual device; every other thread is left alone (ADR 0026).
#pragma once
#include <stdint.h>

// The kernel whose virtual time this thread uses, or NULL.
void *cvirtualtime_kernel(void);

// Makes this thread use a kernel's time; NULL: the system's time again. Threads that its code starts belong to the device.
void cvirtualtime_enter(void *kernel, uint64_t device);

// The device whose code started this thread; 0: none.
uint64_t cvirtualtime_birthplace(void);

// Whether all threads that a device's code started wait for something in real time, or have ended.
int32_t cvirtualtime_threads_wait(uint64_t device);

// Nanoseconds since the kernel's start; -1 on a thread in the system's time.
int64_t cvirtualtime_now(void);

// Sets this thread's clocks, in nanoseconds: since the kernel's start, from 1970 to that start, and from that start to the last boot.
void cvirtualtime_set_clocks(int64_t now, int64_t epoch, int64_t boot);

// Begins another job; `is_main`: its code sees the main thread. If the job before slept or read the clock in a loop, the time by
// which its clock was ahead is forgotten.
void cvirtualtime_begin_job(int32_t is_main);

// Ends the job: the code that runs next is the device's own, or the test's.
void cvirtualtime_end_job(void);

// Runs a block that was given to a dispatch queue, releases both, and leaves the block's group, if it has one.
void cvirtualtime_run_block(void *block, void *queue, void *group);

// The address of the runtime's hook for the main executor, or NULL if this runtime has none.
void **cvirtualtime_main_executor_hook(void);

// Whether shared libraries find the clock_gettime that is defined here.
int cvirtualtime_clock_is_ours(void);

// Actions of code that cannot work on a virtual device; each is reported to `whereabouts_virtual_time_misused`.
enum cvirtualtime_misuse {
    cvirtualtime_sleeps = 0,
    cvirtualtime_reads_clock = 1,
    cvirtualtime_blocks = 2,
    cvirtualtime_timer = 3,
    cvirtualtime_source = 4,
    cvirtualtime_thread = 5,
    cvirtualtime_network = 6,
};
