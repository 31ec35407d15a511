/* The present table as C code reads it: which device address belongs to a host
   address range, and the other way round (OpenACC 3.3 section 2.6.3 to 2.6.8),
   without entering Go.

   The table is a B+-tree whose nodes the writer (present.c, called by the Go
   side, one writer at a time) changes in place under a sequence lock.  A reader
   may therefore see a tree in the middle of a change; it finds out afterwards
   and tries again.  That is safe because nodes are never unmapped and a node
   stays on its level for ever, so whatever a reader follows is a node of the
   expected level or null.  */
#ifndef ACCSCOPE_PRESENT_H
#define ACCSCOPE_PRESENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCSCOPE_PRESENT_FANOUT 32
#define ACCSCOPE_PRESENT_NO_KEY UINTPTR_MAX

/* In an index: the Go side knows that the program asked for the device address.  */
#define ACCSCOPE_PRESENT_EXPOSED ((uintptr_t) 1 << (8 * sizeof (uintptr_t) - 1))

/* One node.  Entries are sorted by key.  In a leaf (level 0) an entry is a
   mapping: host address, device address, size, and the Go side's index with
   ACCSCOPE_PRESENT_EXPOSED; above, it is a child, its key the smallest key beneath it.  Keys without an entry are
   ACCSCOPE_PRESENT_NO_KEY.  */
struct accscope_present_node
{
  uintptr_t count;
  struct accscope_present_node *free;	/* next unused node of this level */
  uintptr_t key[ACCSCOPE_PRESENT_FANOUT] __attribute__ ((aligned (64)));
  uintptr_t value[ACCSCOPE_PRESENT_FANOUT];
  uintptr_t size[ACCSCOPE_PRESENT_FANOUT];	/* leaves only, */
  uintptr_t index[ACCSCOPE_PRESENT_FANOUT];	/* like this */
};

/* A tree is the address of its root plus the root's level, 0 when empty: nodes
   are aligned to 64 bytes.  */
#define ACCSCOPE_PRESENT_LEVEL 63u

struct accscope_present
{
  uint64_t sequence;	/* odd while the writer is at work */
  uintptr_t ranges;	/* mappings of at least one byte, by host address */
  uintptr_t points;	/* zero-length mappings, by host address */
  uintptr_t devices;	/* ranges by device address, but for those whose device
			   memory overlaps that of another one here */
  uint32_t all_exposed;	/* atomic: the Go side need not hear of any more device
			   addresses that the program asks for */
};

/* The number of entries of a node whose key is at most key: first by the first
   keys of each cache line, then within one.  No branch depends on the keys: it
   would be mispredicted half of the time.  */
static inline uintptr_t
accscope_present_rank (const struct accscope_present_node *n, uintptr_t key)
{
  enum { LINE = 64 / sizeof (uintptr_t) };
  uintptr_t rank = 0;

#pragma GCC unroll 8
  for (uintptr_t i = LINE; i < ACCSCOPE_PRESENT_FANOUT; i += LINE)
    rank += __atomic_load_n (&n->key[i], __ATOMIC_ACQUIRE) <= key;
  rank *= LINE;
  const uintptr_t *line = &n->key[rank];
#pragma GCC unroll 8
  for (uintptr_t i = 0; i < LINE; i++)
    rank += __atomic_load_n (&line[i], __ATOMIC_ACQUIRE) <= key;
  if (__builtin_expect (key == ACCSCOPE_PRESENT_NO_KEY, 0))
    {
      uintptr_t count = __atomic_load_n (&n->count, __ATOMIC_ACQUIRE);
      return rank < count ? rank : count;
    }
  return rank;
}

/* Finds the mapping that holds all of [key, key+size), or key itself if size
   is 0.  1 and its device address, and its index if that is not null, or 0.  */
static inline __attribute__ ((always_inline)) int
accscope_present_search (uintptr_t tree, uintptr_t key, size_t size,
			 uintptr_t *value, uintptr_t *index)
{
  unsigned level = tree & ACCSCOPE_PRESENT_LEVEL;
  const struct accscope_present_node *n
    = (const struct accscope_present_node *) (tree - level);

  while (n)
    {
      uintptr_t low = accscope_present_rank (n, key);
      if (!low)
	return 0;
      uintptr_t v = __atomic_load_n (&n->value[low - 1], __ATOMIC_ACQUIRE);
      if (level == 0)
	{
	  uintptr_t offset
	    = key - __atomic_load_n (&n->key[low - 1], __ATOMIC_ACQUIRE);
	  uintptr_t have = __atomic_load_n (&n->size[low - 1], __ATOMIC_ACQUIRE);
	  if (offset > have || size > have - offset
	      || (size == 0 && offset == have && have))
	    return 0;
	  *value = v + offset;
	  if (index)
	    *index = __atomic_load_n (&n->index[low - 1], __ATOMIC_ACQUIRE);
	  return 1;
	}
      n = (const struct accscope_present_node *) v;
      level--;
    }
  return 0;
}

/* Looks in one of the trees of a table, then in OTHER if that is not null.  1 and
   *value, and *index if that is not null, 0 if there is nothing, -1 if the writer
   was busy for long.  */
static inline __attribute__ ((always_inline)) int
accscope_present_read_with (const struct accscope_present *present,
			    const uintptr_t *tree, const uintptr_t *other,
			    uintptr_t key, size_t size, uintptr_t *value,
			    uintptr_t *index)
{
  for (int attempt = 0; attempt < 256; attempt++)
    {
      uint64_t before = __atomic_load_n (&present->sequence, __ATOMIC_ACQUIRE);
      if (before & 1)
	{
#if defined __x86_64__ || defined __i386__
	  __builtin_ia32_pause ();
#elif defined __aarch64__
	  __asm__ volatile ("isb" : : : "memory");	/* yield does nothing on most */
#endif
	  continue;
	}
      uintptr_t v = 0;
      int found = accscope_present_search (
	__atomic_load_n (tree, __ATOMIC_ACQUIRE), key, size, &v, index);
      if (!found && other)
	found = accscope_present_search (
	  __atomic_load_n (other, __ATOMIC_ACQUIRE), key, size, &v, index);
      /* Every load above acquires, so none moves below this one; the writer's
	 stores release, so having read one of them implies seeing its odd
	 number here.  */
      if (__atomic_load_n (&present->sequence, __ATOMIC_RELAXED) == before)
	{
	  if (found)
	    *value = v;
	  return found;
	}
    }
  return -1;
}

static inline int
accscope_present_read (const struct accscope_present *present,
		       const uintptr_t *tree, const uintptr_t *other,
		       uintptr_t key, size_t size, uintptr_t *value)
{
  return accscope_present_read_with (present, tree, other, key, size, value, NULL);
}

/* Finds the device address of the host range [host, host+size); size 0 asks
   whether host lies inside a mapping, or at a zero-length one.  Returns 1 and
   the device address in *device if all of it is in one mapping; 0 if it is
   absent or only partly present; -1 if the writer was busy for long: ask the Go
   side.  Any thread may call it at any time.  */
static inline int
accscope_present_find (const struct accscope_present *present, uintptr_t host,
		       size_t size, uintptr_t *device)
{
  return accscope_present_read (present, &present->ranges,
				size == 0 ? &present->points : NULL, host, size,
				device);
}

/* Finds the device address of what is at host, as accscope_present_find does of
   size 0, and whether the Go side need not hear that the program asks for it.  */
static inline int
accscope_present_find_exposed (const struct accscope_present *present,
			       uintptr_t host, uintptr_t *device, int *exposed)
{
  uintptr_t index = 0;
  int found
    = accscope_present_read_with (present, &present->ranges, &present->points,
				  host, 0, device, &index);

  *exposed = (index & ACCSCOPE_PRESENT_EXPOSED) != 0
	     || __atomic_load_n (&present->all_exposed, __ATOMIC_RELAXED);
  return found;
}

/* Finds the host address that the device address belongs to.  Returns 1 and the
   host address in *host; -1 if the Go side must be asked: nothing was found,
   which says nothing of device memory that is mapped more than once, or the
   writer was busy for long.  Any thread may call it at any time.  */
static inline int
accscope_present_find_host (const struct accscope_present *present,
			    uintptr_t device, uintptr_t *host)
{
  return accscope_present_read (present, &present->devices, NULL, device, 0,
				host) == 1 ? 1 : -1;
}

/* The writer's side.  Calls for one store are serialised by the caller.  */

#define ACCSCOPE_PRESENT_LEVELS 24

/* The nodes of one table, used and unused.  */
struct accscope_present_store
{
  struct accscope_present published;
  struct accscope_present_node *free[ACCSCOPE_PRESENT_LEVELS];
  struct accscope_present_node *chunk;	/* never used nodes */
  size_t chunk_nodes;
};

/* A store that is never freed, NULL if there is no memory.  */
struct accscope_present_store *accscope_present_new (void);

/* Adds a mapping to tree, one of those by host address of store, and if by_device is
   set to the one by device address.  No entry there has the same address.  Returns 0, or
   -1 if there is no memory, with nothing changed.  */
int accscope_present_insert (struct accscope_present_store *store,
			     uintptr_t *tree, bool by_device, uintptr_t host,
			     uintptr_t device, uintptr_t size, uintptr_t index);

/* Takes a mapping out of tree, and if by_device is set of the one by device address.
   Returns 0, or -1 if it was missing.  */
int accscope_present_remove (struct accscope_present_store *store,
			     uintptr_t *tree, bool by_device, uintptr_t host,
			     uintptr_t device);

#ifdef __cplusplus
}
#endif

#endif
