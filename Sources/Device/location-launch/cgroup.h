#pragma once

#include <sys/types.h>

// Moves this process into the cgroup of an open directory. Returns -1 with errno when it cannot.
//
// Takes 10 to 30 ms: the kernel waits until each processor has been idle or in a user's program once (synchronize_rcu).
int join(int cgroup);

// Forks. The child begins in the cgroup of an open directory, which takes no time; -1: in that of its parent.
//
// Where that is refused (a filter that knows no clone3, as RestrictNamespaces= of systemd; Linux before 5.7), the child joins.
// Returns as fork(2) does; a child that cannot join returns -1, too.
pid_t fork_into(int cgroup);
