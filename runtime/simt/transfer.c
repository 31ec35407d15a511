/* What transfers do to what is known of the device's memory, and who has written a byte.  */
#include "shadow.h"

struct accscope_simt_side
accscope_simt_writer (struct accscope_simt_checker *checker, uint64_t cell)
{
  const struct cell c = unpacked (cell, 1);
  const struct known k = accscope_simt_known (checker, c.number);
  struct accscope_simt_side side = { .operation = k.kind, .kernel = k.kernel, .store = 1, .correlation = k.correlation, .gang = c.number - k.first, .thread = UINT32_MAX };

  side.function = accscope_simt_at (c.site, &side.instruction);
  return side;
}

void
accscope_simt_blame (struct accscope_simt_shadow *s, enum accscope_simt_found kind, size_t at, size_t bytes)
{
  struct accscope_simt_finding f = { .kind = kind, .address = s->begin + at, .bytes = bytes, .count = 1, .nearest = { s->begin, s->begin + s->bytes, NULL } };

  f.side = accscope_simt_writer (s->checker, cell_of (s, 1, at / GRANULE));
  if (f.side.operation == SIMT_KERNEL)
    accscope_simt_tell_of (s->checker, &f);
}

/* A hole of less than 8 bytes that begins behind a member and ends where members may begin is
   padding.  */
static int
is_padding (const struct accscope_simt_shadow *s, size_t at, size_t hole, size_t end)
{
  return hole < 8 && at % 8 != 0 && at > 0 && (at + hole) % 4 == 0 && at + hole <= end && is_defined (s, at - 1);
}

/* Bytes that come to the host, and that nothing has written.  */
static void
bring (struct accscope_simt_operation *o, const struct accscope_simt_shadow *s, size_t at, size_t bytes)
{
  const size_t end = at + bytes;

  while ((at += accscope_simt_undefined (s, at, end - at)) < end)
    {
      size_t hole = 1;

      while (at + hole < end && !is_defined (s, at + hole))
	hole++;
      if (!is_padding (s, at, hole, end))
	{
	  struct accscope_simt_finding f = {
	    .kind = FOUND_UNINITIALISED, .address = s->begin + at, .bytes = hole, .count = 1,
	    .side = { .operation = o->kind, .correlation = o->correlation, .thread = UINT32_MAX }
	  };

	  accscope_simt_tell_of (o->checker, &f);
	  return;
	}
      at += hole;
    }
}

static void
overwrite (struct accscope_simt_memory *m, uintptr_t to, size_t bytes)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, to).shadow;

  if (s && bytes <= s->bytes - (to - s->begin))
    accscope_simt_overwrite (s, to - s->begin, bytes);
}

void
accscope_simt_transfer (struct accscope_simt_operation *o, struct accscope_simt_memory *m, uintptr_t to, uintptr_t from, size_t bytes)
{
  if (to && !from)
    overwrite (m, to, bytes);
  if (from && !to)
    accscope_simt_revert (o, m, from, bytes);

  struct accscope_simt_shadow *source = from ? accscope_simt_move (o, m, from, bytes, 0) : NULL, *target = to ? accscope_simt_move (o, m, to, bytes, 1) : NULL;

  if (source && !target)
    bring (o, source, from - source->begin, bytes);
  if (!target)
    return;
  accscope_simt_taint (target, to - target->begin, bytes, o->kind == SIMT_UPLOAD);
  if (!source)
    accscope_simt_define (target, to - target->begin, bytes, 1);
  else if (accscope_simt_undefined (source, from - source->begin, bytes) == bytes)
    accscope_simt_define (target, to - target->begin, bytes, 1);
  else
    for (size_t n = 0; n < bytes; n++)
      accscope_simt_define (target, to - target->begin + n, 1, is_defined (source, from - source->begin + n));
}

void
accscope_simt_written (struct accscope_simt_memory *m, uintptr_t begin, size_t bytes)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, begin).shadow;

  if (s && bytes <= s->bytes - (begin - s->begin))
    accscope_simt_define (s, begin - s->begin, bytes, 1);
}
