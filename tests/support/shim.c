/* Makes calls of the C library fail, or end the process, on purpose: loaded before it into a run of robots-scan.
 *
 * FAULT_PATH   calls on files whose path has this text are counted
 * FAULT_CALLS  names of the calls that are counted, such as "write,rename"
 * FAULT_AT     at the call of this number, from 1 ...
 * FAULT_DO     ... "kill" ends the process by SIGKILL, a write half done; a number is the error that the call and
 *              all later ones fail with, a write half done before; "sleep" makes the call wait FAULT_MS milliseconds
 * FAULT_COUNT  a file that gets the number of calls when the process ends
 * FAULT_BYTES  a file that gets the number of bytes that counted calls of "read" returned
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls;
static atomic_long bytes_read;

static void *next(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

static int path_counts(const char *call, const char *path) {
    const char *part = getenv("FAULT_PATH"), *names = getenv("FAULT_CALLS");
    if (!part || !names || !path || !strstr(path, part)) {
        return 0;
    }
    size_t length = strlen(call);
    for (const char *at = names; (at = strstr(at, call)); at += length) {
        if ((at == names || at[-1] == ',') && (at[length] == ',' || at[length] == 0)) {
            return 1;
        }
    }
    return 0;
}

static int file_counts(const char *call, int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) {
        return 0;
    }
    path[length] = 0;
    return path_counts(call, path);
}

/* What becomes of a call that counts: 0 it is done, -1 the process ends, else the error. */
static int fate(void) {
    const char *at = getenv("FAULT_AT"), *what = getenv("FAULT_DO"), *ms = getenv("FAULT_MS");
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (!at || !what || number < atol(at)) {
        return 0;
    }
    if (!strcmp(what, "kill")) {
        return -1;
    }
    if (!strcmp(what, "sleep")) {
        long wait = ms ? atol(ms) : 0;
        struct timespec time = {wait / 1000, wait % 1000 * 1000000};
        nanosleep(&time, NULL);
        return 0;
    }
    return atoi(what);
}

static int ends(int fate) {
    if (fate < 0) {
        kill(getpid(), SIGKILL);
        for (;;) {
            pause();
        }
    }
    if (fate > 0) {
        errno = fate;
    }
    return fate != 0;
}

ssize_t write(int file, const void *bytes, size_t count) {
    ssize_t (*real)(int, const void *, size_t) = next("write");
    if (file > 2 && file_counts("write", file)) {
        const char *at = getenv("FAULT_AT");
        int what = fate();
        if (what != 0 && (what < 0 || (at && atomic_load(&calls) == atol(at))) && count > 1) {
            real(file, bytes, count / 2);
        }
        if (ends(what)) {
            return -1;
        }
    }
    return real(file, bytes, count);
}

ssize_t read(int file, void *bytes, size_t count) {
    ssize_t (*real)(int, void *, size_t) = next("read");
    int counts = file > 2 && file_counts("read", file);
    if (counts && ends(fate())) {
        return -1;
    }
    ssize_t got = real(file, bytes, count);
    if (counts && got > 0) {
        atomic_fetch_add(&bytes_read, got);
    }
    return got;
}

/* A read from an offset counts as "read". */
ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    ssize_t (*real)(int, void *, size_t, off64_t) = next("pread64");
    int counts = file > 2 && file_counts("read", file);
    if (counts && ends(fate())) {
        return -1;
    }
    ssize_t got = real(file, bytes, count, offset);
    if (counts && got > 0) {
        atomic_fetch_add(&bytes_read, got);
    }
    return got;
}

int fsync(int file) {
    int (*real)(int) = next("fsync");
    if (file_counts("sync", file) && ends(fate())) {
        return -1;
    }
    return real(file);
}

int fdatasync(int file) {
    int (*real)(int) = next("fdatasync");
    if (file_counts("sync", file) && ends(fate())) {
        return -1;
    }
    return real(file);
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = next("rename");
    if (path_counts("rename", to) && ends(fate())) {
        return -1;
    }
    return real(from, to);
}

int open64(const char *path, int flags, ...) {
    int (*real)(const char *, int, ...) = next("open64");
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    if (path_counts("open", path) && ends(fate())) {
        return -1;
    }
    return real(path, flags, mode);
}

int mkdir(const char *path, mode_t mode) {
    int (*real)(const char *, mode_t) = next("mkdir");
    if (path_counts("mkdir", path) && ends(fate())) {
        return -1;
    }
    return real(path, mode);
}

int unlink(const char *path) {
    int (*real)(const char *) = next("unlink");
    if (path_counts("remove", path) && ends(fate())) {
        return -1;
    }
    return real(path);
}

int rmdir(const char *path) {
    int (*real)(const char *) = next("rmdir");
    if (path_counts("remove", path) && ends(fate())) {
        return -1;
    }
    return real(path);
}

int ftruncate64(int file, off64_t length) {
    int (*real)(int, off64_t) = next("ftruncate64");
    if (file_counts("truncate", file) && ends(fate())) {
        return -1;
    }
    return real(file, length);
}

static void tell_number(const char *name, long number) {
    const char *path = getenv(name);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld", number);
        fclose(file);
    }
}

__attribute__((destructor)) static void tell(void) {
    tell_number("FAULT_COUNT", atomic_load(&calls));
    tell_number("FAULT_BYTES", atomic_load(&bytes_read));
}
