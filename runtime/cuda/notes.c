#include "notes.h"

#include <stdlib.h>

#define NOTES (1u << 18)
/* The places that a note may have are far apart: calls that wait for their records
   have numbers in a row.  */
#define PLACES 8
#define STRIDE 16411u

#define RECORDED ((uint64_t) 1 << 32)	/* flag: a record has come */
#define CHANGING ((uint64_t) 1 << 33)	/* instead of a call's number */

struct accscope_cuda_note
{
  uint64_t call;		/* atomic: 0 free, or the call's number and flag */
  uint64_t number;		/* atomic */
};

static struct accscope_cuda_note *
place (struct accscope_cuda_note *notes, uint32_t call, unsigned i)
{
  return &notes[(call + i * STRIDE) % NOTES];
}

struct accscope_cuda_note *
accscope_cuda_notes (void)
{
  return calloc (NOTES, sizeof (struct accscope_cuda_note));
}

/* Writes a note where there is FOUND; returns 0 if that has changed.  */
static int
write_note (struct accscope_cuda_note *note, uint64_t found, uint32_t call,
	    uint64_t number)
{
  if (!__atomic_compare_exchange_n (&note->call, &found, CHANGING, 0,
				    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return 0;
  __atomic_store_n (&note->number, number, __ATOMIC_RELEASE);
  __atomic_store_n (&note->call, call, __ATOMIC_RELEASE);
  return 1;
}

void
accscope_cuda_note (struct accscope_cuda_note *notes, uint32_t call,
		    uint64_t number)
{
  struct accscope_cuda_note *oldest = NULL;
  uint64_t oldest_found = 0;
  unsigned i;

  for (i = 0; i < PLACES; i++)
    {
      struct accscope_cuda_note *note = place (notes, call, i);
      uint64_t found = __atomic_load_n (&note->call, __ATOMIC_ACQUIRE);

      if (found == CHANGING)
	continue;
      if (found == 0 || found & RECORDED)
	{
	  if (write_note (note, found, call, number))
	    return;
	}
      else if (oldest == NULL || call - (uint32_t) found > call - (uint32_t) oldest_found)
	{
	  oldest = note;
	  oldest_found = found;
	}
    }
  if (oldest != NULL)
    write_note (oldest, oldest_found, call, number);
}

uint64_t
accscope_cuda_noted (struct accscope_cuda_note *notes, uint32_t call)
{
  unsigned i;

  for (i = 0; i < PLACES; i++)
    {
      struct accscope_cuda_note *note = place (notes, call, i);
      uint64_t found = __atomic_load_n (&note->call, __ATOMIC_ACQUIRE), number;

      if (found == 0)		/* never used: no note went further */
	return 0;
      if ((found & ~RECORDED) != call)
	continue;
      number = __atomic_load_n (&note->number, __ATOMIC_ACQUIRE);
      return __atomic_compare_exchange_n (&note->call, &found, call | RECORDED, 0,
					  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)
	     ? number : 0;
    }
  return 0;
}
