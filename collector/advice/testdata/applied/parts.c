/* Blocks, parts and scalars: what is said, and what is not, goes by bytes.  */
#include <stdio.h>
#include <string.h>
#include <time.h>
#define N 65536
#define BLOCK 4096

static float a[N], c[N];
static double field[100 * 100];

/* The first half comes down on a queue that nothing holds behind the kernel.  */
static void
part (void)
{
#pragma acc data create(a, c)
  for (int k = 0; k < 20; k++)
    {
#pragma acc update device(a) async(1)
#pragma acc parallel loop present(a, c) async(1)
      for (int i = 0; i < N; i++)
	c[i] = 2 * a[i];
#pragma acc update self(c[0:N / 2]) async(2)
#pragma acc wait
    }
}

/* Each block comes down on another queue than its kernel is on.  */
static void
blocks (void)
{
#pragma acc data create(a, c)
  {
    for (int k = 0; k < 5 * N / BLOCK; k++)
      {
	int queue = k % 3 + 1, first = k % (N / BLOCK) * BLOCK;
#pragma acc update device(a[first:BLOCK]) async(queue)
#pragma acc parallel loop present(a, c) async(queue)
	for (int i = first; i < first + BLOCK; i++)
	  c[i] = 2 * a[i];
#pragma acc update self(c[first:BLOCK]) async(queue + 1)
      }
#pragma acc wait
  }
}

/* Each block stays on its queue, beside the others.  */
static void
right (void)
{
#pragma acc data create(a, c)
  {
    for (int k = 0; k < 5 * N / BLOCK; k++)
      {
	int queue = k % 3 + 1, first = k % (N / BLOCK) * BLOCK;
	if (first == 0)
	  {
#pragma acc wait
	  }
#pragma acc update device(a[first:BLOCK]) async(queue)
#pragma acc parallel loop present(a, c) async(queue)
	for (int i = first; i < first + BLOCK; i++)
	  c[i] = 2 * a[i];
#pragma acc update self(c[first:BLOCK]) async(queue)
      }
#pragma acc wait
  }
}

/* Parts go down and up by turns.  */
static void
halo (void)
{
  int n = 100;
#pragma acc data copy(field)
  for (int j = 0; j < n; j++)
    {
#pragma acc update self(field[j * n:2])
      field[j * n] = field[j * n + 1];
#pragma acc update device(field[j * n:2])
    }
}

/* The host waits with nothing to do for it; GCC copies two scalars there and back.  */
static void
waits (void)
{
  int n = 100 * 100;
#pragma acc data copy(field)
  {
    for (int step = 0; step < 20; step++)
      {
	double weight = 0.5 * step;
#pragma acc parallel loop present(field) async(1)
	for (int i = 0; i < n; i++)
	  field[i] += weight + step;
#pragma acc wait(1)
      }
#pragma acc update self(field[0:n])
  }
}

/* The same where the host needs what the kernel counts.  */
static void
counts (void)
{
  int n = 100 * 100, found = 0;
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop present(field) copy(found) reduction(+:found) async(1)
      for (int i = 0; i < n; i++)
	found += field[i] > step;
#pragma acc wait(1)
    }
}

/* The host does something of its own, and gives the kernel a scalar.  */
static void
logs (void)
{
  int n = 100 * 100;
#pragma acc enter data copyin(field)
  for (int step = 0; step < 20; step++)
    {
      double weight = 0.5 * step;
#pragma acc parallel loop present(field)
      for (int i = 0; i < n; i++)
	field[i] += weight;
      nanosleep (&(struct timespec){ 0, 300000 }, NULL);
    }
#pragma acc exit data copyout(field)
}

int
main (int count, char **arguments)
{
  struct { const char *name; void (*function) (void); } all[] = { { "part", part }, { "blocks", blocks }, { "right", right },
    { "halo", halo }, { "waits", waits }, { "counts", counts }, { "logs", logs } };
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (count > 1 && strcmp (arguments[1], all[i].name) == 0)
      all[i].function ();
  printf ("%g\n", field[7]);
}
