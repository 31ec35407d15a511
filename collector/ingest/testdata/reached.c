/* Data that are reached through structures on the heap, from routines and directives;
   with an argument, the program is killed at its end.  */
#include <openacc.h>
#include <signal.h>
#include <stdlib.h>

struct list
{
  int count;
  double *values;
  struct list *next;
};

static double *shared;
static struct list *first;

static struct list *
make (int count)
{
  struct list *list = malloc (sizeof *list);
  list->count = count;
  list->next = NULL;
  list->values = calloc ((size_t) count, sizeof *list->values);
  return list;
}

static __attribute__ ((noinline)) void
scale (struct list *list)
{
  acc_copyin (list->values, (size_t) list->count * sizeof (double));
  double *values = list->values;
#pragma acc parallel loop present(values[0:list->count])
  for (int i = 0; i < list->count; i++)
    values[i] *= 2;
  acc_copyout (list->values, (size_t) list->count * sizeof (double));
}

int
main (int argc, char **argv)
{
  (void) argv;
  first = make (10);
  first->next = make (20);
  shared = first->next->values;
#pragma acc enter data copyin(shared[0:20])
  scale (first);
#pragma acc update self(shared[0:20])
#pragma acc exit data delete(shared[0:20])
#pragma acc enter data copyin(first->values[0:10])
#pragma acc exit data delete(first->values[0:10])
  if (argc > 1)
    raise (SIGKILL);
  return 0;
}
