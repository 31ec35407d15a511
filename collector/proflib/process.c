/* process.c - the capture folder of this process and its control page.

   Both come into being at the first event (or at load, if capture starts
   switched off and waits for an attach), by raw system calls only, because
   after a fork that first event may be in a signal handler of the child.  That
   may be on a small stack, so paths are built in memory of the process.  */
#define _GNU_SOURCE
#include "proflib.h"
#include "system.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

enum { STATE_NONE, STATE_BEGINNING, STATE_READY, STATE_FAILED };
#define BEGINNING_LOOKS 50000	/* a tenth of a millisecond apart at least */

union control control __attribute__ ((aligned (LARGEST_PAGE)));
union local local __attribute__ ((aligned (LARGEST_PAGE)));
char folder[PATH_LIMIT];

static uint64_t generations;	/* inherited by children, so theirs differ */
static char scratch[65536];	/* of the initialising thread */

size_t
path_append_all (char *path, size_t length, const char *const *text)
{
  for (; *text; text++)
    for (const char *at = *text; *at && length < PATH_LIMIT - 1; at++)
      path[length++] = *at;
  path[length] = 0;
  return length;
}

size_t
number_append (char *path, size_t length, uint64_t number, unsigned width)
{
  char digits[21];
  unsigned count = 0;
  do
    digits[count++] = (char) ('0' + number % 10);
  while (number /= 10);
  while (count < width)
    digits[count++] = '0';
  while (count && length < PATH_LIMIT - 1)
    path[length++] = digits[--count];
  path[length] = 0;
  return length;
}

void
process_forked (void)
{
  local.generation = 0;
  local.state = STATE_NONE;
  names_forked ();
  toggles_forked ();
}

void
process_prepare (void)
{
  system_call (SYS_mmap, (long) &local, sizeof local, PROT_READ | PROT_WRITE,
	       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  SYSTEM3 (SYS_madvise, &local, sizeof local, 18 /* MADV_WIPEONFORK */);
  /* for kernels without it (before 4.14), and harmless with it */
  pthread_atfork (NULL, NULL, process_forked);
  control.process.armed = settings.armed ? CAPTURE_ARMED : CAPTURE_DISARMED;
}

/* The one line that the library ever prints.  */
static void
complain (const char *what, long error)
{
  static char line[PATH_LIMIT];
  size_t length = path_append (line, 0, "accscope: cannot create ", what, " (error ");
  length = number_append (line, length, (uint64_t) -error, 1);
  const char *name = error == -EACCES ? ", permission denied"
    : error == -ENOSPC ? ", no space left"
    : error == -EROFS ? ", read-only file system"
    : error == -ENOENT ? ", no such folder"
    : error == -EDQUOT ? ", quota exceeded"
    : error == -EFBIG ? ", above the limit of ulimit -f" : "";
  length = path_append (line, length, name, "): this process is not recorded\n");
  long position = SYSTEM3 (SYS_lseek, 2, 0, SEEK_CUR);
  if (position < 0 || system_size_allowed ((uint64_t) position + length))
    system_write (2, line, length);
}

/* $ACCSCOPE_SESSION/PID-START, or accscope-PROGRAM-PID in the current folder;
   an exec keeps the process number, so a name may be taken.  */
static int
make_folder (uint64_t start)
{
  size_t length;
  if (settings.session[0])
    {
      length = path_append (folder, 0, settings.session, "/");
      length = number_append (folder, length, (uint64_t) system_pid (), 1);
      length = path_append (folder, length, "-");
      length = number_append (folder, length, start, 1);
    }
  else
    {
      char program[256];
      long bytes = SYSTEM4 (SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program,
			    sizeof program - 1);
      program[bytes > 0 ? bytes : 0] = 0;
      const char *name = strrchr (program, '/');
      length = path_append (folder, 0, settings.directory, "/accscope-",
			    name ? name + 1 : "program", "-");
      length = number_append (folder, length, (uint64_t) system_pid (), 1);
    }
  if (length > PATH_LIMIT - 32)
    return -ENAMETOOLONG;
  long result = -EEXIST;
  for (uint64_t attempt = 1; result == -EEXIST && attempt < 1000; attempt++)
    {
      if (attempt > 1)
	number_append (folder, path_append (folder, length, "-"), attempt, 1);
      result = SYSTEM3 (SYS_mkdirat, AT_FDCWD, folder, 0700);
    }
  return (int) result;
}

static int
make_control (const char *path, uint64_t start)
{
  int file = system_open (path, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0)
    return file;
  int result = -EFBIG;
  if (system_size_allowed (CAPTURE_PROCESS_SIZE))
    result = system_fallocate (file, 0, 0, CAPTURE_PROCESS_SIZE);
  if (result == -EOPNOTSUPP || result == -ENOSYS)
    {
      memset (scratch, 0, CAPTURE_PROCESS_SIZE);
      result = (int) system_append (file, scratch, CAPTURE_PROCESS_SIZE);
    }
  struct capture_process *process = NULL;
  if (result == 0)
    {
      process = system_map (NULL, CAPTURE_PROCESS_SIZE, MAP_SHARED | MAP_POPULATE,
			    file, 0);
      if (!process)
	result = -ENOMEM;
    }
  if (process)
    {
      process->version = CAPTURE_VERSION;
      process->header_bytes = sizeof *process;
      process->armed = settings.armed ? CAPTURE_ARMED : CAPTURE_DISARMED;
      process->filters = settings.filters;
      process->pid = system_pid ();
      process->parent_pid = (int32_t) SYSTEM0 (SYS_getppid);
      process->start_ticks = start;
      process->clock = clock_kind;
      process->limit_bytes = settings.limit_bytes;
      process->last_bytes = settings.last_bytes;
      process->last_nanoseconds = settings.last_nanoseconds;
      process->minimum_bytes = settings.minimum_bytes;
      process->event_mask = settings.event_mask;
      process->tells_toggles = (uint64_t) toggles_told;
      system_unmap (process, CAPTURE_PROCESS_SIZE);
      long mapped = system_call (SYS_mmap, (long) &control, CAPTURE_PROCESS_SIZE,
				 PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0);
      if (mapped != (long) &control)
	result = -ENOMEM;
    }
  system_close (file);
  return result;
}

static int
begin (void)
{
  ring_forget ();
  flight_forget ();
  uint64_t start = facts_start_ticks (scratch, sizeof scratch);
  int result = make_folder (start);
  if (result < 0)
    {
      complain (folder, result);
      return result;
    }
  static char path[PATH_LIMIT];
  size_t length = path_append (path, 0, folder);
  path_append (path, length, "/" CAPTURE_INFO_FILE);
  result = facts_write (path, scratch, sizeof scratch);
  if (result == 0)
    {
      path_append (path, length, "/" CAPTURE_MODULES_FILE);
      result = modules_write (path);
    }
  if (result == 0)
    {
      path_append (path, length, "/" CAPTURE_PROCESS_FILE);
      result = make_control (path, start);
    }
  if (result < 0)
    {
      complain (path, result);
      static const char *const files[]
	= { CAPTURE_PROCESS_FILE, CAPTURE_MODULES_FILE, CAPTURE_INFO_FILE };
      for (int i = 0; i < 3; i++)
	{
	  path_append (path, length, "/", files[i]);
	  SYSTEM3 (SYS_unlinkat, AT_FDCWD, path, 0);
	}
      SYSTEM3 (SYS_unlinkat, AT_FDCWD, folder, AT_REMOVEDIR);
      return result;
    }
  clock_restart ();
  clock_record ();
  __atomic_store_n (&control.process.magic, CAPTURE_PROCESS_MAGIC,
		    __ATOMIC_RELEASE);
  return 0;
}

int
process_begin (void)
{
  uint32_t state = STATE_NONE;
  uint32_t tid = (uint32_t) system_tid ();
  if (__atomic_compare_exchange_n (&local.state, &state, STATE_BEGINNING, 0,
				   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    {
      /* a handler now would find nothing to record its events with */
      uint64_t all = UINT64_MAX, blocked = 0;
      SYSTEM4 (SYS_rt_sigprocmask, SIG_SETMASK, &all, &blocked, sizeof all);
      __atomic_store_n (&local.initialiser, tid, __ATOMIC_RELAXED);
      int forked = generations > 0;
      if (forked)
	{
	  /* the control page is the parent's: private memory in its place */
	  system_call (SYS_mmap, (long) &control, CAPTURE_PROCESS_SIZE,
		       PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	  control.process.armed = settings.armed ? CAPTURE_ARMED : CAPTURE_DISARMED;
	}
      int result = begin ();
      if (result == 0)
	__atomic_store_n (&local.generation, ++generations, __ATOMIC_RELEASE);
      else
	control.process.armed = 0;
      __atomic_store_n (&local.state, result == 0 ? STATE_READY : STATE_FAILED,
			__ATOMIC_RELEASE);
      SYSTEM4 (SYS_rt_sigprocmask, SIG_SETMASK, &blocked, 0, sizeof blocked);
      return result;
    }
  /* Another thread is at it, which takes long on a machine with much to do, and an event
     that is not waited for is lost; or this one is, below a signal handler.  */
  for (int i = 0; state == STATE_BEGINNING && i < BEGINNING_LOOKS
       && __atomic_load_n (&local.initialiser, __ATOMIC_RELAXED) != tid; i++)
    {
      system_sleep (100000);
      state = __atomic_load_n (&local.state, __ATOMIC_ACQUIRE);
    }
  return state == STATE_READY ? 0 : -1;
}

/* exit was called, with STATUS.  */
void
process_exits (int status, void *unused)
{
  (void) unused;
  if (local_generation () != 0)
    control.process.exit_status = 256 + (unsigned) (status & 255);
}

/* The process ends as END says; events may still follow.  */
void
process_end (uint32_t end)
{
  if (local_generation () == 0)
    return;
  char path[PATH_LIMIT];
  path_append (path, 0, folder, "/" CAPTURE_MODULES_FILE);
  modules_write (path);
  clock_record ();
  control.process.end_ticks = ticks_now ();
  __atomic_store_n (&control.process.ended, end, __ATOMIC_RELEASE);
}
