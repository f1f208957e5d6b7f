#define _GNU_SOURCE
#include "CLinux.h"

#include <linux/magic.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

ssize_t clinux_receive_packet(int fd, void *buffer, size_t length, pid_t *pid, uid_t *uid) {
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {.iov_base = buffer, .iov_len = length};
    // Leave no room for SCM_RIGHTS: the kernel then closes the descriptors that a peer passes.
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *pid = 0;
    *uid = (uid_t)-1;
    ssize_t received = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received < 0) return -1;
    if (message.msg_flags & MSG_TRUNC) {
        errno = EMSGSIZE;
        return -1;
    }
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET) continue;
        if (c->cmsg_type == SCM_CREDENTIALS && c->cmsg_len >= CMSG_LEN(sizeof(struct ucred))) {
            struct ucred credentials;
            memcpy(&credentials, CMSG_DATA(c), sizeof credentials);
            *pid = credentials.pid;
            *uid = credentials.uid;
        } else if (c->cmsg_type == SCM_RIGHTS) {
            size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            int descriptors[16];
            if (count > 16) count = 16;
            memcpy(descriptors, CMSG_DATA(c), count * sizeof(int));
            for (size_t i = 0; i < count; i++) close(descriptors[i]);
        }
    }
    return received;
}

int clinux_peer(int fd, pid_t *pid, uid_t *uid) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    return 0;
}

int clinux_peer_groups(int fd, gid_t *groups, size_t most) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -1;
    groups[0] = credentials.gid;
    length = (socklen_t)((most - 1) * sizeof *groups);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups + 1, &length) < 0) return -1;
    return (int)(length / sizeof *groups) + 1;
}

int clinux_open_as(uid_t user, const gid_t *groups, size_t count, int directory, const char *name, int flags) {
    // 65536 is Linux's NGROUPS_MAX. Use raw system calls, because the C library's functions would change all threads.
    static const size_t most = 65536;
    gid_t *own = malloc(most * sizeof *own);
    if (!own) return -1;
    long owns = syscall(SYS_getgroups, most, own);
    int fd = -1, failure = EPERM;
    if (owns >= 0 && count > 0 && syscall(SYS_setgroups, count, groups) == 0) {
        syscall(SYS_setfsgid, groups[0]);
        syscall(SYS_setfsuid, user);
        // These calls do not report failures, so read the IDs again: both calls return the previous ID.
        if (syscall(SYS_setfsuid, -1) == (long)user && syscall(SYS_setfsgid, -1) == (long)groups[0]) {
            fd = openat(directory, name, flags);
            failure = errno;
        }
        syscall(SYS_setfsuid, geteuid());
        syscall(SYS_setfsgid, getegid());
        // This thread must not continue with another user's rights.
        if (syscall(SYS_setfsuid, -1) != (long)geteuid() || syscall(SYS_setgroups, owns, own) < 0) abort();
    }
    free(own);
    errno = failure;
    return fd;
}

int clinux_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int clinux_pass_credentials(int fd) {
    int on = 1;
    return setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
}

int clinux_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int clinux_pidfd_send_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

static int unix_address(const char *path, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return 0;
}

int clinux_bind_unix(int fd, const char *path) {
    struct sockaddr_un address;
    if (unix_address(path, &address) < 0) return -1;
    return bind(fd, (const struct sockaddr *)&address, sizeof address);
}

int clinux_connect_unix(int fd, const char *path) {
    struct sockaddr_un address;
    if (unix_address(path, &address) < 0) return -1;
    return connect(fd, (const struct sockaddr *)&address, sizeof address);
}

int clinux_pipe(int *ends) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

int clinux_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int clinux_forbid_dumps(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) < 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int clinux_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

pid_t clinux_ended_child(uid_t *user) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0) return 0;
    *user = info.si_uid;
    return info.si_pid;
}

int clinux_exited(int status) { return WIFEXITED(status); }
int clinux_exit_status(int status) { return WEXITSTATUS(status); }
int clinux_term_signal(int status) { return WTERMSIG(status); }

static int ends_pipe[2] = {-1, -1};

static void end_came(int number) {
    (void)number;
    int before = errno;
    // If the pipe is full, the reader is already notified.
    if (write(ends_pipe[1], "", 1) < 0) errno = before;
}

int clinux_catch_ends(void) {
    if (pipe2(ends_pipe, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
    // Use handlers, because started programs would inherit ignored signals.
    struct sigaction caught = {.sa_handler = end_came, .sa_flags = SA_RESTART};
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    if (sigaction(SIGTERM, &caught, NULL) < 0 || sigaction(SIGINT, &caught, NULL) < 0) return -1;
    if (sigaction(SIGPIPE, &ignored, NULL) < 0) return -1;
    return ends_pipe[0];
}

int clinux_is_waited_for(int fd) {
    int waiting = epoll_create1(EPOLL_CLOEXEC);
    if (waiting < 0) return -1;
    struct epoll_event event = {.events = EPOLLIN};
    int failure = epoll_ctl(waiting, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
    close(waiting);
    errno = failure;
    return failure == 0 ? 1 : failure == EPERM ? 0 : -1;
}

int64_t clinux_boottime(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int clinux_timer(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int clinux_timer_set(int fd, int64_t nanoseconds) {
    struct itimerspec setting = {
        .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &setting, NULL);
}

int clinux_memory_file(void) {
    return memfd_create("whereabouts", MFD_CLOEXEC);
}

int clinux_pseudo_terminal(char *path, size_t length) {
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return -1;
    if (grantpt(fd) == 0 && unlockpt(fd) == 0 && ptsname_r(fd, path, length) == 0) return fd;
    close(fd);
    return -1;
}

int clinux_open_to_owner(int directory, const char *name) {
    int fd = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int result = chmod(path, 0700);
    close(fd);
    return result;
}

// Forks a child without the parent's files. Otherwise a listening socket in the child could outlive the parent.
static pid_t fork_alone(void) {
    pid_t child = fork();
    if (child == 0) syscall(SYS_close_range, 3, ~0u, 0);
    return child;
}

// No account has this number, so a sender with this real user ID may signal no process because of it.
static const uid_t NOBODYS_USER = 4294967294u;

int clinux_kill_user(uid_t user) {
    if (user == 0 || user >= NOBODYS_USER) {
        errno = EINVAL;
        return -1;
    }
    pid_t child = fork_alone();
    if (child < 0) return -1;
    if (child == 0) {
        // Use raw calls: the C library's would wait for threads that this process does not have. kill(2) compares the real and
        // effective user ID of the sender with the real and saved ID of the target. So this process can kill the user's
        // processes, but they cannot kill it. If a user namespace lacks NOBODYS_USER, this process becomes the user.
        if (syscall(SYS_setresuid, NOBODYS_USER, user, 0) < 0 && syscall(SYS_setresuid, user, user, user) < 0) _exit(1);
        // The kernel holds the lock of the process table: an earlier fork is killed, too, and a later one fails with EINTR.
        _exit(syscall(SYS_kill, -1, SIGKILL) < 0 && errno != ESRCH);
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
        // Other code of this process, which reaps every child, was faster.
        if (errno == ECHILD) return 0;
        if (errno != EINTR) return -1;
    }
    errno = EPERM;
    return status == 0 ? 0 : -1;
}

int clinux_user_has_processes(uid_t user) {
    errno = 0;
    return getpriority(PRIO_USER, user) != -1 || errno == 0;
}

int clinux_exchange(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

// Waits for a child that exits with 0 for yes or 1 for no.
static int answer_of(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) return -1;
    return WEXITSTATUS(status) == 0;
}

// Takes the rights of a user, whose processes cannot signal this one (see clinux_kill_user): the caller waits for it.
//
// Runs after a fork of a process with threads, so it may only make system calls; the C library's would wait for those threads.
static int become(uid_t user) {
    if (syscall(SYS_setgroups, 0, NULL) < 0 || syscall(SYS_setresgid, user, user, user) < 0) return -1;
    if (syscall(SYS_setresuid, NOBODYS_USER, user, 0) == 0) return 0;
    return syscall(SYS_setresuid, user, user, user) < 0 ? -1 : 0;
}

int clinux_reads_memory(uid_t user, key_t key) {
    pid_t child = fork_alone();
    if (child < 0) return -1;
    if (child == 0) {
        if (become(user) < 0) _exit(2);
        int segment = shmget(key, 0, 0);
        if (segment >= 0 && shmat(segment, NULL, SHM_RDONLY) != (void *)-1) _exit(0);
        // There is no segment or no such memory, this user may not read it, or it was removed meanwhile; other errors show nothing.
        int is_refused = errno == ENOENT || errno == ENOSYS || errno == EACCES || errno == EINVAL || errno == EIDRM;
        _exit(is_refused ? 1 : 2);
    }
    return answer_of(child);
}

int clinux_reaches_port(uid_t user, uint16_t port) {
    pid_t child = fork_alone();
    if (child < 0) return -1;
    if (child == 0) {
        if (become(user) < 0) _exit(2);
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0) _exit(2);
        if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) _exit(0);
        // A firewall that drops packets sends no answer; on the same machine, half a second is a long time.
        struct pollfd waiting = {.fd = fd, .events = POLLOUT};
        int error = 0;
        socklen_t length = sizeof error;
        if (poll(&waiting, 1, 500) != 1 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0 || error) _exit(1);
        _exit(0);
    }
    return answer_of(child);
}

// Runs before anything opens a file. If a program is started without some standard streams, its first files and sockets would
// otherwise get their numbers, and log messages would be written into them.
__attribute__((constructor)) static void fill_standard_streams(void) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        // Open it in the wrong direction, so that reading and writing fail, and lost output is reported.
        if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) return;
    }
}

int clinux_flush_stdout(void) {
    if (fflush(stdout) != 0) return errno;
    return ferror(stdout) ? -1 : 0;
}

int clinux_is_clock_kept(void) {
    struct timex time = {0};
    int state = adjtimex(&time);
    return state < 0 ? -1 : state != TIME_ERROR;
}

int clinux_is_in_memory(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return -1;
    return status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;
}
