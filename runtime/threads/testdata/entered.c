/* Stands before functions of the C library that Go calls at its start.  Go's first thread
   says that others may come in, by pthread_cond_broadcast, and then initialises its
   packages: here it waits in between until the process's first thread has come in or
   sleeps.  A thread that comes in asks for its stack, by pthread_getattr_np, which on
   the first one opens a file: that says where Go's poller is then, the number of its
   epoll instance, or -1.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int come_in;

static void *
next (const char *function)
{
  return dlsym (RTLD_NEXT, function);
}

static int
from_go (void *caller)
{
  Dl_info info;

  return dladdr (caller, &info) != 0
	 && strstr (info.dli_fname, "libopenacc-engine") != NULL;
}

static int
poller (void)
{
  char path[64], name[64];
  ssize_t length;
  int fd;

  for (fd = 3; fd < 1100; fd++)
    {
      snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
      length = readlink (path, name, sizeof name - 1);
      if (length < 0)
	continue;
      name[length] = '\0';
      if (strcmp (name, "anon_inode:[eventpoll]") == 0)
	return fd;
    }
  return -1;
}

static int
first_sleeps (void)
{
  char path[64], state = 'R';
  FILE *f;

  snprintf (path, sizeof path, "/proc/self/task/%d/stat", getpid ());
  f = fopen (path, "re");
  if (f != NULL)
    {
      if (fscanf (f, "%*d (%*[^)]) %c", &state) != 1)
	state = 'R';
      fclose (f);
    }
  return state == 'S';
}

static int broadcasts;
static __thread int said_so;

int
pthread_cond_broadcast (pthread_cond_t *condition)
{
  int (*broadcast) (pthread_cond_t *);

  *(void **) &broadcast = next ("pthread_cond_broadcast");
  if (gettid () != getpid () && from_go (__builtin_return_address (0)))
    said_so = __atomic_fetch_add (&broadcasts, 1, __ATOMIC_RELAXED) == 0;
  return broadcast (condition);
}

/* Others come in when the condition's mutex is free.  */
int
pthread_mutex_unlock (pthread_mutex_t *mutex)
{
  int (*unlock) (pthread_mutex_t *), result, i;

  *(void **) &unlock = next ("pthread_mutex_unlock");
  result = unlock (mutex);
  if (said_so)
    {
      said_so = 0;
      for (i = 0; i < 60000 && !first_sleeps ()
	   && !__atomic_load_n (&come_in, __ATOMIC_ACQUIRE); i++)
	usleep (1000);
      puts ("Go waited");
    }
  return result;
}

int
pthread_getattr_np (pthread_t thread, pthread_attr_t *attributes)
{
  int (*getattr) (pthread_t, pthread_attr_t *);

  *(void **) &getattr = next ("pthread_getattr_np");
  if (gettid () == getpid () && from_go (__builtin_return_address (0))
      && !__atomic_load_n (&come_in, __ATOMIC_RELAXED))
    {
      printf ("Go's poller is at %d\n", poller ());
      __atomic_store_n (&come_in, 1, __ATOMIC_RELEASE);
    }
  return getattr (thread, attributes);
}
