/* system.h - raw system calls for code that may run in a signal handler or in a
   callback: no errno, no cancellation point, no libc state.  Each answers the
   result or a negative error number.  */
#ifndef ACCSCOPE_SYSTEM_H
#define ACCSCOPE_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline long
system_call (long number, long a, long b, long c, long d, long e, long f)
{
#if defined __x86_64__
  register long r10 __asm__ ("r10") = d;
  register long r8 __asm__ ("r8") = e;
  register long r9 __asm__ ("r9") = f;
  long result;
  __asm__ volatile ("syscall"
		    : "=a" (result)
		    : "a" (number), "D" (a), "S" (b), "d" (c), "r" (r10),
		      "r" (r8), "r" (r9)
		    : "rcx", "r11", "memory");
  return result;
#elif defined __aarch64__
  register long x8 __asm__ ("x8") = number;
  register long x0 __asm__ ("x0") = a;
  register long x1 __asm__ ("x1") = b;
  register long x2 __asm__ ("x2") = c;
  register long x3 __asm__ ("x3") = d;
  register long x4 __asm__ ("x4") = e;
  register long x5 __asm__ ("x5") = f;
  __asm__ volatile ("svc 0"
		    : "+r" (x0)
		    : "r" (x8), "r" (x1), "r" (x2), "r" (x3), "r" (x4), "r" (x5)
		    : "memory");
  return x0;
#else
  int saved = errno;
  long result = syscall (number, a, b, c, d, e, f);
  if (result == -1)
    result = -errno;
  errno = saved;
  return result;
#endif
}

#define SYSTEM0(n) system_call (n, 0, 0, 0, 0, 0, 0)
#define SYSTEM1(n, a) system_call (n, (long) (a), 0, 0, 0, 0, 0)
#define SYSTEM2(n, a, b) system_call (n, (long) (a), (long) (b), 0, 0, 0, 0)
#define SYSTEM3(n, a, b, c) \
  system_call (n, (long) (a), (long) (b), (long) (c), 0, 0, 0)
#define SYSTEM4(n, a, b, c, d) \
  system_call (n, (long) (a), (long) (b), (long) (c), (long) (d), 0, 0)

static inline int
system_open (const char *path, int flags, int mode)
{
  long result;
  do
    result = SYSTEM4 (SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW,
		      mode);
  while (result == -EINTR);
  return (int) result;
}

static inline int
system_close (int file)
{
  return (int) SYSTEM1 (SYS_close, file);
}

static inline long
system_read (int file, void *buffer, size_t size)
{
  long result;
  do
    result = SYSTEM3 (SYS_read, file, buffer, size);
  while (result == -EINTR);
  return result;
}

static inline long
system_read_at (int file, void *buffer, size_t size, uint64_t offset)
{
  long result;
  do
    result = SYSTEM4 (SYS_pread64, file, buffer, size, offset);
  while (result == -EINTR);
  return result;
}

/* All of it, or a negative error number.  */
static inline long
system_write (int file, const void *buffer, size_t size)
{
  size_t done = 0;
  while (done < size)
    {
      long result = SYSTEM3 (SYS_write, file, (const char *) buffer + done,
			     size - done);
      if (result == -EINTR)
	continue;
      if (result <= 0)
	return result < 0 ? result : -EIO;
      done += (size_t) result;
    }
  return 0;
}

/* Whether a file may have so many bytes: one that grows beyond the limit brings
   SIGXFSZ, which ends programs.  */
static inline int
system_size_allowed (uint64_t size)
{
  struct rlimit limit;
  return SYSTEM4 (SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) != 0
    || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

/* At a file's end all of it, or a negative error number and none of it.  */
static inline long
system_append (int file, const void *buffer, size_t size)
{
  long end = SYSTEM3 (SYS_lseek, file, 0, SEEK_END);
  if (end < 0)
    return end;
  if (!system_size_allowed ((uint64_t) end + size))
    return -EFBIG;
  long result = system_write (file, buffer, size);
  if (result < 0)
    SYSTEM2 (SYS_ftruncate, file, end);
  return result;
}

/* ThreadSanitizer must see mappings come and go, or it takes the next use of an
   address for a race with the last.  */
#if defined __SANITIZE_THREAD__
#define MAP_CALL(...) ((long) mmap (__VA_ARGS__))
#define UNMAP_CALL(address, size) munmap (address, size)
#else
#define MAP_CALL(address, size, protection, flags, file, offset) \
  system_call (SYS_mmap, (long) (address), (long) (size), protection, flags, \
	       file, (long) (offset))
#define UNMAP_CALL(address, size) SYSTEM2 (SYS_munmap, address, size)
#endif

static inline void *
system_map (void *address, size_t size, int flags, int file, uint64_t offset)
{
  long result = MAP_CALL (address, size, PROT_READ | PROT_WRITE, flags, file,
			  offset);
  return result < 0 && result > -PAGE ? NULL : (void *) result;
}

static inline void
system_unmap (void *address, size_t size)
{
  UNMAP_CALL (address, size);
}

static inline int
system_fallocate (int file, int mode, uint64_t offset, uint64_t size)
{
  long result;
  int attempts = 0;
  do	/* tmpfs starts over after a signal */
    result = SYSTEM4 (SYS_fallocate, file, mode, offset, size);
  while (result == -EINTR && ++attempts < 1000);
  return (int) result;
}

static inline int
system_tid (void)
{
  return (int) SYSTEM0 (SYS_gettid);
}

static inline int
system_pid (void)
{
  return (int) SYSTEM0 (SYS_getpid);
}

static inline void
system_sleep (uint64_t nanoseconds)
{
  struct timespec time = { (time_t) (nanoseconds / 1000000000u),
			   (long) (nanoseconds % 1000000000u) };
  SYSTEM2 (SYS_nanosleep, &time, 0);
}

#endif
