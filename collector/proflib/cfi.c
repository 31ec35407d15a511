/* cfi.c - call frame information: .eh_frame_hdr finds a function's entry,
   whose instructions up to an address say how its frame is left (Linux Standard
   Base 5.0, section 10.6; DWARF 4, section 6.4).  A test holds the rules to those
   of runtime/source/cfi.  */
#include "cfi.h"

#include <stddef.h>
#include <string.h>

/* DWARF numbers of registers: System V ABI, AMD64 supplement, figure 3.36; DWARF
   for the Arm 64-bit Architecture, section 4.1.  */
#if defined __aarch64__
#define SP 31
#define BP 29
#define RA 30			/* the link register */
#else
#define SP 7
#define BP 6
#define RA 16
#endif

struct reader
{
  const uint8_t *at, *end;
  int bad;
};

static uint64_t
bytes (struct reader *r, unsigned size)
{
  uint64_t value = 0;

  if ((size_t) (r->end - r->at) < size)
    {
      r->bad = 1;
      r->at = r->end;
      return 0;
    }
  memcpy (&value, r->at, size);
  r->at += size;
  return value;
}

/* The bits of a LEB128 number, and how many there are.  */
static uint64_t
leb (struct reader *r, unsigned *bits)
{
  uint64_t value = 0, byte;

  *bits = 0;
  do
    {
      byte = bytes (r, 1);
      if (*bits < 64)
	value |= (byte & 0x7f) << *bits;
      *bits += 7;
    }
  while (byte & 0x80);
  return value;
}

static uint64_t
unsigned_leb (struct reader *r)
{
  unsigned bits;

  return leb (r, &bits);
}

static int64_t
signed_leb (struct reader *r)
{
  unsigned bits;
  uint64_t value = leb (r, &bits);

  if (bits < 64 && value >> (bits - 1))
    value |= -(uint64_t) 1 << bits;
  return (int64_t) value;
}

static unsigned
encoded_size (unsigned encoding)
{
  switch (encoding & 7)
    {
    case 0: case 4: return 8;
    case 2: return 2;
    case 3: return 4;
    }
  return 0;
}

/* A pointer in one of the encodings that are absolute or relative to itself. */
static uint64_t
encoded (struct reader *r, unsigned encoding)
{
  uint64_t here = (uintptr_t) r->at;
  unsigned size = encoded_size (encoding);
  uint64_t value = bytes (r, size);

  if (size == 0 || ((encoding & 0x70) != 0 && (encoding & 0x70) != 0x10))
    {
      r->bad = 1;
      return 0;
    }
  if ((encoding & 8) && size < 8 && (value >> (8 * size - 1)))
    value |= -(uint64_t) 1 << (8 * size);
  return value + ((encoding & 0x70) == 0x10 ? here : 0);
}

/* One entry of .eh_frame: its length, then its contents.  */
static int
entry (struct reader *r, const uint8_t *at)
{
  uint32_t length;

  memcpy (&length, at, sizeof length);
  if (length == 0 || length >= 0xfffffff0u)
    return -1;
  *r = (struct reader) { at + 4, at + 4 + length, 0 };
  return 0;
}

/* Finds the entry whose function starts last at or before ADDRESS.  */
static const uint8_t *
find (const uint8_t *header, uint64_t address)
{
  uint32_t count, low = 0;
  const uint8_t *table = header + 12;

  /* version, and the encodings that every linker writes */
  if (header[0] != 1 || header[1] != 0x1b || header[2] != 0x03
      || header[3] != 0x3b)
    return NULL;
  memcpy (&count, header + 8, sizeof count);
  uint32_t high = count;
  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;
      int32_t start;
      memcpy (&start, table + 8 * (size_t) middle, sizeof start);
      if ((uintptr_t) header + (int64_t) start <= address)
	low = middle + 1;
      else
	high = middle;
    }
  if (low == 0)
    return NULL;
  int32_t offset;
  memcpy (&offset, table + 8 * (size_t) (low - 1) + 4, sizeof offset);
  return header + offset;
}

struct common
{
  struct reader instructions;
  uint64_t code_factor;
  int64_t data_factor;
  unsigned encoding;
  int augmented;
};

static int
read_common (struct common *c, const uint8_t *at)
{
  struct reader r;

  if (entry (&r, at) < 0 || bytes (&r, 4) != 0)
    return -1;
  unsigned version = (unsigned) bytes (&r, 1);
  const char *augmentation = (const char *) r.at;
  size_t length = strnlen (augmentation, (size_t) (r.end - r.at));
  r.at += length;
  bytes (&r, 1);
  c->code_factor = unsigned_leb (&r);
  c->data_factor = signed_leb (&r);
  uint64_t ra = version == 1 ? bytes (&r, 1) : unsigned_leb (&r);
  if (r.bad || (version != 1 && version != 3) || ra != RA)
    return -1;
  c->encoding = 0;
  c->augmented = 0;
  if (length > 0)
    {
      if (*augmentation != 'z')
	return -1;
      c->augmented = 1;
      uint64_t size = unsigned_leb (&r);
      if (size > (uint64_t) (r.end - r.at))
	return -1;
      const uint8_t *next = r.at + size;
      for (size_t i = 1; i < length; i++)
	switch (augmentation[i])
	  {
	  case 'R': c->encoding = (unsigned) bytes (&r, 1); break;
	  case 'L': bytes (&r, 1); break;
	  case 'P':
	    {
	      unsigned encoding = (unsigned) bytes (&r, 1);
	      if (encoded_size (encoding) == 0)
		return -1;
	      bytes (&r, encoded_size (encoding));
	      break;
	    }
#if defined __aarch64__
	  case 'B': break;	/* by which key return addresses are signed */
#endif
	  case 'S': return -1;	/* a signal handler's frame */
	  default: return -1;
	  }
      r.at = next;
    }
  c->instructions = r;
  return r.bad ? -1 : 0;
}

struct state
{
  uint64_t base;		/* register; 0: an expression */
  int64_t offset;
  int64_t bp;			/* where it is saved; 0: unchanged */
  int64_t ra;			/* the same; 0: in its register */
  int bp_lost, ended;
};

#define STATES 8

static void
saved (struct state *s, uint64_t number, int64_t offset)
{
  if (number == BP)
    {
      s->bp = offset;
      s->bp_lost = 0;
    }
  else if (number == RA)
    {
      s->ra = offset;
      s->ended = 0;
    }
}

static void
restored (struct state *s, const struct state *initial, uint64_t number)
{
  if (number == BP)
    {
      s->bp = initial->bp;
      s->bp_lost = initial->bp_lost;
    }
  else if (number == RA)
    {
      s->ra = initial->ra;
      s->ended = initial->ended;
    }
}

/* Runs instructions up to ADDRESS.  */
static int
run (struct state *s, const struct state *initial, const struct common *c,
     struct reader r, uint64_t location, uint64_t address)
{
  struct state kept[STATES];
  unsigned depth = 0;

  while (r.at < r.end && !r.bad)
    {
      unsigned op = (unsigned) bytes (&r, 1);
      uint64_t number, advance = 0;
      switch (op & 0xc0)
	{
	case 0x40: advance = op & 0x3f; break;
	case 0x80:
	  saved (s, op & 0x3f, (int64_t) unsigned_leb (&r) * c->data_factor);
	  continue;
	case 0xc0: restored (s, initial, op & 0x3f); continue;
	default:
	  switch (op)
	    {
	    case 0x00: continue;
	    case 0x01:
	      location = encoded (&r, c->encoding);
	      if (location > address)
		return r.bad ? -1 : 0;
	      continue;
	    case 0x02: advance = bytes (&r, 1); break;
	    case 0x03: advance = bytes (&r, 2); break;
	    case 0x04: advance = bytes (&r, 4); break;
	    case 0x05:
	      number = unsigned_leb (&r);
	      saved (s, number, (int64_t) unsigned_leb (&r) * c->data_factor);
	      continue;
	    case 0x11:
	      number = unsigned_leb (&r);
	      saved (s, number, signed_leb (&r) * c->data_factor);
	      continue;
	    case 0x2f:
	      number = unsigned_leb (&r);
	      saved (s, number, -(int64_t) unsigned_leb (&r) * c->data_factor);
	      continue;
	    case 0x06: restored (s, initial, unsigned_leb (&r)); continue;
	    case 0x07:		/* undefined */
	      number = unsigned_leb (&r);
	      if (number == RA)
		s->ended = 1;	/* the outermost function */
	      else if (number == BP)
		s->bp_lost = 1;
	      continue;
	    case 0x08:		/* the same value */
	      number = unsigned_leb (&r);
	      if (number == BP)
		s->bp = s->bp_lost = 0;
	      else if (number == RA)
		s->ra = s->ended = 0;
	      continue;
	    case 0x09: case 0x14: case 0x15:	/* elsewhere */
	      number = unsigned_leb (&r);
	      unsigned_leb (&r);
	      s->bp_lost |= number == BP;
	      s->ended |= number == RA;
	      continue;
	    case 0x0a:
	      if (depth == STATES)
		return -1;
	      kept[depth++] = *s;
	      continue;
	    case 0x0b:
	      if (depth == 0)
		return -1;
	      *s = kept[--depth];
	      continue;
	    case 0x0c:
	      s->base = unsigned_leb (&r);
	      s->offset = (int64_t) unsigned_leb (&r);
	      continue;
	    case 0x12:
	      s->base = unsigned_leb (&r);
	      s->offset = signed_leb (&r) * c->data_factor;
	      continue;
	    case 0x0d: s->base = unsigned_leb (&r); continue;
	    case 0x0e: s->offset = (int64_t) unsigned_leb (&r); continue;
	    case 0x13: s->offset = signed_leb (&r) * c->data_factor; continue;
	    case 0x0f: case 0x10: case 0x16:	/* expressions */
	      number = op == 0x0f ? SP : unsigned_leb (&r);
	      if (op == 0x0f)
		s->base = 0;
	      s->bp_lost |= number == BP;
	      s->ended |= number == RA;
	      number = unsigned_leb (&r);
	      if (number > (uint64_t) (r.end - r.at))
		return -1;
	      r.at += number;
	      continue;
	    case 0x2e: unsigned_leb (&r); continue;
#if defined __aarch64__
	    case 0x2d: continue;	/* the return address is signed, or not */
#endif
	    default: return -1;
	    }
	}
      location += advance * c->code_factor;
      if (location > address)
	break;
    }
  return r.bad ? -1 : 0;
}

int
cfi_rule_at (struct cfi_rule *rule, const void *header, uint64_t address)
{
  const uint8_t *at = find (header, address);
  struct common common;
  struct reader r;

  if (!at || entry (&r, at) < 0)
    return -1;
  const uint8_t *here = r.at;
  uint32_t back = (uint32_t) bytes (&r, 4);
  if (back == 0 || read_common (&common, here - back) < 0)
    return -1;
  uint64_t start = encoded (&r, common.encoding);
  uint64_t length = encoded (&r, common.encoding & 0x0f);
  if (r.bad || address < start || address - start >= length)
    return -1;
  if (common.augmented)
    {
      uint64_t size = unsigned_leb (&r);
      if (size > (uint64_t) (r.end - r.at))
	return -1;
      r.at += size;
    }

  struct state initial = { 0 }, state;
  if (run (&initial, &initial, &common, common.instructions, 0,
	   UINT64_MAX) < 0)
    return -1;
  state = initial;
  if (run (&state, &initial, &common, r, start, address) < 0)
    return -1;
#if !defined __aarch64__
  if (state.ra != -8)
    return -1;			/* not left by a return */
#endif
  /* Who called something has put the link register away.  */
  if (state.ended || (state.base != SP && state.base != BP)
      || state.bp_lost || state.ra == 0 || state.ra != (int32_t) state.ra
      || state.offset != (int32_t) state.offset
      || state.bp != (int32_t) state.bp)
    return -1;
  rule->base = state.base == SP ? CFI_SP : CFI_BP;
  rule->offset = (int32_t) state.offset;
  rule->saved_bp = (int32_t) state.bp;
  rule->saved_ra = (int32_t) state.ra;
  return 0;
}
