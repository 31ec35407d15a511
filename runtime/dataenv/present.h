/* The present table as C code reads it: which device address belongs to a host
   address range (OpenACC 3.3 section 2.6.3 to 2.6.8), without entering Go.

   The table is a B+-tree whose nodes the writer (present.c, called by the Go
   side, one writer at a time) changes in place under a sequence lock.  A reader
   may therefore see a tree in the middle of a change; it finds out afterwards
   and tries again.  That is safe because nodes are never unmapped and a node
   stays on its level for ever, so whatever a reader follows is a node of the
   expected level or null.  */
#ifndef ACCSCOPE_PRESENT_H
#define ACCSCOPE_PRESENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCSCOPE_PRESENT_FANOUT 32

/* One node.  Entries are sorted by key.  In a leaf (level 0) an entry is a
   mapping: host address, device address, size, and the Go side's index; above,
   it is a child, its key the smallest key beneath it.  */
struct accscope_present_node
{
  uintptr_t count;
  struct accscope_present_node *free;	/* next unused node of this level */
  uintptr_t key[ACCSCOPE_PRESENT_FANOUT];
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
};

/* Finds the mapping that holds all of [key, key+size), or key itself if size
   is 0.  1 and its device address, or 0.  */
static inline int
accscope_present_search (uintptr_t tree, uintptr_t key, size_t size,
			 uintptr_t *value)
{
  unsigned level = tree & ACCSCOPE_PRESENT_LEVEL;
  const struct accscope_present_node *n
    = (const struct accscope_present_node *) (tree - level);

  while (n)
    {
      /* No branch depends on the keys: it would be mispredicted half of the
	 time.  */
      uintptr_t low = 0, left = __atomic_load_n (&n->count, __ATOMIC_ACQUIRE);
      while (left)
	{
	  uintptr_t half = (left + 1) / 2;
	  uintptr_t probe = __atomic_load_n (&n->key[low + half - 1], __ATOMIC_ACQUIRE);
	  low += half & -(uintptr_t) (probe <= key);
	  left -= half;
	}
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
	  return 1;
	}
      n = (const struct accscope_present_node *) v;
      level--;
    }
  return 0;
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
  for (int attempt = 0; attempt < 256; attempt++)
    {
      uint64_t before = __atomic_load_n (&present->sequence, __ATOMIC_ACQUIRE);
      if (before & 1)
	{
#if defined __x86_64__ || defined __i386__
	  __builtin_ia32_pause ();
#endif
	  continue;
	}
      uintptr_t value = 0;
      int found = accscope_present_search (
	__atomic_load_n (&present->ranges, __ATOMIC_ACQUIRE), host, size, &value);
      if (!found && size == 0)
	found = accscope_present_search (
	  __atomic_load_n (&present->points, __ATOMIC_ACQUIRE), host, 0, &value);
      /* Every load above acquires, so none moves below this one; the writer's
	 stores release, so having read one of them implies seeing its odd
	 number here.  */
      if (__atomic_load_n (&present->sequence, __ATOMIC_RELAXED) == before)
	{
	  if (found)
	    *device = value;
	  return found;
	}
    }
  return -1;
}

/* The writer's side.  Calls for one store are serialised by the caller.  */

#define ACCSCOPE_PRESENT_LEVELS 24

/* The nodes of one table, used and unused.  */
struct accscope_present_store
{
  struct accscope_present published;
  uintptr_t devices;		/* the mappings by device address: not published */
  struct accscope_present_node *free[ACCSCOPE_PRESENT_LEVELS];
  struct accscope_present_node *chunk;	/* never used nodes */
  size_t chunk_nodes;
};

/* A store that is never freed, NULL if there is no memory.  */
struct accscope_present_store *accscope_present_new (void);

/* Adds an entry to tree, one of those of store.  No entry has this key.
   Returns 0, or -1 if there is no memory, with nothing changed.  */
int accscope_present_insert (struct accscope_present_store *store,
			     uintptr_t *tree, uintptr_t key, uintptr_t value,
			     uintptr_t size, uintptr_t index);

/* Takes the entry with this key out of tree.  Returns 0, or -1 if there is
   none.  */
int accscope_present_remove (struct accscope_present_store *store,
			     uintptr_t *tree, uintptr_t key);

#ifdef __cplusplus
}
#endif

#endif
