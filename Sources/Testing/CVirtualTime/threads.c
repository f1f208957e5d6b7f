// Threads and timers that code on a device starts: nothing drives them, and the device remembers that they are its code's.
#define _GNU_SOURCE
#include "internal.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>

#define current cvirtualtime_current

// ThreadSanitizer has a pthread_create of its own, and has to see every thread.
#if !__has_feature(thread_sanitizer)

struct birth {
    void *(*start)(void *);
    void *argument;
    uint64_t device;
};

static void *begin(void *argument) {
    struct birth birth = *(struct birth *)argument;
    free(argument);
    current.birthplace = birth.device;
    return birth.start(birth.argument);
}

// libdispatch's workers are everybody's, whoever gave the first of their work.
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
    *birth = (struct birth){start, argument, device};
    int result = system(thread, attributes, begin, birth);
    if (result != 0) free(birth);
    return result;
}

#endif

// Foundation's run loops set one for a Timer.
int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old) {
    static int (*system)(int, int, const struct itimerspec *, struct itimerspec *);
    if (!system) system = cvirtualtime_system("timerfd_settime");
    if (current.kernel && (new->it_value.tv_sec || new->it_value.tv_nsec)) cvirtualtime_misused(cvirtualtime_timer);
    return system(fd, flags, new, old);
}
