// A disk that keeps only what was synchronised, for tests that cut the power.
//
// Loaded into a process with LD_PRELOAD, this copies a file below POWER_CUT_ROOT to POWER_CUT_DISK each time that the process calls
// fsync or fdatasync on it, and lists a directory when it is synchronised. Writes, renames and unlinks that no such call followed
// are in neither, so that the copies are what a disk may hold after the power was cut. `Rig.PowerCut` builds the files again from them.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// A copy that cannot be made would pass for lost data: the test must not go on.
static void give_up(const char *what, const char *path) {
    fprintf(stderr, "power-cut: %s %s: %s\n", what, path, strerror(errno));
    abort();
}

// A name for an inode; its number alone may be given to the next file.
static int key_of(int directory, const char *path, int flags, char key[64], mode_t *mode) {
    struct statx status;
    if (statx(directory, path, flags, STATX_BASIC_STATS | STATX_BTIME, &status) != 0) {
        if (errno == ENOENT) return 0;
        give_up("cannot look at", path);
    }
    snprintf(key, 64, "%llx-%llx-%x", (unsigned long long)status.stx_ino, (unsigned long long)status.stx_btime.tv_sec,
             status.stx_btime.tv_nsec);
    *mode = status.stx_mode;
    return 1;
}

static void copy(int file, const char *path, FILE *kept) {
    // A descriptor of its own only if need be: to close one drops the locks that the process holds on the file.
    int flags = fcntl(file, F_GETFL);
    int own = (flags & O_ACCMODE) == O_WRONLY ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    char bytes[65536];
    off_t offset = 0;
    for (;;) {
        ssize_t count = pread(own >= 0 ? own : file, bytes, sizeof bytes, offset);
        if (count < 0) give_up("cannot read", path);
        if (count == 0) break;
        if (fwrite(bytes, 1, (size_t)count, kept) != (size_t)count) give_up("cannot copy", path);
        offset += count;
    }
    if (own >= 0) close(own);
}

// A line for each entry: type, permissions, key, name; for a link its target follows.
static void list(int directory, const char *path, FILE *kept) {
    int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = own >= 0 ? fdopendir(own) : NULL;
    if (!entries) give_up("cannot list", path);
    struct dirent *entry;
    while ((entry = readdir(entries))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        char key[64], target[PATH_MAX] = "";
        mode_t mode;
        // Another thread may have removed it meanwhile.
        if (!key_of(directory, entry->d_name, AT_SYMLINK_NOFOLLOW, key, &mode)) continue;
        if (S_ISLNK(mode) && readlinkat(directory, entry->d_name, target, sizeof target - 1) < 0)
            give_up("cannot read the link", entry->d_name);
        char type = S_ISREG(mode) ? 'f' : S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : 'o';
        fprintf(kept, "%c\t%o\t%s\t%s\t%s\n", type, mode & 07777, key, entry->d_name, target);
    }
    closedir(entries);
}

static void keep(int file) {
    const char *root = getenv("POWER_CUT_ROOT"), *disk = getenv("POWER_CUT_DISK");
    if (!root || !disk) return;
    char link[64], path[PATH_MAX], draft[PATH_MAX], place[PATH_MAX], key[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    size_t prefix = strlen(root);
    if (strncmp(path, root, prefix) || (path[prefix] != '/' && path[prefix] != 0)) return;
    mode_t mode;
    if (!key_of(file, "", AT_EMPTY_PATH, key, &mode)) return;
    int is_directory = S_ISDIR(mode);
    if (!is_directory && !S_ISREG(mode)) return;
    snprintf(place, sizeof place, "%s/%s%s", disk, path[prefix] ? key : "root", is_directory ? ".list" : "");
    snprintf(draft, sizeof draft, "%s/draft-%d", disk, getpid());
    pthread_mutex_lock(&lock);
    FILE *kept = fopen(draft, "we");
    if (!kept) give_up("cannot write", draft);
    if (is_directory) list(file, path, kept); else copy(file, path, kept);
    if (fclose(kept) != 0 || rename(draft, place) != 0) give_up("cannot write", place);
    pthread_mutex_unlock(&lock);
}

static int synchronise(long call, int file) {
    int result = (int)syscall(call, file);
    int error = errno;
    if (result == 0) keep(file);
    errno = error;
    return result;
}

int fsync(int file) { return synchronise(SYS_fsync, file); }
int fdatasync(int file) { return synchronise(SYS_fdatasync, file); }
