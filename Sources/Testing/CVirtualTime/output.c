// Lines that code on a device writes to standard output and error are copied to the timeline.
#define _GNU_SOURCE
#include "internal.h"
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define current cvirtualtime_current

// In Swift: records the bytes for the process whose code runs now.
void whereabouts_virtual_time_wrote(int32_t descriptor, const void *bytes, int64_t count);

static void tell(int descriptor, const void *bytes, size_t count) {
    if (!current.kernel || current.is_telling || !count) return;
    current.is_telling = 1;
    whereabouts_virtual_time_wrote(descriptor, bytes, (int64_t)count);
    current.is_telling = 0;
}

static void tell_stream(FILE *stream, const void *bytes, size_t count) {
    if (stream == stdout) tell(STDOUT_FILENO, bytes, count);
    if (stream == stderr) tell(STDERR_FILENO, bytes, count);
}

size_t fwrite(const void *restrict bytes, size_t size, size_t count, FILE *restrict stream) {
    static size_t (*system)(const void *, size_t, size_t, FILE *);
    if (!system) system = cvirtualtime_system("fwrite");
    tell_stream(stream, bytes, size * count);
    return system(bytes, size, count, stream);
}

int fputs(const char *restrict text, FILE *restrict stream) {
    static int (*system)(const char *, FILE *);
    if (!system) system = cvirtualtime_system("fputs");
    tell_stream(stream, text, strlen(text));
    return system(text, stream);
}

// A direct system call, because a signal handler may call write().
ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO) tell(descriptor, bytes, count);
    return syscall(SYS_write, descriptor, bytes, count);
}
