/* intern.c - strings of a chunk, interned by content: a runtime may use one
   pointer for several strings, or several for one.  Each chunk defines the
   strings that it uses, so that it can be read alone.  */
#include "proflib.h"
#include <string.h>

static uint64_t
content_hash (const char *text, size_t length)
{
  uint64_t hash = length * 0x9e3779b97f4a7c15u + 1;
  while (length >= 8)
    {
      uint64_t word;
      memcpy (&word, text, 8);
      hash = (hash ^ word) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
      text += 8;
      length -= 8;
    }
  for (; length; length--)
    hash = (hash ^ (unsigned char) *text++) * 0x100000001b3u;
  return hash ^ hash >> 29;
}

/* The number of TEXT in the ring's chunk, written there if it is new; NO_SPACE
   if the chunk is used up.  COPY gets the chunk's copy, LENGTH its length.  After
   a new string the chunk has RECORD_ROOM left.  */
uint32_t
intern (struct ring *ring, const char *text, const char **copy,
	uint32_t *copy_length)
{
  size_t length = strnlen (text, CAPTURE_STRING_LIMIT + 1);
  int cut = length > CAPTURE_STRING_LIMIT;
  if (cut)
    length = CAPTURE_STRING_LIMIT;
  *copy_length = (uint32_t) length;
  uint64_t hash = content_hash (text, length);
  struct content_entry *entry = NULL;
  for (unsigned i = 0; i < 4; i++)
    {
      entry = &ring->content[(hash + i) % CONTENT_ENTRIES];
      if (entry->chunk != ring->chunks)
	break;
      if (entry->hash == hash && entry->length == length && !cut
	  && memcmp (entry->copy, text, length) == 0)
	{
	  *copy = entry->copy;
	  return entry->number;
	}
    }

  size_t bytes = (sizeof (struct capture_string) + length + 1 + 7) & ~(size_t) 7;
  struct capture_string *record = ring_room (ring, bytes + RECORD_ROOM);
  if (!record)
    return NO_SPACE;
  record_head (&record->record, CAPTURE_RECORD_STRING,
	       cut ? CAPTURE_STRING_CUT : 0, bytes);
  record->number = ++ring->strings;
  record->length = (uint32_t) length;
  memcpy (record->text, text, length);
  memset (record->text + length, 0, bytes - sizeof *record - length);
  ring->position += bytes;
  *copy = record->text;
  if (!cut)
    {
      entry->chunk = ring->chunks;
      entry->copy = record->text;
      entry->length = (uint32_t) length;
      entry->number = record->number;
      entry->hash = hash;
    }
  return record->number;
}
