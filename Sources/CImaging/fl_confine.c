// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fl_imaging.h"

static bool bound(int resource, rlim_t value) {
    struct rlimit limit = {value, value};
    return setrlimit(resource, &limit) == 0;
}

bool fl_close_inherited(void) { return close_range(3, ~0U, 0) == 0; }

bool fl_confine(size_t headroom) {
    // prctl is variadic and therefore closed to Swift.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return false;
    // Orc, which vips uses, maps its 64 KB of code from a small file.
    if (!bound(RLIMIT_CORE, 0) || !bound(RLIMIT_FSIZE, 1 << 20) || !bound(RLIMIT_NOFILE, 64))
        return false;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return false;
    int found = fscanf(file, "%lu", &pages);
    fclose(file);
    return found == 1 && bound(RLIMIT_AS, (rlim_t) pages * sysconf(_SC_PAGESIZE) + headroom);
}

void fl_await_input(void) {
    struct pollfd input = {0, POLLIN, 0};
    if (poll(&input, 1, 2000) == 0)
        malloc_trim(0);
}

bool fl_allow_cpu(int seconds) {
    struct rusage usage;
    struct rlimit limit;
    if (getrusage(RUSAGE_SELF, &usage) || getrlimit(RLIMIT_CPU, &limit))
        return false;
    limit.rlim_cur = (rlim_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1 + seconds);
    return setrlimit(RLIMIT_CPU, &limit) == 0;
}
