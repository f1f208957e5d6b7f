// Threads and timers that code on a device starts. The device cannot drive them, and remembers which threads its code started.
#define _GNU_SOURCE
#include "internal.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define current cvirtualtime_current

// ThreadSanitizer has a pthread_create of its own, and has to see every thread.
#if !__has_feature(thread_sanitizer)

// A living thread that a device's code started.
struct birth {
    void *(*start)(void *);
    void *argument;
    uint64_t device;
    // 0 until the thread runs.
    int tid;
    struct birth *next;
};

static struct birth *births;
static pthread_mutex_t births_lock = PTHREAD_MUTEX_INITIALIZER;

static void add(struct birth *birth) {
    pthread_mutex_lock(&births_lock);
    birth->next = births;
    births = birth;
    pthread_mutex_unlock(&births_lock);
}

static void end(void *birth) {
    pthread_mutex_lock(&births_lock);
    struct birth **place = &births;
    while (*place && *place != birth) place = &(*place)->next;
    if (*place) *place = (*place)->next;
    pthread_mutex_unlock(&births_lock);
    free(birth);
}

static void *begin(void *argument) {
    struct birth *birth = argument;
    current.birthplace = birth->device;
    pthread_mutex_lock(&births_lock);
    birth->tid = (int)syscall(SYS_gettid);
    pthread_mutex_unlock(&births_lock);
    void *result;
    pthread_cleanup_push(end, birth);
    result = birth->start(birth->argument);
    pthread_cleanup_pop(1);
    return result;
}

// Whether a thread waits in the kernel (proc_pid_stat(5): the state follows the name in parentheses).
static int waits(int tid) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 1;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count < 0 ? 0 : count] = 0;
    char *name_end = strrchr(text, ')');
    return !name_end || name_end[1] == 0 || name_end[2] == 'S';
}

int32_t cvirtualtime_threads_wait(uint64_t device) {
    int32_t all = 1;
    pthread_mutex_lock(&births_lock);
    for (struct birth *it = births; it && all; it = it->next)
        if (it->device == device) all = it->tid && waits(it->tid);
    pthread_mutex_unlock(&births_lock);
    return all;
}

// libdispatch's workers are shared by all jobs, no matter which one started them.
static int is_of_dispatch(void *(*start)(void *)) {
    Dl_info info;
    return dladdr((void *)start, &info) && info.dli_fname && strstr(info.dli_fname, "libdispatch");
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    static int (*system)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!system) system = cvirtualtime_system("pthread_create");
    uint64_t device = current.kernel ? current.device : current.birthplace;
    struct birth *birth;
    if (!device || is_of_dispatch(start) || !(birth = malloc(sizeof *birth)))
        return system(thread, attributes, start, argument);
    if (current.kernel) cvirtualtime_misused(cvirtualtime_thread);
    *birth = (struct birth){start, argument, device, 0, NULL};
    add(birth);
    int result = system(thread, attributes, begin, birth);
    if (result != 0) end(birth);
    return result;
}

#else

int32_t cvirtualtime_threads_wait(uint64_t device) {
    (void)device;
    return 1;
}

#endif

// Foundation adds a Timer to a run loop through this function.
void CFRunLoopAddTimer(void *loop, void *timer, const void *mode) {
    static void (*system)(void *, void *, const void *);
    if (!system) system = cvirtualtime_system("CFRunLoopAddTimer");
    if (current.kernel) cvirtualtime_misused(cvirtualtime_timer);
    system(loop, timer, mode);
}
