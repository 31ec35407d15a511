/* Where a process can have too few descriptors or too little address space, Go's own
   start ends it with a dump of its stacks.  It is told in a line before that, and the
   program of `accscope run` runs unprofiled (unrecorded.go has the rule).  */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

/* Descriptors for the poller's two, and for files read in passing; of run also for what it has
   open while it records: session, capture and trace.  */
#define DESCRIPTORS 8
#define DESCRIPTORS_OF_RUN 16
/* Bytes that the Go heap reserves, the threads' stacks, and room to grow.  */
#define ADDRESS_SPACE ((size_t) 1280 << 20)

/* Flags of run that stand without a value (a test compares them with the command's).  */
static const char *const alone[] = {
  "--counters", "--force", "--must-record", "--no-summary", "--quiet", "--paused", "--sample",
  "--hash", "--tui", "--web", "--hold", "--no-open", "--otlp",
  "--help"
};

static int
stands_alone (const char *flag)
{
  for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
    if (strcmp (flag, alone[i]) == 0)
      return 1;
  return 0;
}

/* The program and its arguments of `accscope run`; NULL where it must be recorded, or there
   is none.  */
static char **
program_of_run (int argc, char **argv)
{
  int i;

  if (argc < 2 || strcmp (argv[1], "run") != 0)
    return NULL;
  for (i = 2; i < argc && argv[i][0] == '-'; i++)
    {
      if (strcmp (argv[i], "--") == 0)
	{
	  i++;
	  break;
	}
      if (strncmp (argv[i], "--must-record", 13) == 0)
	return NULL;
      if (argv[i][1] != '-')
	{
	  /* Letters, of which one has a value: behind it, or the next word.  */
	  const char *output = strchr (argv[i], 'o');
	  i += output && !output[1];
	}
      else if (!strchr (argv[i], '=') && !stands_alone (argv[i]))
	i++;
    }
  return i < argc ? argv + i : NULL;
}

__attribute__ ((constructor)) static void
check_resources (int argc, char **argv)
{
  int opened[DESCRIPTORS_OF_RUN], count = 0, i;
  int wanted = argc > 1 && strcmp (argv[1], "run") == 0 ? DESCRIPTORS_OF_RUN : DESCRIPTORS;
  char **program, text[160];
  void *room = mmap (NULL, ADDRESS_SPACE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  while (count < wanted
	 && (opened[count] = open ("/", O_PATH | O_CLOEXEC)) >= 0)
    count++;
  for (i = 0; i < count; i++)
    close (opened[i]);
  if (room != MAP_FAILED)
    munmap (room, ADDRESS_SPACE);
  if (room != MAP_FAILED && count == wanted)
    return;
  if (count < wanted)
    snprintf (text, sizeof text, "this process can open %d files more, and %d are needed: "
	      "let it have more (ulimit -n)", count, wanted);
  else
    snprintf (text, sizeof text, "this process has less than %zu MiB of address space, which "
	      "are needed: let it have more (ulimit -v)", ADDRESS_SPACE >> 20);
  program = program_of_run (argc, argv);
  if (program)
    {
      dprintf (2, "accscope: %s: %s runs unprofiled\n", text, program[0]);
      /* A device that no other runtime has.  */
      if (getenv ("ACC_DEVICE_TYPE") && strcasecmp (getenv ("ACC_DEVICE_TYPE"), "sim") == 0)
	unsetenv ("ACC_DEVICE_TYPE");
      execvp (program[0], program);
      dprintf (2, "accscope: cannot start %s: %s\n", program[0], strerror (errno));
      _exit (errno == ENOENT ? 127 : 126);
    }
  dprintf (2, "accscope: %s\n", text);
  /* As the rest of accscope says that it has failed itself.  */
  _exit (argc > 1 && strcmp (argv[1], "run") == 0 ? 125 : 1);
}
