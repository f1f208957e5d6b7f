#pragma once

// Forks, the child into the cgroup of an open directory (-1: none), as fork_into() does. In the child, which goes on to become
// the extension, returns 0. In the parent never returns: it stays until the extension has ended, ends all that it started, and
// ends as the extension did. Returns -1 with errno when it cannot.
//
// SIGTERM ends the extension and all that it started. So does the end of this process's own parent, locationd.
int supervise(int *cgroup);
