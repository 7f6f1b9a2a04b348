// Sees every effect of a process, and of its children, on files below some folders: LD_PRELOAD=effects.so.
//   EFFECTS_BELOW    the folders, absolute, separated by colons
//   EFFECTS_CONTROL  a file of 4096 bytes, shared with whoever arms it: struct control below
//   EFFECTS_JOURNAL  where effects are recorded, each after it has happened or was refused: struct entry, its paths, what was written
// Armed, it records effects, and can end the process group before effect `at`, or let effects fail from there on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { OPEN, CREATE, WRITE, TRUNCATE, FSYNC, RENAME, LINK, SYMLINK, UNLINK, MKDIR, RMDIR };
enum { RECORD, KILL, FAIL_ONCE, FAIL_ON };

struct control {
  _Atomic int armed;
  _Atomic int turn;          // held while an effect happens, so that they have one order
  _Atomic int64_t count[16]; // by kind
  int32_t way;
  int32_t error;             // errno of a failure
  int64_t at;                // among the effects of the kinds in this mask, from 1
  int64_t mask;
  _Atomic int64_t seen;      // effects of these kinds so far
  _Atomic int64_t failed;    // effects that were refused
  int64_t after;             // the kinds that FAIL_ON refuses from there on
};

struct entry {
  uint32_t kind, path, path2, flags; // lengths of the paths; flags: 1 the file existed, 2 it was truncated, 4 refused
  uint64_t inode;
  int64_t offset, length;            // of what was written; the length of a truncated file
  int64_t micros;
  uint64_t mode;
};

static struct control *control;

// libc's own, since `syscall` is seen too.
static long (*libc_syscall)(long, ...);
#define raw(...) ((libc_syscall == NULL ? libc_syscall = dlsym(RTLD_NEXT, "syscall") : 0), libc_syscall(__VA_ARGS__))
static int journal = -1;
static char below[8][PATH_MAX];
static int belows;

__attribute__((constructor)) static void begin(void) {
  const char *folders = getenv("EFFECTS_BELOW"), *file = getenv("EFFECTS_CONTROL"),
             *to = getenv("EFFECTS_JOURNAL");
  if (folders == NULL || file == NULL) return;
  int fd = raw(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) return;
  void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  raw(SYS_close, fd);
  if (at == MAP_FAILED) return;
  if (to != NULL)
    journal = raw(SYS_openat, AT_FDCWD, to, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  for (const char *from = folders; *from != 0 && belows < 8;) {
    size_t length = strcspn(from, ":");
    snprintf(below[belows++], PATH_MAX, "%.*s", (int)length, from);
    from += length + (from[length] == ':');
  }
  control = at;
}

static int is_below(const char *path) {
  for (int i = 0; i < belows; i++) {
    size_t length = strlen(below[i]);
    if (strncmp(path, below[i], length) == 0 && (path[length] == '/' || path[length] == 0)) return 1;
  }
  return 0;
}

// The absolute path, without "." and ".."; symbolic links in it are not followed.
static void absolute(int folder, const char *path, char *out) {
  char joined[2 * PATH_MAX];
  if (path[0] == '/') {
    snprintf(joined, sizeof joined, "%s", path);
  } else {
    char base[PATH_MAX] = "";
    if (folder == AT_FDCWD) {
      if (raw(SYS_getcwd, base, sizeof base) < 0) base[0] = 0;
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      ssize_t length = raw(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
      base[length < 0 ? 0 : length] = 0;
    }
    snprintf(joined, sizeof joined, "%s/%s", base, path);
  }
  size_t length = 0;
  for (const char *part = joined; *part != 0;) {
    while (*part == '/') part++;
    size_t size = strcspn(part, "/");
    if (size == 2 && strncmp(part, "..", 2) == 0) {
      while (length > 0 && out[--length] != '/') {}
    } else if (size > 0 && !(size == 1 && part[0] == '.') && length + size + 2 < PATH_MAX) {
      out[length++] = '/';
      memcpy(out + length, part, size);
      length += size;
    }
    part += size;
  }
  out[length] = 0;
}

static int path_of(int fd, char *out) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = raw(SYS_readlinkat, AT_FDCWD, link, out, PATH_MAX - 1);
  if (length < 0) return 0;
  out[length] = 0;
  return 1;
}

static int is_armed(void) { return control != NULL && atomic_load(&control->armed); }
static int is_watched_fd(int fd, char *path) { return is_armed() && path_of(fd, path) && is_below(path); }

static void leave(void) { atomic_store(&control->turn, 0); }

static void record(int kind, const char *path, const char *path2, uint32_t flags, const struct stat *about,
                   int64_t offset, int64_t length, int data_of);

// Whether the effect may happen; then it is this one's turn until `leave`. Otherwise it is recorded as refused, and errno is set.
static int enter(int kind, const char *path, const char *path2) {
  int free = 0;
  while (!atomic_compare_exchange_weak(&control->turn, &free, 1)) {
    free = 0;
    sched_yield();
  }
  atomic_fetch_add(&control->count[kind], 1);
  int counts = control->mask >> kind & 1;
  int64_t number = counts ? atomic_fetch_add(&control->seen, 1) + 1 : 0;
  if (control->way == RECORD) return 1;
  int is_it = counts && number == control->at;
  if (is_it && control->way == KILL) {
    kill(0, SIGKILL);
    for (;;) sched_yield();
  }
  int follows = control->way == FAIL_ON && atomic_load(&control->failed) > 0 && control->after >> kind & 1;
  if (!(is_it && control->way != KILL) && !follows) return 1;
  atomic_fetch_add(&control->failed, 1);
  record(kind, path, path2, 4, NULL, 0, 0, -1);
  leave();
  errno = control->error;
  return 0;
}

static void write_all(const void *from, size_t length) {
  for (const char *at = from; length > 0;) {
    ssize_t written = raw(SYS_write, journal, at, length);
    if (written <= 0) abort();
    at += written;
    length -= written;
  }
}

static void record(int kind, const char *path, const char *path2, uint32_t flags, const struct stat *about,
                   int64_t offset, int64_t length, int data_of) {
  if (journal < 0) return;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  struct entry entry = {
      .kind = kind, .path = strlen(path), .path2 = path2 == NULL ? 0 : strlen(path2), .flags = flags,
      .inode = about == NULL ? 0 : about->st_ino, .offset = offset, .length = length,
      .micros = now.tv_sec * 1000000LL + now.tv_nsec / 1000, .mode = about == NULL ? 0 : about->st_mode};
  write_all(&entry, sizeof entry);
  write_all(path, entry.path);
  if (path2 != NULL) write_all(path2, entry.path2);
  if (kind != WRITE || length == 0) return;
  // From the file, so that all ways of writing are alike.
  char link[64], *bytes = malloc(length);
  snprintf(link, sizeof link, "/proc/self/fd/%d", data_of);
  int fd = raw(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC, 0);
  ssize_t got = 0;
  while (fd >= 0 && got < length) {
    ssize_t more = raw(SYS_pread64, fd, bytes + got, length - got, offset + got);
    if (more <= 0) break;
    got += more;
  }
  if (fd < 0 || got < length) abort();
  raw(SYS_close, fd);
  write_all(bytes, length);
  free(bytes);
}

static int64_t position(int fd) {
  if (fcntl(fd, F_GETFL) & O_APPEND) {
    struct stat about;
    return fstat(fd, &about) == 0 ? about.st_size : 0;
  }
  return raw(SYS_lseek, fd, 0, SEEK_CUR);
}

static void record_write(int fd, int64_t offset, int64_t length) {
  char path[PATH_MAX];
  struct stat about;
  if (length > 0 && path_of(fd, path) && fstat(fd, &about) == 0)
    record(WRITE, path, NULL, 0, &about, offset, length, fd);
}

#define WRITING(name, parameters, call, offset_at, fd)                         \
  ssize_t name parameters {                                                    \
    char path[PATH_MAX];                                                       \
    if (!is_watched_fd(fd, path)) return call;                                 \
    if (!enter(WRITE, path, NULL)) return -1;                                  \
    int64_t offset = offset_at;                                                \
    ssize_t result = call;                                                     \
    int error = errno;                                                         \
    record_write(fd, offset, result);                                          \
    leave();                                                                   \
    errno = error;                                                             \
    return result;                                                             \
  }

WRITING(write, (int fd, const void *from, size_t length), raw(SYS_write, fd, from, length), position(fd), fd)
WRITING(pwrite, (int fd, const void *from, size_t length, off_t at), raw(SYS_pwrite64, fd, from, length, at), at, fd)
WRITING(pwrite64, (int fd, const void *from, size_t length, off64_t at), raw(SYS_pwrite64, fd, from, length, at), at, fd)
WRITING(writev, (int fd, const struct iovec *parts, int count), raw(SYS_writev, fd, parts, count), position(fd), fd)
WRITING(pwritev, (int fd, const struct iovec *parts, int count, off_t at), raw(SYS_pwritev, fd, parts, count, at, 0), at, fd)
WRITING(pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), raw(SYS_pwritev, fd, parts, count, at, 0), at, fd)
WRITING(sendfile, (int fd, int from, off_t *at, size_t length), raw(SYS_sendfile, fd, from, at, length), position(fd), fd)
WRITING(sendfile64, (int fd, int from, off64_t *at, size_t length), raw(SYS_sendfile, fd, from, at, length), position(fd), fd)
WRITING(copy_file_range, (int from, off64_t *in, int fd, off64_t *out, size_t length, unsigned flags),
        raw(SYS_copy_file_range, from, in, fd, out, length, flags), out == NULL ? position(fd) : *out, fd)

// libuv copies files by its number.
long syscall(long number, ...) {
  va_list more;
  va_start(more, number);
  long a = va_arg(more, long), b = va_arg(more, long), c = va_arg(more, long), d = va_arg(more, long),
       e = va_arg(more, long), f = va_arg(more, long);
  va_end(more);
  if (number == SYS_copy_file_range) return copy_file_range(a, (off64_t *)b, c, (off64_t *)d, e, f);
  return raw(number, a, b, c, d, e, f);
}

#define ON_FD(name, parameters, kind, call, size)                              \
  int name parameters {                                                        \
    char path[PATH_MAX];                                                       \
    if (!is_watched_fd(fd, path)) return call;                                 \
    if (!enter(kind, path, NULL)) return -1;                                   \
    int result = call, error = errno;                                          \
    struct stat about;                                                         \
    if (result == 0 && path_of(fd, path) && fstat(fd, &about) == 0)            \
      record(kind, path, NULL, 0, &about, 0, size, fd);                        \
    leave();                                                                   \
    errno = error;                                                             \
    return result;                                                             \
  }

ON_FD(fsync, (int fd), FSYNC, raw(SYS_fsync, fd), 0)
ON_FD(fdatasync, (int fd), FSYNC, raw(SYS_fdatasync, fd), 0)
ON_FD(ftruncate, (int fd, off_t length), TRUNCATE, raw(SYS_ftruncate, fd, length), length)
ON_FD(ftruncate64, (int fd, off64_t length), TRUNCATE, raw(SYS_ftruncate, fd, length), length)
// Space without content, which a file system may refuse.
ON_FD(fallocate, (int fd, int mode, off_t offset, off_t length), TRUNCATE, raw(SYS_fallocate, fd, mode, offset, length), offset + length)

static int opened(int folder, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  if (!is_armed() || (absolute(folder, name, path), !is_below(path)) || (flags & O_TMPFILE) == O_TMPFILE)
    return raw(SYS_openat, folder, name, flags, mode);
  struct stat about;
  int exists = raw(SYS_newfstatat, folder, name, &about, 0) == 0;
  int creates = (flags & O_CREAT) && !exists, truncates = (flags & O_TRUNC) && exists;
  int kind = creates || truncates ? CREATE : OPEN;
  if (!enter(kind, path, NULL)) return -1;
  int fd = raw(SYS_openat, folder, name, flags, mode), error = errno;
  if (fd >= 0 && kind == CREATE && fstat(fd, &about) == 0)
    record(CREATE, path, NULL, (exists ? 1 : 0) | (truncates ? 2 : 0), &about, 0, 0, fd);
  leave();
  errno = error;
  return fd;
}

#define OPENING(name, parameters, folder, path)                                \
  int name parameters {                                                        \
    mode_t mode = 0;                                                           \
    if (flags & (O_CREAT | O_TMPFILE)) {                                       \
      va_list more;                                                            \
      va_start(more, flags);                                                   \
      mode = va_arg(more, mode_t);                                             \
      va_end(more);                                                            \
    }                                                                          \
    return opened(folder, path, flags, mode);                                  \
  }

OPENING(open, (const char *path, int flags, ...), AT_FDCWD, path)
OPENING(open64, (const char *path, int flags, ...), AT_FDCWD, path)
OPENING(openat, (int folder, const char *path, int flags, ...), folder, path)
OPENING(openat64, (int folder, const char *path, int flags, ...), folder, path)
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

// An effect on names: `one` is the path that it concerns, `other` a second one.
static int named(int kind, int folder, const char *one, int folder2, const char *other, long argument) {
  char path[PATH_MAX] = "", path2[PATH_MAX] = "";
  absolute(folder, one, path);
  if (other != NULL && kind != SYMLINK) absolute(folder2, other, path2);
  if (other != NULL && kind == SYMLINK) snprintf(path2, sizeof path2, "%s", other);
  int watched = is_armed() && (is_below(path) || (path2[0] == '/' && is_below(path2)));
  if (watched && !enter(kind, path, path2)) return -1;
  int result;
  if (kind == RENAME) result = raw(SYS_renameat2, folder, one, folder2, other, argument);
  else if (kind == LINK) result = raw(SYS_linkat, folder, one, folder2, other, argument);
  else if (kind == SYMLINK) result = raw(SYS_symlinkat, other, folder, one);
  else if (kind == MKDIR) result = raw(SYS_mkdirat, folder, one, argument);
  else result = raw(SYS_unlinkat, folder, one, argument);
  if (!watched) return result;
  int error = errno;
  if (result == 0) {
    struct stat about;
    int found = raw(SYS_newfstatat, AT_FDCWD, kind == RENAME || kind == LINK ? path2 : path, &about, AT_SYMLINK_NOFOLLOW) == 0;
    record(kind, path, path2, 0, found ? &about : NULL, 0, 0, -1);
  }
  leave();
  errno = error;
  return result;
}

int rename(const char *from, const char *to) { return named(RENAME, AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return named(RENAME, a, from, b, to, 0); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { return named(RENAME, a, from, b, to, flags); }
int link(const char *from, const char *to) { return named(LINK, AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int a, const char *from, int b, const char *to, int flags) { return named(LINK, a, from, b, to, flags); }
int symlink(const char *target, const char *path) { return named(SYMLINK, AT_FDCWD, path, AT_FDCWD, target, 0); }
int symlinkat(const char *target, int a, const char *path) { return named(SYMLINK, a, path, AT_FDCWD, target, 0); }
int unlink(const char *path) { return named(UNLINK, AT_FDCWD, path, AT_FDCWD, NULL, 0); }
int rmdir(const char *path) { return named(RMDIR, AT_FDCWD, path, AT_FDCWD, NULL, AT_REMOVEDIR); }
int unlinkat(int a, const char *path, int flags) {
  return named(flags & AT_REMOVEDIR ? RMDIR : UNLINK, a, path, AT_FDCWD, NULL, flags);
}
int remove(const char *path) {
  struct stat about;
  int is_folder = raw(SYS_newfstatat, AT_FDCWD, path, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode);
  return is_folder ? rmdir(path) : unlink(path);
}
int mkdir(const char *path, mode_t mode) { return named(MKDIR, AT_FDCWD, path, AT_FDCWD, NULL, mode); }
int mkdirat(int a, const char *path, mode_t mode) { return named(MKDIR, a, path, AT_FDCWD, NULL, mode); }
int truncate(const char *path, off_t length) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  int result = ftruncate(fd, length), error = errno;
  raw(SYS_close, fd);
  errno = error;
  return result;
}
