/* What a kernel's device code leaves in memory, against what the function does that the compiler has
   made of the same construct for the host.  That runs in a process of its own, forked before the
   kernel runs: there all of the device's memory has the same addresses and what it had then, and
   nothing that it does is seen here.  */
#define _GNU_SOURCE
#include "shadow.h"
#include "warp.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A part of its memory that the process is asked for.  */
struct part
{
  uintptr_t address;
  size_t bytes;
};

static int
take_all (int socket, void *to, size_t bytes, int64_t until)
{
  for (char *at = to; bytes;)
    {
      const int64_t left = until ? (until - (int64_t) accscope_simt_nanoseconds ()) / 1000000 : 1;
      struct pollfd ready = { .fd = socket, .events = POLLIN };
      const int is = left > 0 ? poll (&ready, 1, until ? (int) left : -1) : 0;

      if (is < 0 && errno == EINTR)
	continue;
      if (is <= 0)
	return 0;
      const ssize_t got = recv (socket, at, bytes, 0);

      if (got <= 0 && errno != EINTR)
	return 0;
      if (got > 0)
	{
	  at += got;
	  bytes -= (size_t) got;
	}
    }
  return 1;
}

static int
give_all (int socket, const void *from, size_t bytes)
{
  for (const char *at = from; bytes;)
    {
      const ssize_t given = send (socket, at, bytes, MSG_NOSIGNAL);

      if (given < 0 && errno != EINTR)
	return 0;
      if (given > 0)
	{
	  at += given;
	  bytes -= (size_t) given;
	}
    }
  return 1;
}

static void __attribute__ ((noreturn))
run_on_host (uintptr_t function, void *block, int socket)
{
  static const int ends[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
  const struct rlimit none = { 0, 0 };
  struct part asked;
  sigset_t all;

  accscope_simt_unseen (1);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  setrlimit (RLIMIT_CORE, &none);
  for (size_t n = 0; n < sizeof ends / sizeof *ends; n++)
    signal (ends[n], SIG_DFL);
  sigemptyset (&all);
  for (size_t n = 0; n < sizeof ends / sizeof *ends; n++)
    sigaddset (&all, ends[n]);
  sigprocmask (SIG_UNBLOCK, &all, NULL);
  ((void (*) (void *)) function) (block);
  while (take_all (socket, &asked, sizeof asked, 0) && give_all (socket, (const void *) asked.address, asked.bytes))
    continue;
  _exit (0);
}

void
accscope_simt_compare_host (struct accscope_simt_checker *c, double tolerance)
{
  c->compares = 1;
  c->tolerance = tolerance;
}

static void
leave_out (struct accscope_simt_checker *c, struct accscope_simt_hostrun *h, enum accscope_simt_uncompared why)
{
  __atomic_fetch_add (&c->looked_at.uncompared[why], 1, __ATOMIC_RELAXED);
  h->process = 0;
}

static enum accscope_simt_uncompared
reason (const struct accscope_simt_hosted *of)
{
  const uint32_t traits = RELAXED_LOAD (&of->traits);

  return traits & SIMT_PRINTS ? UNCOMPARED_PRINTS : traits & SIMT_ALLOCATES ? UNCOMPARED_ALLOCATES : traits & SIMT_OWN_VARIABLES ? UNCOMPARED_VARIABLES
	 : traits & SIMT_ORDERED ? UNCOMPARED_ORDER : UNCOMPARED_ENDED;
}

void
accscope_simt_host_begin (struct accscope_simt_operation *o, struct accscope_simt_hosted *of, void *block, size_t block_bytes, struct accscope_simt_hostrun *h)
{
  enum { AT_LEAST = 4 };
  struct accscope_simt_checker *c = o->checker;
  int sockets[2];

  *h = (struct accscope_simt_hostrun) { .of = of, .block = (uintptr_t) block, .block_bytes = block_bytes };
  if (!c->compares || !of)
    return;
  if (RELAXED_LOAD (&of->traits) & (SIMT_PRINTS | SIMT_ALLOCATES | SIMT_OWN_VARIABLES | SIMT_ORDERED | SIMT_FAILED))
    {
      leave_out (c, h, reason (of));
      return;
    }
  if (__atomic_fetch_add (&of->compared, 1, __ATOMIC_RELAXED) >= AT_LEAST && RELAXED_LOAD (&c->hosting) > 2 * RELAXED_LOAD (&c->ran) + 2000000000)
    {
      leave_out (c, h, UNCOMPARED_TIME);
      return;
    }
  h->begun = accscope_simt_nanoseconds ();
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    {
      leave_out (c, h, UNCOMPARED_PROCESS);
      return;
    }
  /* Without a signal at its end, and not one that the program's own waits find.  */
  h->process = (pid_t) syscall (SYS_clone, 0, NULL, NULL, NULL, NULL);
  if (h->process == 0)
    {
      close (sockets[0]);
      run_on_host (of->function, block, sockets[1]);
    }
  close (sockets[1]);
  h->socket = sockets[0];
  if (h->process < 0)
    {
      close (h->socket);
      leave_out (c, h, UNCOMPARED_PROCESS);
    }
  __atomic_fetch_add (&c->hosting, accscope_simt_nanoseconds () - h->begun, __ATOMIC_RELAXED);
}

/* An element by both.  */
struct pair
{
  uint64_t device, host;
  unsigned bytes;
  enum { INTEGER, REAL, EITHER } type;
};

static double
as_double (uint64_t bits, unsigned bytes)
{
  float narrow;
  double wide;

  memcpy (&narrow, &bits, sizeof narrow);
  memcpy (&wide, &bits, sizeof wide);
  return bytes == sizeof narrow ? (double) narrow : wide;
}

static double
as_integer (uint64_t bits, unsigned bytes)
{
  const unsigned up = 64 - 8 * bytes;

  return (double) ((int64_t) (bits << up) >> up);
}

/* How far apart they are.  */
enum apart { ALIKE, ROUNDED, FAR };

static enum apart
real_apart (const struct accscope_simt_checker *c, const struct pair *p, double scale)
{
  const double a = as_double (p->device, p->bytes), b = as_double (p->host, p->bytes), by = fabs (a - b), most = fmax (fabs (a), fabs (b));
  const int narrow = p->bytes == sizeof (float);

  if (isnan (a) || isnan (b))
    return isnan (a) && isnan (b) ? ALIKE : FAR;
  if (a == b)
    return ALIKE;
  if (isinf (a) || isinf (b))
    return FAR;
  if (c->tolerance >= 0)
    return by <= c->tolerance * most ? ALIKE : FAR;
  if (by <= most * (narrow ? 0x1p-13 : 0x1p-30) || by <= scale * (narrow ? 0x1p-18 : 0x1p-44))
    return ALIKE;
  /* A difference of products is rounded by their size.  */
  return by <= most * 0x1p-7 || by <= scale * fmax (scale, 1) * (narrow ? 0x1p-16 : 0x1p-40) ? ROUNDED : FAR;
}

static enum apart
apart (const struct accscope_simt_checker *c, const struct pair *p, double scale, int judges)
{
  if (p->device == p->host)
    return ALIKE;
  if (p->type != INTEGER && (p->type == REAL || real_apart (c, p, scale) == ALIKE))
    return real_apart (c, p, scale);
  if (c->tolerance < 0 && judges) /* its value may hang on how another one was rounded */
    {
      const double a = as_integer (p->device, p->bytes), b = as_integer (p->host, p->bytes);

      return fabs (a - b) <= fmax (2, 0x1p-7 * fmax (fabs (a), fabs (b))) ? ROUNDED : FAR;
    }
  return FAR;
}

/* The largest number of a type in memory that the kernel has used.  */
static double
largest (struct accscope_simt_shadow *const *list, size_t count, unsigned bytes)
{
  double most = 0;

  for (size_t n = 0; n < count; n++)
    for (size_t at = 0; at + bytes <= list[n]->bytes; at += bytes)
      {
	uint64_t bits = 0;

	memcpy (&bits, (const char *) list[n]->begin + at, bytes);
	const double value = fabs (as_double (bits, bytes));

	if (is_defined (list[n], at) && isfinite (value) && value > most)
	  most = value;
      }
  return most;
}

/* What differs by one store.  */
struct difference
{
  uint32_t site;
  struct accscope_simt_finding first;
  uint64_t elements, far;
};

#define DIFFERENCES 32

struct comparison
{
  struct accscope_simt_operation *operation;
  struct accscope_simt_hostrun *run;
  struct accscope_simt_shadow **used;
  size_t used_count;
  double scale[2];		/* of float and double; negative: not known yet */
  uint64_t written;		/* granules, by the kernel */
  struct difference of[DIFFERENCES];
  unsigned count;
};

static int
is_own (const struct comparison *k, uint32_t number)
{
  return number - k->operation->first < k->operation->count;
}

static void
differ (struct comparison *k, struct accscope_simt_shadow *s, size_t at, const struct pair *p, const struct cell *cell)
{
  const int own = is_own (k, cell->number), wide = p->bytes == 8;
  const uint32_t site = own ? cell->site : 0;
  enum apart how;
  struct difference *d;
  unsigned n = 0;

  if (p->type != INTEGER && k->scale[wide] < 0)
    k->scale[wide] = largest (k->used, k->used_count, p->bytes);
  how = apart (k->operation->checker, p, k->scale[wide], (int) (RELAXED_LOAD (&k->run->of->traits) & SIMT_JUDGES));
  if (how == ALIKE)
    return;
  while (n < k->count && k->of[n].site != site)
    n++;
  if (n == DIFFERENCES)
    return;
  d = &k->of[n];
  if (n == k->count)
    {
      k->count++;
      *d = (struct difference) { .site = site, .first = {
	.kind = FOUND_DIFFERS, .address = s->begin + at, .bytes = p->bytes, .value = p->device, .by_host = p->host, .real = p->type != INTEGER, .unequal = 1,
	.side = { .operation = SIMT_KERNEL, .kernel = k->operation->kernel, .store = 1, .correlation = k->operation->correlation,
		  .gang = cell->number - k->operation->first, .thread = UINT32_MAX } } };
      if (own)
	d->first.side.function = accscope_simt_at (site, &d->first.side.instruction);
      else
	d->first.side.gang = 0;
    }
  if (how == FAR && !d->far++)
    {
      d->first.address = s->begin + at;
      d->first.value = p->device;
      d->first.by_host = p->host;
    }
  d->elements++;
}

/* The type of what an instruction stores, and its bytes.  */
static struct pair
stored (const struct cell *c)
{
  struct pair p = { .bytes = 8, .type = EITHER };
  uint32_t number;
  const struct accscope_simt_function *f = accscope_simt_at (c->site, &number);

  if (!f)
    return p;
  const struct accscope_simt_instruction *in = &f->code[number];

  switch (in->operation)
    {
    case ST_U8: case STW_U8:
      p.bytes = 1;
      break;
    case ST_U16: case STW_U16:
      p.bytes = 2;
      break;
    case ST_U32: case STW_U32:
      p.bytes = 4;
      break;
    case ST_U64:
      break;
    default:
      p.bytes = in->meet == 4 ? 4 : 8; /* an atomic operation's */
      return p;
    }
  p.type = in->real ? REAL : INTEGER;
  return p;
}

static int
exchanges (const struct cell *c)
{
  uint32_t number;
  const struct accscope_simt_function *f = accscope_simt_at (c->site, &number);

  return f && (f->code[number].operation == ATOM_EXCH_U32 || f->code[number].operation == ATOM_EXCH_U64);
}

/* A block of both, in which they are not the same; that of the device's is where it is.  */
static void
compare_block (struct comparison *k, struct accscope_simt_shadow *s, size_t begin, size_t end, const char *host)
{
  const char *device = (const char *) s->begin + begin;

  for (size_t at = begin; at < end;)
    {
      const struct cell cell = unpacked (cell_of (s, 1, at / GRANULE), 1);
      const int own = is_own (k, cell.number);
      struct pair p = own ? stored (&cell) : (struct pair) { .bytes = GRANULE, .type = EITHER };

      if (at % p.bytes || at + p.bytes > end)
	p.bytes = at + GRANULE <= end ? GRANULE : 1;
      memcpy (&p.device, device + (at - begin), p.bytes);
      memcpy (&p.host, host + (at - begin), p.bytes);
      /* What another operation has written meanwhile, or others unseen, is none of the kernel's; what lanes
	 exchange atomically is that of whoever is last.  */
      if (!(own && exchanges (&cell)) && (own || (cell.number < k->operation->settled && !s->given_out)) && p.device != p.host
	  && !(s->begin + at < k->run->block + k->run->block_bytes && s->begin + at + p.bytes > k->run->block))
	differ (k, s, at, &p, &cell);
      at += p.bytes;
    }
}

/* Whether the kernel has written some of it.  */
static int
is_written (struct comparison *k, const struct accscope_simt_shadow *s)
{
  const uint64_t before = k->written;

  for (size_t n = 0; n * GRANULE < s->bytes; n++)
    k->written += (uint64_t) is_own (k, unpacked (cell_of (s, 1, n), 1).number);
  return k->written > before;
}

/* 0: the process has ended, or gives nothing.  */
static int
compare_allocation (struct comparison *k, struct accscope_simt_shadow *s, int64_t until)
{
  enum { AT_ONCE = 1 << 16 };
  const struct part asked = { s->begin, s->bytes };
  char host[AT_ONCE];

  if (!give_all (k->run->socket, &asked, sizeof asked))
    return 0;
  for (size_t from = 0; from < s->bytes; from += AT_ONCE)
    {
      const size_t bytes = s->bytes - from < AT_ONCE ? s->bytes - from : AT_ONCE;

      if (!take_all (k->run->socket, host, bytes, until))
	return 0;
      for (size_t at = 0; at < bytes; at += BLOCK)
	{
	  const size_t size = bytes - at < BLOCK ? bytes - at : BLOCK;

	  if (memcmp ((const char *) s->begin + from + at, host + at, size) != 0)
	    compare_block (k, s, from + at, from + at + size, host + at);
	}
    }
  return 1;
}

/* The allocations that the kernel has used, of which there are at most as many as are there.  */
static int
find_used (struct comparison *k)
{
  struct accscope_simt_checker *c = k->operation->checker;
  size_t room = 0;

  pthread_mutex_lock (&c->lock);
  for (const struct accscope_simt_shadow *s = c->shadows; s; s = s->next)
    room++;
  if ((k->used = malloc ((room + 1) * sizeof *k->used)))
    for (struct accscope_simt_shadow *s = c->shadows; s; s = s->next)
      if (RELAXED_LOAD (&s->newest) >= k->operation->first)
	k->used[k->used_count++] = s;
  pthread_mutex_unlock (&c->lock);
  return k->used != NULL;
}

static int
compare_all (struct comparison *k, int64_t until)
{
  if (!find_used (k))
    return 0;
  for (size_t n = 0; n < k->used_count; n++)
    if (is_written (k, k->used[n]) && !compare_allocation (k, k->used[n], until))
      return 0;
  return 1;
}

static void
tell_differences (struct comparison *k)
{
  struct accscope_simt_checker *c = k->operation->checker;
  const int judges = (RELAXED_LOAD (&k->run->of->traits) & SIMT_JUDGES) != 0;

  for (unsigned n = 0; n < k->count; n++)
    {
      struct difference *d = &k->of[n];

      /* Comparisons of rounded numbers may go either way, for few of many elements.  */
      d->first.later = !d->far || (c->tolerance < 0 && judges && d->elements * 64 < k->written);
      d->first.count = d->elements;
      accscope_simt_tell_of (c, &d->first);
    }
}

void
accscope_simt_host_end (struct accscope_simt_operation *o, struct accscope_simt_hostrun *h)
{
  struct accscope_simt_checker *c = o->checker;
  const uint64_t begun = accscope_simt_nanoseconds ();
  const pid_t process = h->process;

  if (process == 0)
    return;
  if (o->strayed)
    leave_out (c, h, UNCOMPARED_STRAYED);
  else
    {
      const uint64_t took = begun - h->begun;
      struct comparison k = { .operation = o, .run = h, .scale = { -1, -1 } };

      if (compare_all (&k, (int64_t) (begun + 10 * took) + 10000000000))
	{
	  tell_differences (&k);
	  __atomic_fetch_add (&c->looked_at.hosted, 1, __ATOMIC_RELAXED);
	}
      else
	{
	  __atomic_fetch_or (&h->of->traits, SIMT_FAILED, __ATOMIC_RELAXED);
	  leave_out (c, h, UNCOMPARED_ENDED);
	}
      free (k.used);
    }
  kill (process, SIGKILL);
  close (h->socket);
  while (waitpid (process, NULL, __WCLONE) < 0 && errno == EINTR)
    continue;
  __atomic_fetch_add (&c->hosting, accscope_simt_nanoseconds () - begun, __ATOMIC_RELAXED);
}
