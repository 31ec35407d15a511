/* Where a process can have too few descriptors or too little address space, Go's own
   start ends it with a dump of its stacks.  It is told in a line before that.  */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Descriptors for the poller's two, and for files read in passing.  */
#define DESCRIPTORS 8
/* Bytes that the Go heap reserves, the threads' stacks, and room to grow.  */
#define ADDRESS_SPACE ((size_t) 1280 << 20)

__attribute__ ((constructor)) static void
check_resources (int argc, char **argv)
{
  int opened[DESCRIPTORS], count = 0, i;
  void *room = mmap (NULL, ADDRESS_SPACE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  while (count < DESCRIPTORS
	 && (opened[count] = open ("/", O_PATH | O_CLOEXEC)) >= 0)
    count++;
  for (i = 0; i < count; i++)
    close (opened[i]);
  if (room != MAP_FAILED)
    munmap (room, ADDRESS_SPACE);
  if (room != MAP_FAILED && count == DESCRIPTORS)
    return;
  if (count < DESCRIPTORS)
    dprintf (2, "accscope: this process can open %d files more, and %d are needed: "
	     "let it have more (ulimit -n)\n", count, DESCRIPTORS);
  else
    dprintf (2, "accscope: this process has less than %zu MiB of address space, which "
	     "are needed: let it have more (ulimit -v)\n", ADDRESS_SPACE >> 20);
  /* As the rest of accscope says that it has failed itself.  */
  _exit (argc > 1 && strcmp (argv[1], "run") == 0 ? 125 : 1);
}
