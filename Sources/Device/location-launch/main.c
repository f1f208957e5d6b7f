// Starts an app or extension as locationd wants it: alone in its session, without descriptors it was not given,
// without the chance of new privileges, within limits, under its own user where there is one.
//
//   location-launch [-s] [-u UID [-n TASKS]] [-c CGROUP] [-m MARK] -d DIRECTORY -- EXECUTABLE [ARGUMENT ...]
//
// Descriptors 0 to 3 are locationd's to set up; 3 is the connection to locationd. All others are closed.
// With -s it stays as the supervisor of an extension (supervisor.c): its limits are narrower, and nothing it started
// outlives it.
// Exit status 126: it could not be prepared as asked; 127: it could not be executed. The reason is on descriptor 2.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "supervisor.h"
#include "wireless.h"

static void give_up(int status, const char *what, const char *of) {
    dprintf(2, "location-launch: %s %s: %s\n", what, of, strerror(errno));
    _exit(status);
}

static void limit(int resource, rlim_t most, const char *name) {
    struct rlimit now;
    if (getrlimit(resource, &now) < 0) give_up(126, "cannot read the limit", name);
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > most) now.rlim_max = most;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > now.rlim_max) now.rlim_cur = now.rlim_max;
    if (setrlimit(resource, &now) < 0) give_up(126, "cannot set the limit", name);
}

#define USAGE "usage: location-launch [-s] [-u UID [-n TASKS]] [-c CGROUP] [-m MARK] -d DIRECTORY -- EXECUTABLE [ARGUMENT ...]\n"

static int help(void) {
    return printf(USAGE
        "\nStarts an app or an extension as locationd wants it: alone in its session, without new privileges, within limits.\n"
        "locationd starts it, with the connection to itself as descriptor 3; `locationctl run` is for people.\n\n"
        "  -d DIRECTORY  where it starts\n"
        "  -c CGROUP     the directory of the cgroup that it runs in\n"
        "  -u UID        the user that it becomes, without groups\n"
        "  -n TASKS      the most processes and threads of that user\n"
        "  -m MARK       the number that locationd knows it, and all it starts, by\n"
        "  -s            stay as the supervisor of an extension\n"
        "  --help        print this\n\n"
        "Exit status: that of the program, 126 it could not be prepared, 127 it could not be executed.\n") < 0 ? 126 : 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--help") == 0) return help();
    const char *directory = NULL, *cgroup = NULL;
    long uid = -1;
    unsigned long mark = 0, tasks = 0;
    int option, is_extension = 0;
    while ((option = getopt(argc, argv, "+su:n:c:d:m:")) != -1) {
        switch (option) {
        case 's': is_extension = 1; break;
        case 'u': uid = strtol(optarg, NULL, 10); break;
        case 'n': tasks = strtoul(optarg, NULL, 10); break;
        case 'c': cgroup = optarg; break;
        case 'd': directory = optarg; break;
        case 'm': mark = strtoul(optarg, NULL, 10); break;
        default: return 126;
        }
    }
    if (!directory || optind >= argc) {
        dprintf(2, "%s", USAGE);
        return 126;
    }
    if (syscall(SYS_close_range, 4u, ~0u, 0u) < 0) {
        for (int fd = 4; fd < 1024; fd++) close(fd);
    }
    int group = -1;
    if (cgroup && (group = open(cgroup, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) give_up(126, "cannot open the cgroup", cgroup);
    if (is_extension && supervise(&group) < 0) give_up(126, "cannot supervise", argv[optind]);
    // A session of its own: no terminal, and one process group to signal when the time is over.
    if (setsid() < 0 && errno != EPERM) give_up(126, "cannot begin", "a session");
    if (group >= 0 && join(group) < 0) give_up(126, "cannot join the cgroup", cgroup);
    // A limit of nothing since Linux 2.4.25 (getrlimit(2)), which fork and exec hand on and nobody raises again without
    // privileges: a process that left its parent and its session, while no locationd ran, is still known as an app's.
    if (mark) limit(RLIMIT_LOCKS, mark, "RLIMIT_LOCKS");
    // No core files: they would hold positions and keys.
    limit(RLIMIT_CORE, 0, "RLIMIT_CORE");
    limit(RLIMIT_NOFILE, is_extension ? 256 : 1024, "RLIMIT_NOFILE");
    // A runaway log must not fill the disk: a gigabyte a file, and of what an extension writes in 30 s 64 MiB.
    limit(RLIMIT_FSIZE, is_extension ? 64ul << 20 : 1ul << 30, "RLIMIT_FSIZE");
    if (is_extension) {
        // Of data, not of address space: a Swift program maps far more than it uses. 256 MiB is about eight times what
        // the example's extension has, thread stacks included (ADR 0019).
        limit(RLIMIT_DATA, 256ul << 20, "RLIMIT_DATA");
        // Less than the 30 s it may run: who computes all the time is in a loop.
        limit(RLIMIT_CPU, 20, "RLIMIT_CPU");
    }
    if (uid >= 0) {
        // Before the user changes. The kernel counts all threads of the user, also ended ones that no parent has waited for.
        if (tasks) limit(RLIMIT_NPROC, tasks, "RLIMIT_NPROC");
        if (setgroups(0, NULL) < 0) give_up(126, "cannot drop", "groups");
        if (setresgid((gid_t)uid, (gid_t)uid, (gid_t)uid) < 0) give_up(126, "cannot change", "group");
        if (setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid) < 0) give_up(126, "cannot change", "user");
    }
    // Also when the supervisor is killed, which cannot look after anything any more. The change of the user would clear it.
    if (is_extension && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) give_up(126, "cannot follow", "the supervisor");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) give_up(126, "cannot set", "no_new_privs");
    if (deny_wireless() < 0) give_up(126, "cannot filter", "system calls");
    if (chdir(directory) < 0) give_up(126, "cannot enter", directory);
    umask(077);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int signal_number = 1; signal_number < 32; signal_number++) signal(signal_number, SIG_DFL);
    execv(argv[optind], argv + optind);
    give_up(127, "cannot execute", argv[optind]);
}
