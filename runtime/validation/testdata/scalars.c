/* Random launches that copy small variables, one behind the other on queues, with nothing
   between them that waits: what one brings to the host is what the next one takes from there,
   whatever goes with it (OpenACC 3.3 sections 2.7 and 2.16).  The host computes the same in
   program order.  */
#include "check.h"

enum { LENGTH = 32, STEPS = 60, SCHEDULES = 60 };

struct numbers
{
  double sum;
  long largest;
  int count;
  float result;
};

static unsigned long state = 1;

static int
below (int limit)
{
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (int) ((state >> 33) % (unsigned long) limit);
}

static int array[LENGTH];

/* What a launch of a kind does, on the host.  */
static void
expect (struct numbers *n, int kind, int k)
{
  switch (kind)
    {
    case 0:
      for (int i = 0; i < LENGTH; i++)
	{
	  n->sum += array[i];
	  n->largest = array[i] > n->largest ? array[i] : n->largest;
	}
      break;
    case 1:
      n->result = (float) ((int) n->sum % 1000 + n->count % 1000);
      n->sum += 1;
      break;
    case 2:
      n->count += (int) n->result % 7 + k;
      break;
    case 3:
      n->largest = n->count + k > n->largest ? n->count + k : n->largest + 1;
      n->result += 1;
      break;
    default:
      n->sum += k;
      n->largest += 2;
      n->count++;
    }
}

static void
schedule (void)
{
  double sum = below (10);
  long largest = below (10);
  int count = below (10), q = 0;
  float result = (float) below (10);
  struct numbers want = { sum, largest, count, result };

  for (int step = 0; step < STEPS; step++)
    {
      int kind = below (7), k = below (5);

      if (below (12) == 0)
	{
	  acc_wait_async (q, 1 - q);
	  q = 1 - q;
	}
      if (kind < 6)
	expect (&want, kind, k);
      switch (kind)
	{
	case 0:
#pragma acc parallel loop reduction(+:sum) reduction(max:largest) copy(sum, largest) present(array) async(q)
	  for (int i = 0; i < LENGTH; i++)
	    {
	      sum += array[i];
	      largest = array[i] > largest ? array[i] : largest;
	    }
	  break;
	case 1:
#pragma acc parallel num_gangs(1) copy(sum) copyin(count) copyout(result) async(q)
	  {
	    result = (float) ((int) sum % 1000 + count % 1000);
	    sum += 1;
	  }
	  break;
	case 2:
#pragma acc parallel num_gangs(1) firstprivate(result, k) copy(count) async(q)
	  count += (int) result % 7 + k;
	  break;
	case 3:
#pragma acc parallel num_gangs(1) copy(largest, result) copyin(count) firstprivate(k) async(q)
	  {
	    largest = count + k > largest ? count + k : largest + 1;
	    result += 1;
	  }
	  break;
	case 4:
	case 5:
	  {
#pragma acc enter data copyin(sum, largest, count) async(q)
#pragma acc parallel num_gangs(1) present(sum, largest, count) firstprivate(k) async(q)
	  {
	    sum += k;
	    largest += 2;
	    count++;
	  }
	  if (kind == 4)
	    {
#pragma acc update self(sum, count) async(q)
#pragma acc update device(sum, count) async(q)
	    }
#pragma acc exit data copyout(sum, largest, count) async(q)
	  }
	  break;
	default:
	  acc_wait_all ();
	  CHECK (sum == want.sum);
	  CHECK (largest == want.largest);
	  CHECK (count == want.count);
	  CHECK (result == want.result);
	  want.sum = sum = below (10);
	  want.result = result = (float) below (10);
	}
    }
#pragma acc wait
  CHECK (sum == want.sum && largest == want.largest && count == want.count && result == want.result);
}

int
main (void)
{
  for (int i = 0; i < LENGTH; i++)
    array[i] = i * 7 % 13;
#pragma acc data copyin(array)
  for (int s = 0; s < SCHEDULES; s++)
    schedule ();
  return report ();
}
