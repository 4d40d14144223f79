// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fl_imaging.h"

static bool bound(int resource, rlim_t value) {
    struct rlimit limit = {value, value};
    return setrlimit(resource, &limit) == 0;
}

bool fl_close_inherited(void) { return close_range(3, ~0U, 0) == 0; }

bool fl_confine(size_t headroom, size_t largest_file) {
    // prctl is variadic and therefore closed to Swift.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return false;
    if (!bound(RLIMIT_CORE, 0) || !bound(RLIMIT_FSIZE, largest_file) || !bound(RLIMIT_NOFILE, 64))
        return false;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return false;
    int found = fscanf(file, "%lu", &pages);
    fclose(file);
    return found == 1 && bound(RLIMIT_AS, (rlim_t) pages * sysconf(_SC_PAGESIZE) + headroom);
}

#if defined(__x86_64__)
#define FL_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FL_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE(number, error) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

bool fl_renounce(void) {
#ifdef FL_ARCHITECTURE
    struct sock_filter rules[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FL_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
#ifdef __x86_64__
        // Calls of the 32-bit-pointer variant have numbers of their own.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
#endif
        // No network, and no way to anybody who listens on this machine.
        REFUSE(__NR_socket, EACCES), REFUSE(__NR_socketpair, EACCES), REFUSE(__NR_connect, EACCES),
        REFUSE(__NR_bind, EACCES), REFUSE(__NR_listen, EACCES), REFUSE(__NR_accept, EACCES),
        REFUSE(__NR_accept4, EACCES),
        // No files: the picture and the answer are descriptors.
        REFUSE(__NR_openat, EACCES), REFUSE(__NR_openat2, EACCES), REFUSE(__NR_open_by_handle_at, EACCES),
        REFUSE(__NR_unlinkat, EACCES), REFUSE(__NR_mkdirat, EACCES), REFUSE(__NR_linkat, EACCES),
        REFUSE(__NR_symlinkat, EACCES), REFUSE(__NR_renameat2, EACCES), REFUSE(__NR_mknodat, EACCES),
        REFUSE(__NR_fchmodat, EACCES), REFUSE(__NR_fchownat, EACCES), REFUSE(__NR_utimensat, EACCES),
#ifdef __x86_64__
        REFUSE(__NR_open, EACCES), REFUSE(__NR_creat, EACCES), REFUSE(__NR_unlink, EACCES),
        REFUSE(__NR_mkdir, EACCES), REFUSE(__NR_rmdir, EACCES), REFUSE(__NR_link, EACCES),
        REFUSE(__NR_symlink, EACCES), REFUSE(__NR_rename, EACCES), REFUSE(__NR_mknod, EACCES),
        REFUSE(__NR_chmod, EACCES), REFUSE(__NR_chown, EACCES), REFUSE(__NR_renameat, EACCES),
        REFUSE(__NR_fork, EPERM), REFUSE(__NR_vfork, EPERM),
#endif
        // No other programs, and no hold on other processes.
        REFUSE(__NR_execve, EPERM), REFUSE(__NR_execveat, EPERM), REFUSE(__NR_ptrace, EPERM),
        REFUSE(__NR_process_vm_readv, EPERM), REFUSE(__NR_process_vm_writev, EPERM), REFUSE(__NR_kill, EPERM),
        REFUSE(__NR_pidfd_send_signal, EPERM), REFUSE(__NR_pidfd_open, EPERM), REFUSE(__NR_setns, EPERM),
        REFUSE(__NR_unshare, EPERM), REFUSE(__NR_mount, EPERM), REFUSE(__NR_umount2, EPERM),
        REFUSE(__NR_pivot_root, EPERM), REFUSE(__NR_chroot, EPERM), REFUSE(__NR_bpf, EPERM),
        REFUSE(__NR_perf_event_open, EPERM), REFUSE(__NR_userfaultfd, EPERM), REFUSE(__NR_io_uring_setup, ENOSYS),
        REFUSE(__NR_add_key, EPERM), REFUSE(__NR_keyctl, EPERM), REFUSE(__NR_request_key, EPERM),
        // The structure of clone3 cannot be looked into; the C library falls back to clone.
        REFUSE(__NR_clone3, ENOSYS),
        // Limits of this process alone.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prlimit64, 0, 4),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        // Threads are no processes.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0)
        return true;
    // A kernel without filters: the limits of fl_confine are what is left.
    return errno == ENOSYS || errno == EINVAL;
#else
    return true;
#endif
}

bool fl_awaits_input(int milliseconds) {
    struct pollfd input = {0, POLLIN, 0};
    return poll(&input, 1, milliseconds) == 0;
}

void fl_trim(void) { malloc_trim(0); }

bool fl_allow_cpu(int seconds) {
    struct rusage usage;
    struct rlimit limit;
    if (getrusage(RUSAGE_SELF, &usage) || getrlimit(RLIMIT_CPU, &limit))
        return false;
    limit.rlim_cur = (rlim_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1 + seconds);
    return setrlimit(RLIMIT_CPU, &limit) == 0;
}

int fl_memory_file(void) { return memfd_create("rendition", MFD_CLOEXEC); }
