#define _GNU_SOURCE
#include "wireless.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define NATIVE AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE AUDIT_ARCH_RISCV64
#else
#error "location-launch: name the architecture of its system calls here"
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "location-launch: the low half of an argument lies elsewhere"
#endif

// The number of ioctl in 32-bit programs of x86 and Arm, and in x32 programs.
#define IOCTL_32 54
#define IOCTL_X32 (0x40000000 | 514)

int deny_wireless(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IOCTL_X32, 2, 6),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IOCTL_32, 0, 4),
        // The kernel looks at 32 bits of the request. linux/wireless.h has all of its own between 0x8B00 and 0x8BFF.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xFFFFFF00),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x8B00, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 || errno == EINVAL) return 0;
    return -1;
}
