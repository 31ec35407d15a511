/* The writer of the published present table: insertion and removal in a B+-tree
   that readers walk at the same time.  See present.h.  */
#include "present.h"

#include <sys/mman.h>

#define FANOUT ACCSCOPE_PRESENT_FANOUT
#define LEVELS ACCSCOPE_PRESENT_LEVELS
#define CHUNK_BYTES (256 * 1024)
#define NODE_BYTES ((sizeof (struct accscope_present_node) + 63) & ~(size_t) 63)

typedef struct accscope_present_node node;
typedef struct accscope_present_store store;

/* What readers may look at is written with release, so that whoever sees a new
   value also sees that the sequence number is odd.  */
#define GET(place) __atomic_load_n (&(place), __ATOMIC_RELAXED)
#define PUT(place, what) __atomic_store_n (&(place), (what), __ATOMIC_RELEASE)

static void *
map (size_t bytes)
{
  void *p = mmap (NULL, bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

store *
accscope_present_new (void)
{
  return map (sizeof (store));
}

/* Sees to it that one unused node is there for each level up to top.  */
static int
reserve (store *s, unsigned top)
{
  for (unsigned level = 0; level <= top; level++)
    {
      if (s->free[level])
	continue;
      if (!s->chunk_nodes)
	{
	  s->chunk = map (CHUNK_BYTES);
	  if (!s->chunk)
	    return -1;
	  s->chunk_nodes = CHUNK_BYTES / NODE_BYTES;
	}
      s->free[level] = s->chunk;
      s->chunk = (node *) ((char *) s->chunk + NODE_BYTES);
      s->chunk_nodes--;
    }
  return 0;
}

/* Marks the keys from number i on as unused.  */
static void
clear (node *n, uintptr_t i)
{
  for (; i < FANOUT; i++)
    PUT (n->key[i], ACCSCOPE_PRESENT_NO_KEY);
}

static node *
take (store *s, unsigned level)
{
  node *n = s->free[level];
  s->free[level] = n->free;
  n->free = NULL;
  clear (n, 0);
  return n;
}

static void
give (store *s, unsigned level, node *n)
{
  PUT (n->count, 0);
  n->free = s->free[level];
  s->free[level] = n;
}

static void
move (node *to, uintptr_t at, const node *from, uintptr_t i, unsigned level)
{
  PUT (to->key[at], GET (from->key[i]));
  PUT (to->value[at], GET (from->value[i]));
  if (level == 0)
    {
      PUT (to->size[at], GET (from->size[i]));
      PUT (to->index[at], GET (from->index[i]));
    }
}

struct entry
{
  uintptr_t key, value, size, index;
};

/* Makes room at position i of a node that is not full, and fills it.  */
static void
put_entry (node *n, uintptr_t i, struct entry e, unsigned level)
{
  uintptr_t count = GET (n->count);
  for (uintptr_t k = count; k > i; k--)
    move (n, k, n, k - 1, level);
  PUT (n->key[i], e.key);
  PUT (n->value[i], e.value);
  if (level == 0)
    {
      PUT (n->size[i], e.size);
      PUT (n->index[i], e.index);
    }
  PUT (n->count, count + 1);
}

static void
drop_entry (node *n, uintptr_t i, unsigned level)
{
  uintptr_t count = GET (n->count);
  for (uintptr_t k = i; k + 1 < count; k++)
    move (n, k, n, k + 1, level);
  PUT (n->key[count - 1], ACCSCOPE_PRESENT_NO_KEY);
  PUT (n->count, count - 1);
}

static void
begin (store *s)
{
  __atomic_store_n (&s->published.sequence,
		    __atomic_load_n (&s->published.sequence, __ATOMIC_RELAXED) + 1,
		    __ATOMIC_RELAXED);
}

static void
end (store *s)
{
  __atomic_store_n (&s->published.sequence,
		    __atomic_load_n (&s->published.sequence, __ATOMIC_RELAXED) + 1,
		    __ATOMIC_RELEASE);
}

/* The way from the root to a leaf: on each level the node and the entry taken.  */
struct path
{
  unsigned top;
  node *n[LEVELS];
  uintptr_t i[LEVELS];
};

static void
descend (struct path *p, uintptr_t tree, uintptr_t key)
{
  p->top = tree & ACCSCOPE_PRESENT_LEVEL;
  node *n = (node *) (tree - p->top);
  for (unsigned level = p->top;; level--)
    {
      uintptr_t i = accscope_present_rank (n, key);
      p->n[level] = n;
      if (level == 0)
	{
	  p->i[0] = i;
	  return;
	}
      p->i[level] = i ? i - 1 : 0;
      n = (node *) GET (n->value[p->i[level]]);
    }
}

/* Adds an entry to tree, which has none with this key; -1 if there is no memory.  */
static int
insert_key (store *s, uintptr_t *tree, struct entry e)
{
  const uintptr_t key = e.key;
  unsigned top = *tree & ACCSCOPE_PRESENT_LEVEL;
  if (top + 1 >= LEVELS || reserve (s, top + 1))
    return -1;
  begin (s);
  if (!*tree)
    {
      node *n = take (s, 0);
      put_entry (n, 0, e, 0);
      PUT (*tree, (uintptr_t) n);
      end (s);
      return 0;
    }
  struct path p;
  descend (&p, *tree, key);
  /* Separators are exact, so only a new smallest key changes any.  */
  for (unsigned level = 1; level <= top; level++)
    if (key < GET (p.n[level]->key[0]))
      PUT (p.n[level]->key[0], key);

  uintptr_t at = p.i[0];
  for (unsigned level = 0;; level++)
    {
      node *n = p.n[level];
      uintptr_t count = GET (n->count);
      if (count < FANOUT)
	{
	  put_entry (n, at, e, level);
	  break;
	}
      node *right = take (s, level);
      uintptr_t half = FANOUT / 2;
      for (uintptr_t k = half; k < FANOUT; k++)
	move (right, k - half, n, k, level);
      clear (n, half);
      PUT (right->count, FANOUT - half);
      PUT (n->count, half);
      if (at <= half)
	put_entry (n, at, e, level);
      else
	put_entry (right, at - half, e, level);
      e = (struct entry) { GET (right->key[0]), (uintptr_t) right, 0, 0 };
      if (level == top)
	{
	  node *root = take (s, level + 1);
	  put_entry (root, 0,
		     (struct entry) { GET (n->key[0]), (uintptr_t) n, 0, 0 },
		     level + 1);
	  put_entry (root, 1, e, level + 1);
	  PUT (*tree, (uintptr_t) root + level + 1);
	  break;
	}
      at = p.i[level + 1] + 1;
    }
  end (s);
  return 0;
}

/* Moves all of from, the right neighbour, to the end of to if it fits.  */
static int
merge (node *to, const node *from, unsigned level)
{
  uintptr_t have = GET (to->count), more = GET (from->count);
  if (have + more > FANOUT)
    return 0;
  for (uintptr_t k = 0; k < more; k++)
    move (to, have + k, from, k, level);
  PUT (to->count, have + more);
  return 1;
}

/* After child, entry i of parent, lost an entry: a node with few entries joins
   a neighbour that has room.  Where no neighbour has room it stays; two nodes
   next to each other hold an eighth of their capacity at least, which bounds
   the height.  */
static void
settle (store *s, node *parent, uintptr_t i, node *child, unsigned level)
{
  uintptr_t count = GET (child->count);
  if (count == 0)
    {
      drop_entry (parent, i, level + 1);
      give (s, level, child);
      return;
    }
  if (count < FANOUT / 4)
    {
      if (i > 0 && merge ((node *) GET (parent->value[i - 1]), child, level))
	{
	  drop_entry (parent, i, level + 1);
	  give (s, level, child);
	  return;
	}
      node *right = i + 1 < GET (parent->count)
		      ? (node *) GET (parent->value[i + 1])
		      : NULL;
      if (right && merge (child, right, level))
	{
	  drop_entry (parent, i + 1, level + 1);
	  give (s, level, right);
	}
    }
  if (GET (parent->key[i]) != GET (child->key[0]))
    PUT (parent->key[i], GET (child->key[0]));
}

/* Takes the entry with this key out of tree; -1 if there is none.  */
static int
remove_key (store *s, uintptr_t *tree, uintptr_t key)
{
  if (!*tree)
    return -1;
  struct path p;
  descend (&p, *tree, key);
  uintptr_t at = p.i[0];
  if (!at || GET (p.n[0]->key[at - 1]) != key)
    return -1;
  begin (s);
  drop_entry (p.n[0], at - 1, 0);
  for (unsigned level = 0; level < p.top; level++)
    settle (s, p.n[level + 1], p.i[level + 1], p.n[level], level);

  node *root = p.n[p.top];
  unsigned top = p.top;
  while (top > 0 && GET (root->count) == 1)
    {
      node *child = (node *) GET (root->value[0]);
      PUT (*tree, (uintptr_t) child + top - 1);
      give (s, top, root);
      root = child;
      top--;
    }
  if (GET (root->count) == 0)
    {
      PUT (*tree, 0);
      give (s, top, root);
    }
  end (s);
  return 0;
}

int
accscope_present_insert (store *s, uintptr_t *tree, bool by_device, uintptr_t host,
			 uintptr_t device, uintptr_t size, uintptr_t index)
{
  if (insert_key (s, tree, (struct entry) { host, device, size, index }))
    return -1;
  if (!by_device
      || !insert_key (s, &s->published.devices,
		      (struct entry) { device, host, size, index }))
    return 0;
  remove_key (s, tree, host);
  return -1;
}

int
accscope_present_remove (store *s, uintptr_t *tree, bool by_device, uintptr_t host,
			 uintptr_t device)
{
  int missing = remove_key (s, tree, host);

  if (by_device)
    missing |= remove_key (s, &s->published.devices, device);
  return missing;
}
