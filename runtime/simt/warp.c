/* Groups of a warp's lanes: how they part, meet, call, return and wait.  */
#include "warp.h"

#include <stdlib.h>
#include <string.h>

static void
no_memory (struct warp *w, struct group *g)
{
  accscope_simt_tell (w, g, SIMT_NO_MEMORY, 0, 0, 0, 0);
}

/* A further group of the warp; there are never more than lanes.  */
static struct group *
add (struct warp *w, uint32_t mask, uint32_t pc, struct frame *frame, struct node *node)
{
  struct group *g = &w->groups[w->count++];

  *g = (struct group) { .mask = mask, .pc = pc, .frame = frame, .node = node };
  return g;
}

static void
drop (struct warp *w, struct group *g)
{
  *g = w->groups[--w->count];
}

/* All lanes have left a node: it is no more.  */
static void
let_go (struct warp *w, struct node *n)
{
  if (n == &n->frame->base)
    {
      n->frame->caller = w->spare;
      w->spare = n->frame;
    }
  else
    {
      n->parent = w->spare_nodes;
      w->spare_nodes = n;
    }
}

/* Where lanes go on that have met at a node.  */
static struct node *
beyond (const struct node *n, struct frame **frame, uint32_t *pc)
{
  struct node *parent = n->parent;

  if (n == &n->frame->base)
    {
      *frame = n->frame->caller;
      *pc = n->frame->back;
    }
  else
    {
      *frame = n->frame;
      *pc = n->meet;
    }
  return parent;
}

/* Hands over what a function gives, for these lanes.  */
static void
give (const struct frame *f, uint32_t mask)
{
  const struct accscope_simt_call *c = f->call;

  for (uint32_t n = 0; n < c->results; n++)
    {
      const char *from = f->registers + f->function->result[n].from;
      char *to = f->caller->registers + c->result[n].to;

      for (uint32_t rest = mask; rest; rest &= rest - 1)
	{
	  unsigned i = (unsigned) __builtin_ctz (rest);

	  if (c->result[n].wide)
	    ((uint64_t *) to)[i] = ((const uint64_t *) from)[i];
	  else
	    ((uint32_t *) to)[i] = ((const uint32_t *) from)[i];
	}
    }
}

/* Lets those who wait at a node go on as a group of their own.  */
static void
release (struct warp *w, struct node *n)
{
  uint32_t mask = n->arrived, pc;
  struct frame *frame;
  struct node *parent = beyond (n, &frame, &pc);

  if (n == &n->frame->base)
    give (n->frame, mask);
  n->expected &= ~mask;
  n->arrived = 0;
  if (n->expected == 0)
    let_go (w, n);
  add (w, mask, pc, frame, parent);
}

/* Takes lanes, which go on elsewhere, out of the nodes up to an outer one.  */
static void
leave (struct warp *w, struct node *n, const struct node *outer, uint32_t mask)
{
  while (n != outer)
    {
      struct node *parent = n->parent;

      n->expected &= ~mask;
      if (n->expected == 0)
	let_go (w, n);
      else if (n->arrived == n->expected)
	release (w, n);
      n = parent;
    }
}

/* Lanes that have come to the node: a group, unless it has to wait.  */
static int
meet (struct warp *w, struct group *g)
{
  struct node *n = g->node;

  n->arrived |= g->mask;
  if (n->arrived != n->expected)
    {
      drop (w, g);
      return 0;
    }
  g->mask = n->expected;
  if (n == &n->frame->base)
    give (n->frame, g->mask);
  g->node = beyond (n, &g->frame, &g->pc);
  let_go (w, n);
  return 1;
}

int
accscope_simt_arrive (struct warp *w, struct group *g)
{
  uint32_t here = g->pc;

  while (g->node->frame == g->frame && g->node != &g->frame->base && g->node->meet == here)
    if (!meet (w, g))
      return 0;
  g->pc = here + 1;
  return 1;
}

int
accscope_simt_return (struct warp *w, struct group *g)
{
  const struct node *base = &g->frame->base;

  while (g->node != base && g->node->meet == g->pc)
    if (!meet (w, g))
      return 0;
  if (g->frame->caller == NULL)
    return accscope_simt_exit (w, g, g->mask);
  if (g->node != base)
    {
      uint32_t mask = g->mask;
      struct node *inner = g->node;

      g->node = (struct node *) base;
      leave (w, inner, base, mask);
    }
  return meet (w, g);
}

static struct frame *
enter (struct warp *w, struct group *g, const struct accscope_simt_function *f)
{
  struct frame *frame;
  uint32_t local = g->frame ? g->frame->local + g->frame->function->local : 0;

  if ((uint64_t) local + f->local > w->gang->launch->stack)
    {
      accscope_simt_tell (w, g, SIMT_STACK, (uint32_t) __builtin_ctz (g->mask), 0, f->local, 0);
      return NULL;
    }
  if ((frame = w->spare) && frame->room >= f->frame)
    w->spare = frame->caller;
  else if ((frame = aligned_alloc (64, (sizeof *frame + f->frame + 63) & ~(size_t) 63)))
    frame->room = f->frame;
  else
    {
      no_memory (w, g);
      return NULL;
    }
  memset (frame->registers, 0, f->zeroed);
  frame->caller = g->frame;
  frame->function = f;
  frame->local = local;
  frame->base = (struct node) { g->node, frame, f->count - 1, g->mask, 0 };
  return frame;
}

/* The first frame of a warp's lanes.  */
int
accscope_simt_begin (struct warp *w, const struct accscope_simt_function *kernel, const uint64_t *parameters)
{
  struct group *g = add (w, w->live, 0, NULL, NULL);
  struct frame *frame = enter (w, g, kernel);

  if (!frame)
    return 0;
  g->frame = frame;
  g->node = &frame->base;
  for (uint32_t n = 0; n < kernel->parameters; n++)
    for (unsigned i = 0; i < LANES; i++)
      {
	char *to = frame->registers + kernel->parameter[n].to;

	if (kernel->parameter[n].wide)
	  ((uint64_t *) to)[i] = parameters[n];
	else
	  ((uint32_t *) to)[i] = (uint32_t) parameters[n];
      }
  return 1;
}

/* Whether a function takes and gives what a call by its address passes.  */
static int
fits (const struct accscope_simt_function *f, const struct accscope_simt_call *c)
{
  if (c->arguments != f->parameters || c->results > f->results)
    return 0;
  for (uint32_t n = 0; n < c->arguments; n++)
    if (c->argument[n].wide != f->parameter[n].wide)
      return 0;
  for (uint32_t n = 0; n < c->results; n++)
    if (c->result[n].wide != f->result[n].wide)
      return 0;
  return 1;
}

/* What the device's library has in place of code.  */
static int
builtin (struct warp *w, struct group *g, const struct accscope_simt_function *f, const struct accscope_simt_call *c)
{
  struct accscope_simt_memory *memory = w->gang->launch->memory;
  const uint64_t *arguments[2] = { NULL, NULL };

  for (uint32_t n = 0; n < f->parameters; n++)
    arguments[n] = (const uint64_t *) (g->frame->registers + c->argument[n].from);
  for (uint32_t rest = g->mask; rest; rest &= rest - 1)
    {
      unsigned i = (unsigned) __builtin_ctz (rest);
      int64_t result = 0;

      switch (f->builtin)
	{
	case SIMT_MALLOC:
	  result = (int64_t) accscope_simt_allocate (memory, arguments[0][i]);
	  break;
	case SIMT_FREE:
	  if (arguments[0][i] && !accscope_simt_release (memory, arguments[0][i]))
	    {
	      accscope_simt_tell (w, g, SIMT_FREE_OF, i, arguments[0][i], 0, 1);
	      return 0;
	    }
	  break;
	default:
	  result = accscope_simt_vprintf (w, g, i, arguments[0][i], arguments[1][i]);
	  if (result == INT64_MIN)
	    return 0;
	}
      if (c->results)
	{
	  char *to = g->frame->registers + c->result[0].to;

	  if (c->result[0].wide)
	    ((int64_t *) to)[i] = result;
	  else
	    ((int32_t *) to)[i] = (int32_t) result;
	}
    }
  g->pc++;
  return 1;
}

/* The function at an address: those of the first lane that calls, and the mask of those
   that call the same.  */
static const struct accscope_simt_function *
called (struct warp *w, struct group *g, const uint64_t *address, uint32_t *same)
{
  const struct accscope_simt_launch *l = w->gang->launch;
  unsigned first = (unsigned) __builtin_ctz (g->mask);
  uint64_t offset = address[first] - (uintptr_t) l->functions;

  *same = 0;
  for (uint32_t rest = g->mask; rest; rest &= rest - 1)
    {
      unsigned i = (unsigned) __builtin_ctz (rest);
      *same |= (uint32_t) (address[i] == address[first]) << i;
    }
  if (offset % sizeof *l->functions != 0 || offset / sizeof *l->functions >= l->function_count)
    {
      accscope_simt_tell (w, g, SIMT_CALLED, first, address[first], 0, 0);
      return NULL;
    }
  return &l->functions[offset / sizeof *l->functions];
}

int
accscope_simt_call (struct warp *w, struct group *g, const struct accscope_simt_call *c, const uint64_t *address)
{
  const struct accscope_simt_function *f = c->callee;
  struct frame *frame;

  if (!f)
    {
      uint32_t same;

      if (!(f = called (w, g, address, &same)))
	return 0;
      if (!fits (f, c))
	{
	  accscope_simt_tell (w, g, SIMT_CALLED_WITH, (uint32_t) __builtin_ctz (g->mask), (uintptr_t) f, 0, 0);
	  return 0;
	}
      /* Lanes that call others do so in turn, and meet behind the call, where a MEET is.  */
      if (same != g->mask && !accscope_simt_part (w, g, g->mask & ~same, g->pc, g->pc + 1))
	return 0;
    }
  if (f->builtin != SIMT_CODE)
    return builtin (w, g, f, c);
  if (!(frame = enter (w, g, f)))
    return 0;
  frame->back = g->pc + 1;
  frame->call = c;
  for (uint32_t n = 0; n < c->arguments; n++)
    memcpy (frame->registers + f->parameter[n].to, g->frame->registers + c->argument[n].from,
	    LANES * (f->parameter[n].wide ? sizeof (uint64_t) : sizeof (uint32_t)));
  g->frame = frame;
  g->node = &frame->base;
  g->pc = 0;
  return 1;
}

/* The lanes of a group that branch go to the target; those that do not go on with the
   next instruction, or, where the target is this one again, with this one now.  */
int
accscope_simt_part (struct warp *w, struct group *g, uint32_t taken, uint32_t target, uint32_t meets)
{
  uint32_t others = g->mask & ~taken;
  struct node *n = g->node;

  if (n->frame != g->frame || n->meet != meets)
    {
      if ((n = w->spare_nodes))
	w->spare_nodes = n->parent;
      else if (!(n = malloc (sizeof *n)))
	{
	  no_memory (w, g);
	  return 0;
	}
      *n = (struct node) { g->node, g->frame, meets, g->mask, 0 };
    }
  g->node = n;
  g->mask = others;
  if (target != g->pc)
    g->pc++;
  add (w, taken, target, g->frame, n);
  return 1;
}

int
accscope_simt_exit (struct warp *w, struct group *g, uint32_t mask)
{
  struct node *n = g->node;
  struct gang *gang = w->gang;

  w->live &= ~mask;
  gang->exited += (uint32_t) __builtin_popcount (mask);
  if (g->mask == mask)
    {
      drop (w, g);
      leave (w, n, NULL, mask);
      return 0;
    }
  g->mask &= ~mask;
  g->pc++;
  leave (w, n, NULL, mask);
  return 0; /* whatever the scheduler finds */
}

/* Whether another group waits at the group's instruction, to do it with the same lanes.  */
static int
same (const struct group *other, const struct group *g)
{
  return other->state == SYNCS && other->pc == g->pc && other->frame == g->frame && other->need == g->need;
}

/* The lanes that do the group's instruction together.  */
static uint32_t
together (const struct warp *w, const struct group *g)
{
  uint32_t have = g->mask;

  for (uint32_t i = 0; i < w->count; i++)
    if (same (&w->groups[i], g))
      have |= w->groups[i].mask;
  return have;
}

uint32_t
accscope_simt_sync (struct warp *w, struct group *g, uint32_t need)
{
  uint32_t have = g->mask;

  if ((need & w->live & ~have) == 0)
    return have;
  g->need = need;
  have = together (w, g);
  if (need & w->live & ~have)
    {
      g->state = SYNCS;
      return 0;
    }
  for (uint32_t i = 0; i < w->count; i++)
    {
      struct group *other = &w->groups[i];

      if (same (other, g))
	{
	  other->state = RUNS;
	  other->pc++;
	}
    }
  return have;
}

/* Has a group go on that waited for lanes which have ended since; 0: there is none.  */
int
accscope_simt_wake (struct warp *w)
{
  for (uint32_t i = 0; i < w->count; i++)
    {
      struct group *g = &w->groups[i];

      if (g->state == SYNCS && (g->need & w->live & ~together (w, g)) == 0)
	{
	  g->state = RUNS;
	  return 1;
	}
    }
  return 0;
}

/* A warp has come through a barrier.  */
static void
pass (struct warp *w)
{
  w->barred = ++w->clock;
}

/* Lets go on who waits at the barrier.  */
static void
open (struct gang *gang, uint32_t number)
{
  gang->arrived[number] = 0;
  for (uint32_t n = 0; n < gang->warps; n++)
    for (uint32_t i = 0; i < gang->warp[n].count; i++)
      {
	struct group *g = &gang->warp[n].groups[i];

	if (g->state == BARRED && g->barrier == number)
	  {
	    g->state = RUNS;
	    g->pc++;
	    pass (&gang->warp[n]);
	  }
      }
}

int
accscope_simt_barrier (struct warp *w, struct group *g, uint32_t number, uint32_t threads)
{
  struct gang *gang = w->gang;
  uint32_t expected = threads ? threads : gang->threads - gang->exited;

  number %= BARRIERS;
  gang->arrived[number] += (uint32_t) __builtin_popcount (g->mask);
  if (gang->arrived[number] >= expected)
    {
      /* The others have their turn first.  */
      open (gang, number);
      pass (w);
      g->pc++;
      return 0;
    }
  g->state = BARRED;
  g->barrier = number;
  g->threads = threads;
  return 0;
}

/* Barriers that those who are left have all come to.  */
int
accscope_simt_open_barriers (struct gang *gang)
{
  int opened = 0;

  for (uint32_t n = 0; n < gang->warps; n++)
    for (uint32_t i = 0; i < gang->warp[n].count; i++)
      {
	const struct group *g = &gang->warp[n].groups[i];

	if (g->state == BARRED && g->threads == 0 && gang->arrived[g->barrier] >= gang->threads - gang->exited)
	  {
	    open (gang, g->barrier);
	    opened = 1;
	  }
      }
  return opened;
}

/* Lets lanes of a warp go on that wait for others at a place where they were to meet, and
   whether there are such.  */
int
accscope_simt_let_go (struct warp *w)
{
  for (uint32_t i = 0; i < w->count; i++)
    for (struct node *n = w->groups[i].node; n; n = n->parent)
      if (n->arrived)
	{
	  release (w, n);
	  return 1;
	}
  return 0;
}

/* Gives back the memory of a warp that has not ended by itself.  */
void
accscope_simt_abandon (struct warp *w)
{
  while (w->count)
    {
      struct group *g = &w->groups[w->count - 1];
      struct node *n = g->node;
      uint32_t mask = g->mask;

      w->count--;
      while (n)
	{
	  struct node *parent = n->parent;

	  mask |= n->arrived;
	  n->expected &= ~mask;
	  n->arrived = 0;
	  if (n->expected == 0)
	    let_go (w, n);
	  n = parent;
	}
    }
}

/* Gives back what a warp keeps for calls and branches to come.  */
void
accscope_simt_clear (struct warp *w)
{
  while (w->spare)
    {
      struct frame *frame = w->spare;

      w->spare = frame->caller;
      free (frame);
    }
  while (w->spare_nodes)
    {
      struct node *node = w->spare_nodes;

      w->spare_nodes = node->parent;
      free (node);
    }
}
