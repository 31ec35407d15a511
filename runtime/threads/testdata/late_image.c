/* A thread opens a library with device code, argv[1], just when another thread's call,
   the first one, is about to look into the loaded tool ("look") or to call it ("open"):
   the library's constructor has the dynamic linker to itself, and the first call has to
   wait for it.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#if defined TOOL

void
acc_register_library (void *reg, void *unreg, void *lookup)
{
  (void) reg;
  (void) unreg;
  (void) lookup;
}

#elif defined PLUGIN

static void *table[4];

static void __attribute__ ((constructor))
begin (void)
{
  void (*constructing) (void);
  void (*add) (unsigned, const void *, int, const void *);

  *(void **) &constructing = dlsym (RTLD_DEFAULT, "constructing");
  *(void **) &add = dlsym (RTLD_DEFAULT, "GOMP_offload_register_ver");
  constructing ();
  add (0, table, 0, table);
}

#else

#include <openacc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int started, looks, loading, opening, inside;
static const char *plugin;

/* Called by the plugin's constructor.  */
void
constructing (void)
{
  __atomic_store_n (&inside, 1, __ATOMIC_RELEASE);
  usleep (100000);	/* the other thread waits for the linker by then */
}

/* Stands before that of the C library.  */
void *
dlopen (const char *name, int mode)
{
  void *(*open) (const char *, int);

  /* GCC's own runtime may open the tool before main.  */
  if (started && name != NULL && strstr (name, "libopenacc-engine") != NULL)
    loading = 1;
  if (started && name != NULL && strstr (name, "tool.so") != NULL && loading != looks
      && !__atomic_exchange_n (&opening, 1, __ATOMIC_ACQ_REL))
    while (!__atomic_load_n (&inside, __ATOMIC_ACQUIRE))
      usleep (1000);
  *(void **) &open = dlsym (RTLD_NEXT, "dlopen");
  return open (name, mode);
}

static void *
opens (void *unused)
{
  while (!__atomic_load_n (&opening, __ATOMIC_ACQUIRE))
    usleep (1000);
  if (dlopen (plugin, RTLD_NOW) == NULL)
    puts (dlerror ());
  return unused;
}

int
main (int argc, char **argv)
{
  pthread_t other;

  if (argc != 3)
    return 2;
  plugin = argv[1];
  looks = strcmp (argv[2], "look") == 0;
  started = 1;
  alarm (250);	/* only a hang takes so long */
  if (pthread_create (&other, NULL, opens, NULL) != 0)
    return 3;
  printf ("%d of the host\n", acc_get_num_devices (acc_device_host));
  pthread_join (other, NULL);
  return 0;
}

#endif
