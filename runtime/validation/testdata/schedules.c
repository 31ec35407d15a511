/* Random schedules: kernels, updates, data lifetimes and waits on many queues, in
   every order that the dependences between arrays allow; the host computes the
   same in program order (OpenACC 3.3 section 2.16).  */
#include "check.h"

enum { ARRAYS = 6, QUEUES = 7, LENGTH = 512, STEPS = 200, SCHEDULES = 30 };

static int host[ARRAYS][LENGTH];	/* what the program has */
static int want_host[ARRAYS][LENGTH], want_device[ARRAYS][LENGTH];
static int mapped[ARRAYS];
static int writer[ARRAYS];		/* queue of the last write, -1 for none */
static int readers[ARRAYS];		/* queues that may still read, as bits */

static unsigned long state;

static int
below (int limit)
{
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (int) ((state >> 33) % (unsigned long) limit);
}

/* Makes queue q wait for whatever else uses array a on another queue; written
   says whether q is going to write it.  */
static void
depend (int q, int a, int written)
{
  if (writer[a] >= 0 && writer[a] != q)
    acc_wait_async (writer[a], q);
  if (written)
    {
      for (int r = 0; r < QUEUES; r++)
	if (r != q && readers[a] & 1 << r)
	  {
	    if (below (2))
	      acc_wait_async (r, q);
	    else
	      {
#pragma acc wait(r) async(q)
	      }
	  }
      writer[a] = q;
      readers[a] = 0;
    }
  else
    readers[a] |= 1 << q;
}

/* Waits on the host until nothing uses array a.  */
static void
settle (int a)
{
  for (int q = 0; q < QUEUES; q++)
    if (writer[a] == q || readers[a] & 1 << q)
      {
	if (below (2))
	  acc_wait (q);
	else
	  {
#pragma acc wait(q)
	  }
      }
  writer[a] = -1;
  readers[a] = 0;
}

static void
kernel (int to, int from, int factor, int q, int wait_here)
{
  int *x = host[to], *y = host[from];
  if (wait_here)
    {
#pragma acc parallel loop present(x[0:LENGTH], y[0:LENGTH]) async(q) wait
      for (int i = 0; i < LENGTH; i++)
	x[i] = x[i] * factor + y[i] + i;
    }
  else
    {
#pragma acc parallel loop present(x[0:LENGTH], y[0:LENGTH]) async(q)
      for (int i = 0; i < LENGTH; i++)
	x[i] = x[i] * factor + y[i] + i;
    }
  for (int i = 0; i < LENGTH; i++)
    want_device[to][i] = want_device[to][i] * factor + want_device[from][i] + i;
}

static void
step (void)
{
  int a = below (ARRAYS), b = below (ARRAYS), q = below (QUEUES);
  int *x = host[a];
  if (!mapped[a])
    {
      /* The host may change what is not mapped.  */
      for (int i = 0; i < LENGTH; i++)
	host[a][i] = want_host[a][i] = below (1000);
      depend (q, a, 1);
      if (below (2))
	{
#pragma acc enter data copyin(x[0:LENGTH]) async(q)
	}
      else
	acc_copyin_async (x, sizeof host[a], q);
      memcpy (want_device[a], want_host[a], sizeof want_host[a]);
      mapped[a] = 1;
      return;
    }
  switch (below (8))
    {
    default:
      if (!mapped[b] || a == b)
	return;
      if (below (4))
	{
	  depend (q, a, 1);
	  depend (q, b, 0);
	  kernel (a, b, 1 + below (3), q, 0);
	}
      else
	{
	  kernel (a, b, 1 + below (3), q, 1);
	  /* The queue waited for all others.  */
	  for (int i = 0; i < ARRAYS; i++)
	    {
	      writer[i] = q;
	      readers[i] = 0;
	    }
	}
      return;
    case 1:
      {
	int first = below (LENGTH), count = 1 + below (LENGTH - first);
	depend (q, a, 1);	/* it writes the host's copy */
	if (below (2))
	  {
#pragma acc update self(x[first:count]) async(q)
	  }
	else
	  acc_update_self_async (x + first, count * sizeof *x, q);
	memcpy (want_host[a] + first, want_device[a] + first, count * sizeof *x);
	return;
      }
    case 2:
      {
	int first = below (LENGTH), count = 1 + below (LENGTH - first);
	settle (a);		/* the host changes its copy */
	for (int i = first; i < first + count; i++)
	  host[a][i] = want_host[a][i] = below (1000);
	depend (q, a, 1);
#pragma acc update device(x[first:count]) async(q)
	memcpy (want_device[a] + first, want_host[a] + first, count * sizeof *x);
	return;
      }
    case 3:
      depend (q, a, 1);
      if (below (2))
	{
#pragma acc exit data copyout(x[0:LENGTH]) async(q)
	}
      else
	acc_copyout_async (x, sizeof host[a], q);
      memcpy (want_host[a], want_device[a], sizeof want_host[a]);
      mapped[a] = 0;
      settle (a);
      CHECK (memcmp (host[a], want_host[a], sizeof host[a]) == 0);
      return;
    case 4:
      settle (a);
      CHECK (memcmp (host[a], want_host[a], sizeof host[a]) == 0);
      return;
    }
}

int
main (void)
{
  if (!discrete ())
    {
      /* Both copies are one.  */
      CHECK (1);
      return report ();
    }
  for (int s = 1; s <= SCHEDULES; s++)
    {
      state = s;
      memset (mapped, 0, sizeof mapped);
      memset (readers, 0, sizeof readers);
      for (int a = 0; a < ARRAYS; a++)
	writer[a] = -1;
      int before = failures;
      for (int i = 0; i < STEPS; i++)
	step ();
      if (below (2))
	acc_wait_all ();
      else
	{
#pragma acc wait
	}
      for (int a = 0; a < ARRAYS; a++)
	if (mapped[a])
	  {
	    acc_copyout (host[a], sizeof host[a]);
	    CHECK (memcmp (host[a], want_device[a], sizeof host[a]) == 0);
	  }
      if (failures != before)
	printf ("schedule %d\n", s);
    }
  return report ();
}
