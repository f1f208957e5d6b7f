// Watches an extension from outside: how many processes it has, how much it writes, and that none of them outlives it.
//
// It is a child subreaper: a process that leaves its session and its parent becomes this one's child, and can be found.
// Not to be told from outside are only the moments between two looks; so each look is repeated while anything is left.
#define _GNU_SOURCE
#include "supervisor.h"

#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// An answer needs none; a helper program and its children are room enough.
enum { PROCESSES_MAX = 32 };
// The most bytes all of them write together, to disk or socket. An answer is some kilobytes; the app's own store some
// megabytes.
static const uint64_t WRITTEN_MAX = 256ull << 20;
// Between two looks at what is written: a fast disk takes about 150 MB in it.
static const int LOOK_MILLISECONDS = 50;
// The looks for which the processes once found are good enough; a search reads files of each of them.
enum { LOOKS_PER_SEARCH = 5 };
// The end status for an extension that had too many processes.
enum { TOO_MANY_PROCESSES = 125 };
// The end status when processes of the extension could not be ended; locationd then looks for them itself.
enum { PROCESSES_LEFT = 124 };

struct family {
    pid_t members[4096];
    int count;
};

static pid_t parent_of(pid_t pid) {
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) return -1;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = 0;
    // The name may hold anything; it ends with the last parenthesis.
    char *end = strrchr(line, ')');
    int parent = -1;
    if (!end || sscanf(end + 1, " %*c %d", &parent) != 1) return -1;
    return parent;
}

static int is_member(const struct family *family, pid_t pid) {
    for (int i = 0; i < family->count; i++) {
        if (family->members[i] == pid) return 1;
    }
    return 0;
}

// Finds all descendants of this process among all processes of the system. Children have higher numbers than their parents
// until numbers wrap, so that one pass finds nearly all and a second the rest.
static void search_system(struct family *family) {
    static pid_t pids[32768], parents[32768];
    int known = 0;
    DIR *proc = opendir("/proc");
    if (!proc) return;
    for (struct dirent *entry; (entry = readdir(proc)) && known < 32768;) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end || pid <= 0) continue;
        pids[known] = (pid_t)pid;
        parents[known] = parent_of((pid_t)pid);
        known++;
    }
    closedir(proc);
    pid_t self = getpid();
    family->count = 0;
    for (int has_grown = 1; has_grown;) {
        has_grown = 0;
        for (int i = 0; i < known && family->count < 4096; i++) {
            if (parents[i] != self && !is_member(family, parents[i])) continue;
            if (is_member(family, pids[i])) continue;
            family->members[family->count++] = pids[i];
            has_grown = 1;
        }
    }
}

// Adds the children of each thread of a process. The children of a process that has ended are this one's.
static void add_children(struct family *family, pid_t pid) {
    char path[320];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    if (!threads) return;
    for (struct dirent *entry; (entry = readdir(threads));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", pid, entry->d_name);
        FILE *file = fopen(path, "re");
        if (!file) continue;
        for (pid_t each; family->count < 4096 && fscanf(file, "%d", &each) == 1;) {
            if (!is_member(family, each)) family->members[family->count++] = each;
        }
        fclose(file);
    }
    closedir(threads);
}

// Finds the descendants of this process from parent to child, so that the cost does not grow with the processes of others.
//
// The kernel's list may lack a child whose sibling ends while it is read; the next look finds it.
static void find_family(struct family *family) {
    static int has_lists = -1;
    // A kernel without CONFIG_PROC_CHILDREN has no lists.
    if (has_lists < 0) has_lists = access("/proc/thread-self/children", R_OK) == 0;
    if (!has_lists) {
        search_system(family);
        return;
    }
    family->count = 0;
    add_children(family, getpid());
    for (int i = 0; i < family->count; i++) add_children(family, family->members[i]);
}

// The bytes a process wrote, to files and sockets or to a disk's pages, whichever is more.
static uint64_t written_by(pid_t pid) {
    char path[64], line[128];
    snprintf(path, sizeof path, "/proc/%d/io", pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    unsigned long long most = 0, value;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "wchar: %llu", &value) == 1 || sscanf(line, "write_bytes: %llu", &value) == 1) {
            if (value > most) most = value;
        }
    }
    fclose(file);
    return most;
}

// Waits for children that ended; the status of the extension is kept. Returns whether a child is left.
static int reap(pid_t child, int *status, int *has_ended) {
    int each;
    pid_t pid;
    while ((pid = waitpid(-1, &each, WNOHANG)) > 0) {
        if (pid == child) {
            *status = each;
            *has_ended = 1;
        }
    }
    return pid == 0;
}

// Ends every descendant. Stopped first, so that none can fork between the look and the kill; again while any is left.
// Returns whether none is left.
static int end_family(pid_t child, int *status, int *has_ended) {
    static struct family family;
    // Two hundred looks, ten milliseconds apart: two seconds, as long as locationd waits before it ends this process.
    for (int look = 0; look < 200; look++) {
        // Without a child there is no descendant: this process adopts those whose parents ended.
        if (!reap(child, status, has_ended)) return 1;
        // The list of children may lack one; this must not.
        search_system(&family);
        for (int i = 0; i < family.count; i++) kill(family.members[i], SIGSTOP);
        for (int i = 0; i < family.count; i++) kill(family.members[i], SIGKILL);
        poll(NULL, 0, look == 0 ? 1 : 10);
    }
    return !reap(child, status, has_ended);
}

static void end_as(int status) __attribute__((noreturn));
static void end_as(int status) {
    if (WIFSIGNALED(status)) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(WTERMSIG(status), SIG_DFL);
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 126);
}

static void watch(pid_t child, int parent, int signals) __attribute__((noreturn));
static void watch(pid_t child, int parent, int signals) {
    static struct family family;
    int status = 0, has_ended = 0, verdict = 0;
    uint64_t gone = 0, counted = 0;
    for (unsigned look = 0; !has_ended && !verdict; look++) {
        struct pollfd events[2] = {{.fd = signals, .events = POLLIN}, {.fd = parent, .events = POLLIN}};
        poll(events, 2, LOOK_MILLISECONDS);
        if (events[1].revents) verdict = SIGKILL;
        if (events[0].revents) {
            struct signalfd_siginfo info;
            while (read(signals, &info, sizeof info) == sizeof info) {
                if (info.ssi_signo == SIGTERM) verdict = SIGKILL;
            }
        }
        reap(child, &status, &has_ended);
        if (has_ended || verdict) break;
        if (events[0].revents || look % LOOKS_PER_SEARCH == 0) find_family(&family);
        uint64_t written = 0;
        for (int i = 0; i < family.count; i++) written += written_by(family.members[i]);
        // Processes that ended since the last look count, too: a chain of short ones would write without a bound.
        if (written < counted) gone += counted - written;
        counted = written;
        if (written + gone > WRITTEN_MAX) {
            dprintf(2, "location-launch: the extension wrote more than %llu MiB and is ended\n",
                    (unsigned long long)(WRITTEN_MAX >> 20));
            verdict = SIGXFSZ;
        } else if (family.count > PROCESSES_MAX) {
            dprintf(2, "location-launch: the extension has more than %d processes and is ended\n", PROCESSES_MAX);
            verdict = TOO_MANY_PROCESSES;
        }
    }
    if (!end_family(child, &status, &has_ended)) {
        dprintf(2, "location-launch: processes of the extension do not end\n");
        _exit(PROCESSES_LEFT);
    }
    if (verdict == TOO_MANY_PROCESSES) _exit(TOO_MANY_PROCESSES);
    end_as(verdict ? verdict : status);
}

int supervise(int *cgroup) {
    // No terminal's signal reaches it; the extension begins a session of its own.
    if (setsid() < 0 && errno != EPERM) return -1;
    // Before the fork, so that locationd cannot end in between unnoticed.
    int parent = (int)syscall(SYS_pidfd_open, getppid(), 0);
    if (parent < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) return -1;
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &watched, NULL) < 0) return -1;
    int signals = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals < 0) return -1;
    pid_t child = fork_into(cgroup);
    if (child < 0) return -1;
    if (child == 0) {
        close(parent);
        close(signals);
        return 0;
    }
    // The connection is the extension's alone: its end must be seen when the extension ends.
    close(3);
    watch(child, parent, signals);
}
