/* What an operation of a queue does, and what it keeps of its caller's.  See queue.h.  */
#define _GNU_SOURCE
#include "queue.h"

#include <stdlib.h>
#include <string.h>

typedef struct accscope_sim_operation operation;

void
accscope_sim_fail (struct accscope_sim_stream *s, uint64_t error)
{
  uint64_t none = 0;
  __atomic_store_n (&s->latest, error, __ATOMIC_RELEASE);
  __atomic_compare_exchange_n (&s->error, &none, error, 0, __ATOMIC_ACQ_REL,
			       __ATOMIC_RELAXED);
}

/* Runs a kernel's device code.  What a fault was is kept for the Go side, which asks by
   its number.  */
static void
run_code (const operation *o, void *block, struct accscope_simt_operation *check)
{
  struct accscope_sim_device *d = o->stream->hardware->device;
  struct accscope_simt_launch launch = *(const struct accscope_simt_launch *) o->source;
  uint64_t parameter = (uintptr_t) block, number;
  struct accscope_simt_fault *more;

  launch.gangs = o->geometry.gangs;
  launch.workers = o->geometry.workers;
  launch.vector = o->geometry.vector;
  launch.parameters = &parameter;
  launch.block_bytes = o->bytes;
  launch.check = check;
  d->configuration.run (&launch);
  if (launch.fault.reason == SIMT_NONE)
    return;
  pthread_mutex_lock (&d->faulting);
  more = realloc (d->faults, (d->fault_count + 1) * sizeof *more);
  number = d->fault_count;
  if (more)
    {
      more[d->fault_count++] = launch.fault;
      d->faults = more;
    }
  pthread_mutex_unlock (&d->faulting);
  accscope_sim_fail (o->stream, more ? ACCSCOPE_SIM_ERROR (ACCSCOPE_SIM_FAULT, number) : ACCSCOPE_SIM_ERROR (ACCSCOPE_SIM_NO_MEMORY, 0));
}

/* Every launch gets its argument block as it was stored, so what a kernel has written
   into the values there is undone.  */
static void
run_kernel (const operation *o, struct accscope_simt_operation *check)
{
  void *block = (void *) o->destination;
  char few[1024], *stored = o->bytes > sizeof few ? malloc (o->bytes) : few;

  if (!stored)
    {
      accscope_sim_fail (o->stream, ACCSCOPE_SIM_ERROR (ACCSCOPE_SIM_NO_MEMORY, 0));
      return;
    }
  memcpy (stored, block, o->bytes);
  if (o->stream->hardware->device->configuration.run)
    run_code (o, block, check);
  else	/* The function is one that a compiler made.  */
    accscope_sim_run (o->stream->hardware->device, o->source, block);
  if (memcmp (stored, block, o->bytes) != 0)
    memcpy (block, stored, o->bytes);
  if (stored != few)
    free (stored);
}

static void
copy_parts (const operation *o)
{
  if (o->kind == ACCSCOPE_UPLOAD)
    accscope_gather ((const struct accscope_part *) o->source, o->parts, (char *) o->destination);
  else
    accscope_scatter ((const struct accscope_part *) o->destination, o->parts, (const char *) o->source);
}

static void
perform (const operation *o, struct accscope_simt_operation *check)
{
  if (o->parts)
    {
      copy_parts (o);
      return;
    }
  switch (o->kind)
    {
    case ACCSCOPE_KERNEL:
      run_kernel (o, check);
      break;
    case ACCSCOPE_FILL:
      memset ((void *) o->destination, (int) o->source, o->bytes);
      break;
    default:
      memmove ((void *) o->destination, (const void *) o->source, o->bytes);
    }
}

/* What a transfer does to memory that is checked.  */
static void
check_transfer (const operation *o, struct accscope_simt_operation *check)
{
  const struct accscope_sim_configuration *c = &o->stream->hardware->device->configuration;
  const struct accscope_part *part = (const struct accscope_part *) (o->kind == ACCSCOPE_DOWNLOAD ? o->destination : o->source);

  switch (o->kind)
    {
    case ACCSCOPE_KERNEL:
      break;
    case ACCSCOPE_DOWNLOAD:
      for (unsigned n = 0; n < o->parts; n++)
	c->checks->transfer (check, c->memory, 0, o->source + part[n].offset, part[n].bytes);
      if (!o->parts)
	c->checks->transfer (check, c->memory, 0, o->source, o->bytes);
      break;
    case ACCSCOPE_COPY:
      c->checks->transfer (check, c->memory, o->destination, o->source, o->bytes);
      break;
    default:
      c->checks->transfer (check, c->memory, o->destination, 0, o->bytes);
    }
}

/* Both sides have what was transferred.  */
static void
agree (const operation *o)
{
  const struct accscope_sim_configuration *c = &o->stream->hardware->device->configuration;
  const int up = o->kind == ACCSCOPE_UPLOAD;
  const uintptr_t device = up ? o->destination : o->source, host = up ? o->source : o->destination;
  const struct accscope_part *part = (const struct accscope_part *) host;

  if (!up && o->kind != ACCSCOPE_DOWNLOAD)
    return;
  for (unsigned n = 0; n < o->parts; n++)
    c->checks->same (c->memory, device + part[n].offset, (uintptr_t) part[n].host, part[n].bytes, !up);
  if (!o->parts)
    c->checks->same (c->memory, device, host, o->bytes, !up);
}

void
accscope_sim_moves (const operation *o)
{
  const struct accscope_sim_configuration *c = &o->stream->hardware->device->configuration;
  const int up = o->kind == ACCSCOPE_UPLOAD;
  const uintptr_t device = up ? o->destination : o->source;
  const struct accscope_part *part = (const struct accscope_part *) (up ? o->source : o->destination);

  for (unsigned n = 0; n < o->parts; n++)
    c->checks->moves (c->checker, c->memory, o->stamp, (enum accscope_simt_access) o->kind, o->correlation, device + part[n].offset, part[n].bytes);
  if (!o->parts)
    c->checks->moves (c->checker, c->memory, o->stamp, (enum accscope_simt_access) o->kind, o->correlation, device, o->bytes);
}

/* One on memory that is checked.  */
static void
perform_checked (const operation *o)
{
  const struct accscope_sim_configuration *c = &o->stream->hardware->device->configuration;
  struct accscope_simt_operation check = {
    .checker = c->checker, .stamp = o->stamp, .kind = (enum accscope_simt_access) o->kind, .correlation = o->correlation,
    .kernel = o->kind == ACCSCOPE_KERNEL && c->run ? ((const struct accscope_simt_launch *) o->source)->kernel : NULL
  };

  struct accscope_simt_hostrun host = { 0 };

  c->checks->begin (&check, o->kind == ACCSCOPE_KERNEL ? o->geometry.gangs : 1);
  check_transfer (o, &check);
  if (check.kernel)
    c->checks->host_begin (&check, ((const struct accscope_simt_launch *) o->source)->hosted, (void *) o->destination, o->bytes, &host);
  perform (o, &check);
  if (check.kernel)
    c->checks->host_end (&check, &host);
  agree (o);
  c->checks->end (&check);
}

void
accscope_sim_perform (const operation *o)
{
  if (o->stamp)
    perform_checked (o);
  else
    perform (o, NULL);
}

/* What the caller may change when it has submitted o: the source of a store, and the list
   of parts.  */
static size_t
contents_of (const operation *o)
{
  return o->parts ? o->parts * sizeof (struct accscope_part)
	 : o->kind == ACCSCOPE_STORE ? o->bytes : 0;
}

operation *
accscope_sim_copy (const operation *o)
{
  size_t contents = contents_of (o);
  operation *copy = malloc (sizeof *copy + contents);

  if (!copy)
    return NULL;
  *copy = *o;
  if (contents)
    {
      uintptr_t *place = o->kind == ACCSCOPE_DOWNLOAD ? &copy->destination : &copy->source;
      memcpy (copy->contents, (const void *) *place, contents);
      *place = (uintptr_t) copy->contents;
    }
  return copy;
}
