#define _GNU_SOURCE
#include "cgroup.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

int join(int cgroup) {
    int file = openat(cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t written = write(file, "0", 1);
    close(file);
    return written == 1 ? 0 : -1;
}

pid_t fork_into(int *cgroup) {
    if (*cgroup < 0) return fork();
    struct clone_args arguments = {
        .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)*cgroup,
    };
    pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) *cgroup = -1;
    return child < 0 ? fork() : child;
}
