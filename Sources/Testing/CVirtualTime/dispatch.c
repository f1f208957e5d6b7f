// Dispatch on the thread that pumps a device: queues and groups become tasks of its kernel; other uses are reported.
#define _GNU_SOURCE
#include "internal.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define current cvirtualtime_current

// In Swift: takes over a block, its queue, and the group that is left when the block has run.
void whereabouts_virtual_time_take_block(void *block, void *queue, void *group, int32_t on_main, int64_t delay);

extern void *_Block_copy(const void *);
extern void _Block_release(const void *);
extern void dispatch_retain(void *);
extern void dispatch_release(void *);
extern void dispatch_group_enter(void *);
extern void *dispatch_queue_create(const char *, void *);
extern void dispatch_suspend(void *);

static const uint64_t forever = ~0ull;

// The part of the blocks' ABI that a call of a block needs (https://clang.llvm.org/docs/Block-ABI-Apple.html).
struct block {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *);
};

static void take(void *queue, void *block, void *group, int64_t delay) {
    dispatch_retain(queue);
    whereabouts_virtual_time_take_block(block, queue, group, queue == cvirtualtime_main_queue(), delay);
}

void dispatch_async(void *queue, void *block) {
    static void (*system)(void *, void *);
    if (current.kernel) return take(queue, _Block_copy(block), NULL, 0);
    if (!system) system = cvirtualtime_system("dispatch_async");
    system(queue, block);
}

// libdispatch keeps wall times negated, and marks the clock that counts suspended time with the highest bit alone.
static int64_t delay_until(uint64_t when) {
    if (when & (1ull << 63)) {
        if (when & (1ull << 62)) return -(int64_t)when - (current.epoch + current.now);
        when &= ~(1ull << 63);
    }
    return (int64_t)when - cvirtualtime_uptime();
}

void dispatch_after(uint64_t when, void *queue, void *block) {
    static void (*system)(uint64_t, void *, void *);
    if (!current.kernel) {
        if (!system) system = cvirtualtime_system("dispatch_after");
        return system(when, queue, block);
    }
    if (when == forever) return;
    int64_t delay = delay_until(when);
    take(queue, _Block_copy(block), NULL, delay < 0 ? 0 : delay);
}

// ── Groups ──────────────────────────────────────────────────────────────────────────────────────────

// Blocks of this thread's code that wait until a group is empty.
static _Thread_local struct notification {
    void *group, *queue, *block;
    struct notification *next;
} *notifications;

static intptr_t wait_for_group(void *group, uint64_t timeout) {
    static intptr_t (*system)(void *, uint64_t);
    if (!system) system = cvirtualtime_system("dispatch_group_wait");
    return system(group, timeout);
}

static void notify_of(void *group) {
    struct notification **place = &notifications;
    while (*place) {
        struct notification *it = *place;
        if (it->group != group || wait_for_group(group, 0) != 0) {
            place = &it->next;
            continue;
        }
        *place = it->next;
        take(it->queue, it->block, NULL, 0);
        dispatch_release(it->queue);
        dispatch_release(group);
        free(it);
    }
}

void dispatch_group_leave(void *group) {
    static void (*system)(void *);
    if (!system) system = cvirtualtime_system("dispatch_group_leave");
    system(group);
    if (current.kernel) notify_of(group);
}

void dispatch_group_async(void *group, void *queue, void *block) {
    static void (*system)(void *, void *, void *);
    if (!current.kernel) {
        if (!system) system = cvirtualtime_system("dispatch_group_async");
        return system(group, queue, block);
    }
    dispatch_retain(group);
    dispatch_group_enter(group);
    take(queue, _Block_copy(block), group, 0);
}

void dispatch_group_notify(void *group, void *queue, void *block) {
    static void (*system)(void *, void *, void *);
    struct notification *it;
    if (!current.kernel || !(it = malloc(sizeof *it))) {
        if (!system) system = cvirtualtime_system("dispatch_group_notify");
        return system(group, queue, block);
    }
    dispatch_retain(group);
    dispatch_retain(queue);
    *it = (struct notification){group, queue, _Block_copy(block), notifications};
    notifications = it;
    notify_of(group);
}

void cvirtualtime_run_block(void *block, void *queue, void *group) {
    current.queue = queue;
    ((struct block *)block)->invoke(block);
    current.queue = NULL;
    _Block_release(block);
    dispatch_release(queue);
    if (!group) return;
    dispatch_group_leave(group);
    dispatch_release(group);
}

// ── Waits without end ───────────────────────────────────────────────────────────────────────────────

// An endless wait stops the whole device, with all of its code that could end the wait; only a thread of the system still can.
// After 3 s of real time, the wait is reported as misuse, and the code continues as if the wait were over.
static intptr_t patiently(intptr_t (*wait)(void *, uint64_t), void *object) {
    static int (*sleep)(const struct timespec *, struct timespec *);
    if (!sleep) sleep = cvirtualtime_system("nanosleep");
    for (int tries = 0; tries < 300; tries++) {
        if (wait(object, 0) == 0) return 0;
        sleep(&(struct timespec){0, 10000000}, NULL);
    }
    cvirtualtime_misused(cvirtualtime_blocks);
    return 1;
}

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    static intptr_t (*system)(void *, uint64_t);
    if (!system) system = cvirtualtime_system("dispatch_semaphore_wait");
    return current.kernel && timeout == forever ? patiently(system, semaphore) : system(semaphore, timeout);
}

intptr_t dispatch_group_wait(void *group, uint64_t timeout) {
    return current.kernel && timeout == forever ? patiently(wait_for_group, group) : wait_for_group(group, timeout);
}

// ── Sources ─────────────────────────────────────────────────────────────────────────────────────────

// libdispatch would call a source's handlers in real time, on a thread of its own, while this thread runs the other blocks of the
// source's queue. So the handlers go to a queue that never runs.
static void *silent_queue(void) {
    static void *queue;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!queue) {
        queue = dispatch_queue_create("whereabouts.sources", NULL);
        dispatch_suspend(queue);
    }
    pthread_mutex_unlock(&lock);
    return queue;
}

void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
    static void *(*system)(const void *, uintptr_t, uintptr_t, void *);
    if (!system) system = cvirtualtime_system("dispatch_source_create");
    if (!current.kernel) return system(type, handle, mask, queue);
    cvirtualtime_misused(cvirtualtime_source);
    return system(type, handle, mask, silent_queue());
}
