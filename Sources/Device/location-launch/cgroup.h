#pragma once

#include <sys/types.h>

// Moves this process into the cgroup of an open directory. Returns -1 with errno when it cannot.
//
// Takes 10 to 30 ms: the kernel waits until each processor has been idle or in a user's program once (synchronize_rcu).
int join(int cgroup);

// Forks, and returns as fork(2) does. The child starts in the cgroup of an open directory, which takes no time; -1: in its parent's.
//
// In the child, `*cgroup` is then -1. If it is not, the kernel refused this, and the child must join() the cgroup itself. A seccomp filter
// without clone3 causes this (RestrictNamespaces= of systemd), or Linux before 5.7.
pid_t fork_into(int *cgroup);
