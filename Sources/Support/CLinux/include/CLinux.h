#pragma once
// Parts of libc that Swift's Glibc module lacks: macros, variadic functions and structs with flexible members.
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Receives one packet without waiting, with the credentials the kernel attached to it.
///
/// The socket must have SO_PASSCRED. *pid is 0 when the packet has no credentials. Descriptors that a peer passes
/// are never accepted.
/// Returns the packet's length, 0 at the end, or -1 with errno (EMSGSIZE: the packet was longer than the buffer).
ssize_t clinux_receive_packet(int fd, void *_Nonnull buffer, size_t length, pid_t *_Nonnull pid, uid_t *_Nonnull uid);

/// Gets the process at the other end of a connected Unix socket; 0, or -1 with errno.
int clinux_peer(int fd, pid_t *_Nonnull pid, uid_t *_Nonnull uid);

/// Gets the groups that the peer of a connected Unix socket had when it connected, its own group first. Returns their number, or -1 with
/// errno (ERANGE: more than `most`).
int clinux_peer_groups(int fd, gid_t *_Nonnull groups, size_t most);

/// Opens a file below a directory with the rights of a user and groups, the user's own group first; the descriptor, or -1 with errno.
/// Needs root. Changes only this thread, and only until it returns.
int clinux_open_as(
    uid_t user, const gid_t *_Nonnull groups, size_t count, int directory, const char *_Nonnull name, int flags);

/// Accepts a connection, close-on-exec and non-blocking; -1 with errno.
int clinux_accept(int fd);

/// Lets the kernel attach the sender's credentials to each received packet; 0, or -1 with errno.
int clinux_pass_credentials(int fd);

/// Opens a descriptor that becomes readable when a process ends; -1 with errno.
int clinux_pidfd_open(pid_t pid);

/// Sends a signal to the process of a pidfd; 0, or -1 with errno.
int clinux_pidfd_send_signal(int pidfd, int signal);

/// Binds a Unix socket to a path; 0, or -1 with errno.
int clinux_bind_unix(int fd, const char *_Nonnull path);

/// Connects a Unix socket to the socket at a path; 0, or -1 with errno.
int clinux_connect_unix(int fd, const char *_Nonnull path);

/// Creates a pipe with non-blocking, close-on-exec ends; 0, or -1 with errno.
int clinux_pipe(int *_Nonnull ends);

/// Closes this descriptor and all higher ones in a spawned process; 0, or an error number.
int clinux_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);

/// Keeps the memory of this process out of core files, and out of reach of other processes of the same user
/// (/proc/PID/mem, ptrace); 0, or -1 with errno. Started programs are not affected.
int clinux_forbid_dumps(void);

/// Makes this process the parent of orphans among its descendants; 0, or -1 with errno.
/// See PR_SET_CHILD_SUBREAPER.
int clinux_adopt_orphans(void);

/// Returns the number and real user of an ended child without reaping it; 0 when there is none.
pid_t clinux_ended_child(uid_t *_Nonnull user);

/// Whether a wait status reports an exit; the exit status; the signal that ended the process.
int clinux_exited(int status);
int clinux_exit_status(int status);
int clinux_term_signal(int status);

/// Whether the machine's clock is synchronized, according to the kernel (adjtimex(2)): 1 or 0; -1 with errno.
int clinux_is_clock_kept(void);

/// Whether a path is in a file system that is empty after a restart: 1 or 0; -1 with errno.
int clinux_is_in_memory(const char *_Nonnull path);

/// Makes SIGTERM and SIGINT write to a pipe instead of ending the process, and makes writes to a closed peer fail with EPIPE. Returns
/// the readable end of the pipe, or -1 with errno. Call it once in a process.
int clinux_catch_ends(void);

/// Whether epoll(7) can wait for a descriptor, which it cannot for a file or /dev/null: 1 or 0; -1 with errno.
int clinux_is_waited_for(int fd);

/// Reads CLOCK_BOOTTIME in nanoseconds.
int64_t clinux_boottime(void);

/// A timer descriptor on CLOCK_BOOTTIME; -1 with errno.
int clinux_timer(void);
/// Sets a timer descriptor to an absolute CLOCK_BOOTTIME in nanoseconds; 0 stops it.
int clinux_timer_set(int fd, int64_t nanoseconds);

/// Opens an empty file in memory, close-on-exec; the descriptor, or -1 with errno.
int clinux_memory_file(void);

/// Opens a pseudo terminal, and stores the path of its other end; the descriptor, or -1 with errno.
int clinux_pseudo_terminal(char *_Nonnull path, size_t length);

/// Gives the owner of a subdirectory, which must not be a link, access to it (mode 0700); 0, or -1 with errno.
int clinux_open_to_owner(int directory, const char *_Nonnull name);

/// Sends SIGKILL to all processes of a user in one step that no fork escapes; 0, or -1 with errno. Needs root. Refuses root as the user.
int clinux_kill_user(uid_t user);

/// Whether any process has this real user: 1 or 0. Counts zombies, too.
int clinux_user_has_processes(uid_t user);

/// Exchanges two files or directories in one step; 0, or -1 with errno.
int clinux_exchange(const char *_Nonnull one, const char *_Nonnull other);

/// Whether a user's process can read the System V shared memory with this key: 1, 0, or -1 if that cannot be tried. Needs root.
int clinux_reads_memory(uid_t user, key_t key);

/// Whether a user's process can connect to a TCP port of 127.0.0.1: 1, 0, or -1 if that cannot be tried. Needs root.
int clinux_reaches_port(uid_t user, uint16_t port);

/// Flushes the C library's buffer of standard output; 0, an error number, or -1 if an earlier write failed for an
/// unknown reason.
int clinux_flush_stdout(void);
