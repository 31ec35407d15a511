/* kerneltime: a tool of OpenACC chapter 5 that prints, at the program's end, how
   often each kernel was launched, how long the host took for that, and how many
   bytes were moved.  It keeps to what the headers of GCC, of NVHPC and of
   accscope have in common:

	gcc -fopenacc -shared -fPIC -o libkerneltime.so kerneltime.c -lpthread
	gcc -I include -shared -fPIC -o libkerneltime.so kerneltime.c -lpthread
	nvc -acc -shared -fPIC -o libkerneltime.so kerneltime.c
	ACC_PROFLIB=./libkerneltime.so ./program  */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <acc_prof.h>

/* NVHPC's header calls the type of the look-up function otherwise.  */
#if defined __NVCOMPILER || defined __PGI
typedef acc_prof_lookup lookup_function;
#else
typedef acc_prof_lookup_func lookup_function;
#endif

#define KERNELS 256

static struct kernel
{
  char name[128];
  long launches;
  double seconds;
} kernels[KERNELS];
static int known;
static double moved;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Events of one thread nest, so its last start is that of its next end.  */
static __thread double launched;

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* A string of an event is valid during the callback only: it is copied.  */
static struct kernel *
find (const char *name)
{
  int i;

  for (i = 0; i < known; i++)
    if (strncmp (kernels[i].name, name, sizeof kernels[i].name - 1) == 0)
      return &kernels[i];
  if (known == KERNELS)
    return NULL;
  strncpy (kernels[known].name, name, sizeof kernels[known].name - 1);
  return &kernels[known++];
}

static void
launch (acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
  const char *name = event->launch_event.kernel_name;
  struct kernel *kernel;

  (void) api;
  if (info->event_type == acc_ev_enqueue_launch_start)
    {
      launched = now ();
      return;
    }
  pthread_mutex_lock (&lock);
  kernel = find (name != NULL ? name : "(unknown)");
  if (kernel != NULL)
    {
      kernel->launches++;
      kernel->seconds += now () - launched;
    }
  pthread_mutex_unlock (&lock);
}

static void
transfer (acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) info;
  (void) api;
  pthread_mutex_lock (&lock);
  moved += (double) event->data_event.bytes;
  pthread_mutex_unlock (&lock);
}

static void
print (void)
{
  static int printed;
  int i;

  pthread_mutex_lock (&lock);
  for (i = 0; i < known && !printed; i++)
    fprintf (stderr, "kerneltime: %6ld launches %10.3f ms %s\n",
	     kernels[i].launches, 1e3 * kernels[i].seconds, kernels[i].name);
  if (!printed)
    fprintf (stderr, "kerneltime: %.0f bytes moved\n", moved);
  printed = 1;
  pthread_mutex_unlock (&lock);
}

static void
finish (acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) info;
  (void) event;
  (void) api;
  print ();
}

/* GCC's runtime does not raise acc_ev_runtime_shutdown.  */
static void __attribute__ ((destructor))
unload (void)
{
  print ();
}

void
acc_register_library (acc_prof_reg reg, acc_prof_reg unreg,
		      lookup_function lookup)
{
  (void) unreg;
  (void) lookup;
  reg (acc_ev_enqueue_launch_start, launch, acc_reg);
  reg (acc_ev_enqueue_launch_end, launch, acc_reg);
  reg (acc_ev_enqueue_upload_end, transfer, acc_reg);
  reg (acc_ev_enqueue_download_end, transfer, acc_reg);
  reg (acc_ev_runtime_shutdown, finish, acc_reg);
}
