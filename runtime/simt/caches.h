/* The caches of a GPU that is modelled, as far as they decide how far a request goes.  Each gang has
   an equal part of its multiprocessor's first level, in which a sector has one place that it may be
   in.  The second level has the sectors that were used last, of all kernels: the volume of what was
   used since a sector's last use is known to an EPOCHS-th of its size (R. Mattson and others,
   "Evaluation techniques for storage hierarchies": stack distances).  */
#ifndef ACCSCOPE_SIMT_CACHES_H
#define ACCSCOPE_SIMT_CACHES_H

#include "counters.h"

#define EPOCHS 16
#define MOST_TAGS 4096
#define MEETINGS 65536

struct gang;
struct warp;

struct accscope_simt_caches
{
  uintptr_t begin;		/* of the device's memory */
  uint64_t sectors;		/* in it */
  uint16_t *used;		/* of each sector: the epoch of its last use, 0: it was not used yet */
  uint64_t epoch_sectors;	/* used in an epoch */
  uint64_t touched;		/* atomic: sectors since the begin, each once in an epoch */
  uint32_t tags;		/* sectors of a gang's part of the first level, a power of two */
  uint32_t tag_bits;		/* its logarithm */
  uint32_t met[MEETINGS];	/* atomic: weights of lanes at atomics, in this launch, by a hash of the address */
};

/* NULL: the host has no memory or no addresses left.  */
struct accscope_simt_caches *accscope_simt_caches_open (uintptr_t begin, uint64_t bytes, uint64_t second_level);
void accscope_simt_caches_close (struct accscope_simt_caches *caches);
/* Before a launch: the part of the first level that each gang has, in bytes.  */
void accscope_simt_caches_begin (struct accscope_simt_caches *caches, uint64_t first_level);
/* What an atomic update adds to its address's weight: lanes of a request that meet at one take one after the
   other, as a request of one lane does; a request of neighbouring elements takes as long as MET_TOGETHER of
   these, and each lane of one that is spread over memory as MET_APART, where others are at its address (as
   seen on an H200: 0.5 to 1, 2.4, and 65 to 87 ns).  */
#define MET_TOGETHER 3
#define MET_APART 90

/* After it: the weight of the address that has the most.  */
uint32_t accscope_simt_caches_met (const struct accscope_simt_caches *caches);

/* Counts how far a request goes: to count sectors from the first on, or those of a list.  */
void accscope_simt_cache (struct warp *w, struct accscope_simt_requests *r, uint64_t first, unsigned count, const uint64_t *list, int store);
void accscope_simt_empty_cache (struct gang *g);

#endif
