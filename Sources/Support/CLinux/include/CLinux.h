#pragma once
// The parts of libc that Swift's Glibc module lacks: macros, variadics and structs with flexible members.
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Receives one packet without waiting, with the credentials the kernel attached to it.
///
/// The socket must have SO_PASSCRED. *pid is 0 when no credentials came along. Descriptors that a peer sends are
/// never accepted.
/// Returns the packet's length, 0 at the end, or -1 with errno (EMSGSIZE: the packet was longer than the buffer).
ssize_t clinux_receive_packet(int fd, void *_Nonnull buffer, size_t length, pid_t *_Nonnull pid, uid_t *_Nonnull uid);

/// The process at the other end of a connected Unix socket; 0, or -1 with errno.
int clinux_peer(int fd, pid_t *_Nonnull pid, uid_t *_Nonnull uid);

/// The groups, when it connected, of the process that made the other end of a connected Unix socket, its own group first: their number, or
/// -1 with errno (ERANGE: more than `most`).
int clinux_peer_groups(int fd, gid_t *_Nonnull groups, size_t most);

/// Opens a file below a directory with the rights of a user and of groups, its own group first; its descriptor, or -1 with errno. For
/// root; changes this thread alone, and only until it returns.
int clinux_open_as(
    uid_t user, const gid_t *_Nonnull groups, size_t count, int directory, const char *_Nonnull name, int flags);

/// Accepts a connection, close-on-exec and non-blocking; -1 with errno.
int clinux_accept(int fd);

/// Asks the kernel to attach credentials to each packet received; 0, or -1 with errno.
int clinux_pass_credentials(int fd);

/// Opens a descriptor of a process that becomes readable when it ends; -1 with errno.
int clinux_pidfd_open(pid_t pid);

/// Sends a signal to the process of a pidfd; 0, or -1 with errno.
int clinux_pidfd_send_signal(int pidfd, int signal);

/// Binds a Unix socket to a path; 0, or -1 with errno.
int clinux_bind_unix(int fd, const char *_Nonnull path);

/// Connects a Unix socket to the one at a path; 0, or -1 with errno.
int clinux_connect_unix(int fd, const char *_Nonnull path);

/// Makes both ends of a pipe, which never wait and which no program inherits; 0, or -1 with errno.
int clinux_pipe(int *_Nonnull ends);

/// Has a spawned process begin without the descriptors from this one on; 0, or an error number.
int clinux_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);

/// Keeps what this process knows out of core files, and out of the reach of other processes of the same user
/// (/proc/PID/mem, ptrace); 0, or -1 with errno. Programs it starts are as they were.
int clinux_forbid_dumps(void);

/// Has processes whose parent is gone become children of this one, if it started them or one of their forebears; 0, or -1
/// with errno.
int clinux_adopt_orphans(void);

/// The number of a child that ended and was not waited for, which stays so, and its real user; 0 when there is none.
pid_t clinux_ended_child(uid_t *_Nonnull user);

/// Whether a wait status says that the process exited, and how.
int clinux_exited(int status);
int clinux_exit_status(int status);
int clinux_term_signal(int status);

/// Whether somebody keeps the machine's clock, by the kernel's own word (adjtimex(2)): 1 or 0; -1 with errno.
int clinux_is_clock_kept(void);

/// Whether a path is in a file system that a restart of the machine empties: 1 or 0; -1 with errno.
int clinux_is_in_memory(const char *_Nonnull path);

/// Has SIGTERM and SIGINT make a descriptor readable from now on, instead of ending the process, and writes to a peer that is gone fail
/// with EPIPE; the descriptor, or -1 with errno. Once in a process.
int clinux_catch_ends(void);

/// Whether the bytes of a descriptor can be waited for (epoll(7)), which those of a file and of /dev/null cannot: 1 or 0; -1 with errno.
int clinux_is_waited_for(int fd);

/// Reads CLOCK_BOOTTIME in nanoseconds.
int64_t clinux_boottime(void);

/// A timer descriptor on CLOCK_BOOTTIME; -1 with errno.
int clinux_timer(void);
/// Sets a timer descriptor to an absolute CLOCK_BOOTTIME in nanoseconds; 0 stops it.
int clinux_timer_set(int fd, int64_t nanoseconds);

/// Opens a pseudo terminal, and writes the path of its other end; its descriptor, or -1 with errno.
int clinux_pseudo_terminal(char *_Nonnull path, size_t length);

/// Lets the owner of a directory below another one into it, which must not be a link; 0, or -1 with errno.
int clinux_open_to_owner(int directory, const char *_Nonnull name);

/// Sends SIGKILL to all processes of a user, in one step that no fork escapes; 0, or -1 with errno. Needs root. Refuses root's.
int clinux_kill_user(uid_t user);

/// Whether any process has this real user: 1 or 0. Counts ended processes that no parent has waited for.
int clinux_user_has_processes(uid_t user);

/// Exchanges two files or directories in one step; 0, or -1 with errno.
int clinux_exchange(const char *_Nonnull one, const char *_Nonnull other);

/// Whether a user's process can read the System V shared memory with this key: 1, 0, or -1 where it cannot be tried. Root only.
int clinux_reads_memory(uid_t user, key_t key);

/// Whether a user's process reaches a TCP port of this machine's (127.0.0.1): 1, 0, or -1 where it cannot be tried; root only.
int clinux_reaches_port(uid_t user, uint16_t port);

/// Writes what the C library still holds for standard output; 0, an error number, or -1 where an earlier write failed and
/// its reason is lost.
int clinux_flush_stdout(void);
