// Virtual time for the thread that pumps a virtual device; every other thread is left alone (ADR 0026).
#pragma once
#include <stdint.h>

// The kernel whose time this thread lives in, or NULL.
void *cvirtualtime_kernel(void);

// Makes this thread live in a kernel's time; NULL gives it back to the system's.
void cvirtualtime_enter(void *kernel);

// Nanoseconds since the kernel's start; -1 on a thread in the system's time.
int64_t cvirtualtime_now(void);

// Sets this thread's clocks, in nanoseconds: since the kernel's start, from 1970 to that, and from that to the last boot.
void cvirtualtime_set_clocks(int64_t now, int64_t epoch, int64_t boot);

// Runs a block that dispatch_async or dispatch_after was given, and releases it.
void cvirtualtime_run_block(void *block);

// The word the runtime asks for the main executor, or NULL when this runtime has none.
void **cvirtualtime_main_executor_hook(void);

// Whether clock_gettime, as shared libraries find it, is the one defined here.
int cvirtualtime_clock_is_ours(void);
