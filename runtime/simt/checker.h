/* What order.c, shadow.c, transfer.c and findings.c share.  */
#ifndef ACCSCOPE_SIMT_CHECKER_H
#define ACCSCOPE_SIMT_CHECKER_H

#include <pthread.h>

#include "check.h"

/* Operations are numbered below this; the last of them are known.  */
#define NUMBERS (1u << 22)
#define KNOWN 16384
#define MOST_FINDINGS 1024

struct known
{
  uint32_t first, count, queue;
  enum accscope_simt_access kind;
  uint64_t sequence, correlation;
  const struct accscope_simt_function *kernel;
};

struct accscope_simt_checker
{
  pthread_rwlock_t running;	/* for reading while an operation runs */
  pthread_mutex_t lock;		/* of what follows */
  uint32_t queue_count, next;
  struct accscope_simt_stamp queues[CHECKED_QUEUES], host;
  uint64_t begun[CHECKED_QUEUES];	/* sequence of the last operation that has begun, by queue */
  struct known known[KNOWN];
  uint64_t known_count;
  struct accscope_simt_shadow *shadows, *gone, *kept;	/* kept: for the next allocations of their sizes */
  size_t live, kept_bytes, most;	/* bytes of the device's: of shadows, of kept, and of shadows at most */
  uint32_t forgotten;		/* atomic: how often all accesses were */
  int ended;			/* the device's memory can be looked at no more */

  int compares;			/* what kernels leave with what their functions for the host do */
  double tolerance;
  uint64_t hosting;		/* nanoseconds for that, atomic */
  uint64_t comparing, ran;	/* nanoseconds: with the host's memory, and of operations; atomic */
  struct accscope_simt_looked_at looked_at;	/* atomic */
  pthread_mutex_t finding;
  uint32_t found;		/* atomic */
  struct accscope_simt_finding findings[MOST_FINDINGS];
};

struct known accscope_simt_known (struct accscope_simt_checker *c, uint32_t number);
int accscope_simt_before (const struct known *other, const struct accscope_simt_operation *o);
void accscope_simt_forget (struct accscope_simt_checker *c);
void accscope_simt_transfer (struct accscope_simt_operation *o, struct accscope_simt_memory *m, uintptr_t to, uintptr_t from, size_t bytes);
void accscope_simt_same (struct accscope_simt_memory *m, uintptr_t device, uintptr_t host, size_t bytes, int brought);
void accscope_simt_host_begin (struct accscope_simt_operation *o, struct accscope_simt_hosted *of, void *block, size_t block_bytes, struct accscope_simt_hostrun *h);
void accscope_simt_host_end (struct accscope_simt_operation *o, struct accscope_simt_hostrun *h);
void accscope_simt_launched (struct accscope_simt_checker *c);
void accscope_simt_moves (struct accscope_simt_checker *c, struct accscope_simt_memory *m, const struct accscope_simt_stamp *stamp, enum accscope_simt_access kind,
			  uint64_t correlation, uintptr_t device, size_t bytes);
/* Whether the accesses of the host's code are seen.  */
int accscope_simt_watched (void);
/* The host's memory is not on this device any more, or not in this allocation.  */
void accscope_simt_host_forget (struct accscope_simt_checker *c, const struct accscope_simt_shadow *s);
/* Whether the host knows that an operation is over.  */
int accscope_simt_heard (struct accscope_simt_checker *c, uint32_t queue, uint64_t sequence);
uint64_t accscope_simt_nanoseconds (void);
void accscope_simt_later (struct accscope_simt_checker *c, uint64_t allocation, uintptr_t begin, size_t bytes);
/* Whether the host has changed some of an allocation since both sides had the same.  */
int accscope_simt_changed_by_host (const struct accscope_simt_shadow *s);
void accscope_simt_tell_of (struct accscope_simt_checker *c, const struct accscope_simt_finding *f);

/* Of an allocation; NULL: the host has no memory left, and it is not checked.  */
struct accscope_simt_shadow *accscope_simt_shadow_of (struct accscope_simt_checker *c, uintptr_t begin, size_t bytes);
void accscope_simt_shadow_end (struct accscope_simt_shadow *s);
void accscope_simt_free_gone (struct accscope_simt_checker *c);
void accscope_simt_free_kept (struct accscope_simt_checker *c);

/* A site's function and instruction; NULL for 0.  */
const struct accscope_simt_function *accscope_simt_at (uint32_t site, uint32_t *instruction);

#endif
