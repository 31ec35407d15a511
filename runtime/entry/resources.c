/* What the Go part takes of the process: descriptors and address space.  Go's own
   start ends the process with a dump where they are not there, so they are tried
   before.  */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "library.h"

/* Descriptors that are free for files read in passing and for the poller's two.  */
#define DESCRIPTORS 8
/* Bytes that the Go heap reserves, its threads' stacks, and room to grow.  */
#define ADDRESS_SPACE ((size_t) 1792 << 20)

/* How many descriptors can be opened, at most DESCRIPTORS.  */
static int
free_descriptors (void)
{
  int opened[DESCRIPTORS], count = 0, i;

  while (count < DESCRIPTORS
	 && (opened[count] = open ("/", O_PATH | O_CLOEXEC)) >= 0)
    count++;
  for (i = 0; i < count; i++)
    close (opened[i]);
  return count;
}

static bool
has_address_space (void)
{
  void *room = mmap (NULL, ADDRESS_SPACE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  return room != MAP_FAILED && munmap (room, ADDRESS_SPACE) == 0;
}

bool
accscope_resources_suffice (void)
{
  int descriptors = free_descriptors ();

  if (descriptors < DESCRIPTORS)
    accscope_complain ("the process can open %d files more, and OpenACC needs %d: "
		       "everything runs on the host and no tool sees it; let it "
		       "have more (ulimit -n), or close some", descriptors, DESCRIPTORS);
  else if (!has_address_space ())
    accscope_complain ("the process has less than %zu MiB of address space left, "
		       "which OpenACC needs: everything runs on the host and no "
		       "tool sees it; let it have more (ulimit -v)", ADDRESS_SPACE >> 20);
  else
    return true;
  return false;
}

/* Go raises the soft limit of open files to the hard one, for itself; the program
   and what it starts keep theirs.  */
static struct rlimit files;

/* Go keeps its own descriptors above those that programs close (runtime/poller).
   The kernel makes room for them at once while the process has one thread; from two
   on the caller waits for some milliseconds, and Go starts threads.  */
#define HIGHEST 1040

void
accscope_limits_widen (void)
{
  struct rlimit wide;
  int base, high;

  if (getrlimit (RLIMIT_NOFILE, &files) != 0)
    {
      files.rlim_cur = RLIM_INFINITY;
      return;
    }
  wide = files;
  wide.rlim_cur = wide.rlim_max;
  if (wide.rlim_cur <= HIGHEST || setrlimit (RLIMIT_NOFILE, &wide) != 0)
    return;
  base = open ("/", O_PATH | O_CLOEXEC);
  high = fcntl (base, F_DUPFD_CLOEXEC, HIGHEST);
  if (high >= 0)
    close (high);
  close (base);
}

void
accscope_limits_restore (void)
{
  struct rlimit now;

  if (getrlimit (RLIMIT_NOFILE, &now) == 0 && now.rlim_cur > files.rlim_cur
      && now.rlim_max == files.rlim_max)
    setrlimit (RLIMIT_NOFILE, &files);
}
