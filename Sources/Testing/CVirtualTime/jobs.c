// The thread and the queue that an app's code sees as its own: the main thread and the main queue in code of the main actor.
#define _GNU_SOURCE
#include "internal.h"
#include <stdio.h>

#define current cvirtualtime_current

extern char _dispatch_main_q[] __attribute__((weak));
extern void *dispatch_queue_get_specific(void *, const void *);

void *cvirtualtime_main_queue(void) { return _dispatch_main_q; }

static void begin(int runs_job, void *queue) {
    current.ahead = 0;
    current.reads = 0;
    current.runs_job = runs_job;
    current.queue = queue;
}

void cvirtualtime_begin_job(int32_t is_main) { begin(1, is_main ? cvirtualtime_main_queue() : NULL); }

void cvirtualtime_end_job(void) { begin(0, NULL); }

static int runs_job(void) { return current.kernel && current.runs_job; }

// `Thread.isMainThread` asks this.
unsigned char _CFIsMainThread(void) {
    static unsigned char (*system)(void);
    if (runs_job()) return current.queue == cvirtualtime_main_queue();
    if (!system) system = cvirtualtime_system("_CFIsMainThread");
    return system();
}

// Target queues are unknown here, so a block of one queue counts as running on every other queue except the main queue.
static int is_on(void *queue) {
    if (current.queue == queue) return 1;
    return current.queue && current.queue != cvirtualtime_main_queue() && queue != cvirtualtime_main_queue();
}

// `dispatchPrecondition(condition:)` calls these. libdispatch reports a failure, in words that people can look up.
void dispatch_assert_queue(void *queue) {
    static void (*system)(void *);
    if (!system) system = cvirtualtime_system("dispatch_assert_queue");
    if (!runs_job() || !is_on(queue)) system(queue);
}

void dispatch_assert_queue_barrier(void *queue) {
    static void (*system)(void *);
    if (!system) system = cvirtualtime_system("dispatch_assert_queue_barrier");
    if (!runs_job() || !is_on(queue)) system(queue);
}

void dispatch_assert_queue_not(void *queue) {
    static void (*system)(void *);
    if (!system) system = cvirtualtime_system("dispatch_assert_queue_not");
    if (!runs_job()) return system(queue);
    if (current.queue != queue) return;
    fputs("Code that is not to run on a dispatch queue runs on it (dispatchPrecondition).\n", stderr);
    __builtin_trap();
}

// Runs a block before the caller continues, and counts the call.
static void run_at_once(void (*system)(void *, void *), void *queue, void *block) {
    current.syncs++;
    system(queue, block);
    current.syncs--;
}

void dispatch_sync(void *queue, void *block) {
    static void (*system)(void *, void *);
    if (!system) system = cvirtualtime_system("dispatch_sync");
    run_at_once(system, queue, block);
}

void dispatch_barrier_sync(void *queue, void *block) {
    static void (*system)(void *, void *);
    if (!system) system = cvirtualtime_system("dispatch_barrier_sync");
    run_at_once(system, queue, block);
}

void *dispatch_get_specific(const void *key) {
    static void *(*system)(const void *);
    if (!system) system = cvirtualtime_system("dispatch_get_specific");
    void *value = !runs_job() || current.syncs ? system(key) : NULL;
    if (value || !runs_job()) return value;
    value = current.queue ? dispatch_queue_get_specific(current.queue, key) : NULL;
    return value ? value : system(key);
}
