/* Takes 100 ms of processor time four times: in the first thread, in another one, in a
   child, and in what another child goes on as.  */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What clock_gettime takes in the kernel is not sampled.  */
static volatile unsigned long steps;
static void
spin (void)
{
  struct timespec begin, now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &begin);
  do
    {
      for (int i = 0; i < 100000; i++)
        steps++;
      clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
    }
  while ((now.tv_sec - begin.tv_sec) * 1000000000LL + now.tv_nsec - begin.tv_nsec < 100000000);
}

static void *
thread (void *unused)
{
  (void) unused;
  spin ();
  return 0;
}

int
main (int count, char **arguments)
{
  (void) arguments;
  if (count > 1)
    {
      spin ();
      return 0;
    }
  spin ();
  pthread_t other;
  pthread_create (&other, 0, thread, 0);
  pthread_join (other, 0);
  if (fork () == 0)
    {
      spin ();
      _exit (0);
    }
  wait (0);
  if (fork () == 0)
    execl ("/proc/self/exe", "again", "again", (char *) 0);
  wait (0);
  return 0;
}
