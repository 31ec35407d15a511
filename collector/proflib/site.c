/* site.c - the sites and contexts of a chunk: tables of the ring that are compared
   whole, their strings by content, because a runtime may reuse a pointer.  */
#include "site.h"

_Static_assert (sizeof (acc_prof_info) == 72 && sizeof (acc_api_info) == 40
		&& sizeof (struct capture_context) % 8 == 0
		&& sizeof (struct capture_site) % 8 == 0,
		"a context covers both structs");
_Static_assert (CAPTURE_CHUNK_LARGE / sizeof (struct capture_site)
		<= CAPTURE_SITE_LIMIT, "a chunk's sites have numbers");

/* The entry's text becomes TEXT; its number in the chunk, or NO_SPACE.  */
static uint32_t
text_define (struct ring *ring, struct site_text *entry, const char *text)
{
  entry->given = text;
  entry->copy = NULL;
  entry->length = 0;
  return text ? intern (ring, text, &entry->copy, &entry->length) : 0;
}

static int
same_text (const struct site_text *site)
{
  return !site->given || strcmp (site->given, site->copy) == 0;
}

int
site_same_texts (const struct site *site)
{
  return same_text (&site->name) && same_text (&site->file)
    && same_text (&site->function);
}

static const char nothing[TEXT_BLOCK];

/* The site's blocks FIRST to FIRST + COUNT - 1 become those of the text.  */
static void
blocks_define (struct site *site, const struct site_text *text, unsigned first,
	       unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    {
      const char *at = text->given ? text->given + i * TEXT_BLOCK : nothing;
      size_t begin = i * TEXT_BLOCK;
      size_t bytes = text->given ? text->length + 1 : 0;
      size_t left = bytes > begin ? bytes - begin : 0;
      if (left == 0)
	at = nothing;
      /* All is read at once, and only within the page where the text begins: a
	 shorter one at the same place may be the last of what is mapped.  */
      if ((left && ((uintptr_t) text->given & (PAGE - 1))
	   > PAGE - (i + 1) * TEXT_BLOCK)
	  || (i == count - 1 && left > TEXT_BLOCK))
	site->special |= SITE_LONG_TEXT;
      if (left > TEXT_BLOCK)
	left = TEXT_BLOCK;
      memset (site->head[first + i], 0, TEXT_BLOCK);
      if (left)
	memcpy (site->head[first + i], text->copy + begin, left);
      memset (site->behind[first + i], 0, left);
      memset (site->behind[first + i] + left, 255, TEXT_BLOCK - left);
      site->text[first + i] = at;
    }
}

static void
context_key (uint64_t key[CONTEXT_WORDS], const acc_prof_info *profile,
	     const acc_api_info *api, uint32_t file, uint32_t function)
{
  memcpy (key, profile, sizeof *profile);
  memcpy (key + 9, api, sizeof *api);
  key[0] = (uint64_t) (uint32_t) profile->valid_bytes;	/* not the kind */
  key[5] = file;
  key[6] = function;
}

/* The number of the context, written to the chunk if it is new.  FILE and
   FUNCTION are strings of the chunk.  The caller has seen to the room.  */
static uint32_t
context_of (struct ring *ring, const acc_prof_info *profile,
	    const acc_api_info *api, uint32_t file, uint32_t function)
{
  uint64_t key[CONTEXT_WORDS], hash = 0;
  context_key (key, profile, api, file, function);
  for (int i = 0; i < CONTEXT_WORDS; i++)
    hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15u;
  struct context_entry *entry = &ring->context[(hash >> 40) % CONTEXT_ENTRIES];
  if (entry->chunk == ring->chunks && memcmp (entry->key, key, sizeof key) == 0)
    return entry->number;
  struct capture_context *context = (void *) ring->position;
  record_head (&context->record, CAPTURE_RECORD_CONTEXT, 0, sizeof *context);
  context->number = ++ring->contexts;
  context->version = profile->version;
  context->device_type = profile->device_type;
  context->device_number = profile->device_number;
  context->thread_id = profile->thread_id;
  context->line = profile->line_no;
  context->end_line = profile->end_line_no;
  context->function_line = profile->func_line_no;
  context->function_end = profile->func_end_line_no;
  context->profile_bytes = profile->valid_bytes;
  context->async = profile->async;
  context->async_queue = profile->async_queue;
  context->source_file = file;
  context->function = function;
  context->api = api->device_api;
  context->api_bytes = api->valid_bytes;
  context->api_device_type = api->device_type;
  context->vendor = api->vendor;
  context->device_handle = (uintptr_t) api->device_handle;
  context->context_handle = (uintptr_t) api->context_handle;
  context->async_handle = (uintptr_t) api->async_handle;
  ring->position += sizeof *context;
  memcpy (entry->key, key, sizeof key);
  entry->chunk = ring->chunks;
  entry->number = context->number;
  ring->context_new = 1;
  return context->number;
}

static const char *
name_of (const acc_event_info *event, unsigned group)
{
  if (!group)
    return NULL;
  return group & CAPTURE_SITE_ERROR ? event->error_event.error_message
    : event->data_event.var_name;
}

/* Whether structs that are complete, or copies that are, are of an event of the
   site.  */
static int
matches (const struct site *site, const acc_prof_info *profile,
	 const acc_event_info *event, const acc_api_info *api, unsigned flags,
	 const char *name, uint64_t caller)
{
  return site->flags == flags && site->caller == caller
    && site->event_bytes == event->other_event.valid_bytes
    && site->parent == (int) event->other_event.parent_construct
    && site->implicit == event->other_event.implicit
    && site->name.given == name
    && memcmp (&site->profile, profile, sizeof *profile) == 0
    && memcmp (&site->api, api, sizeof *api) == 0
    && site_same_texts (site);
}

static uint16_t
special (unsigned flags, const acc_prof_info *profile, const acc_event_info *event)
{
  unsigned special = 0;
  if (flags >> 8 || flags & CAPTURE_SITE_ERROR || settings.stack == STACK_FULL)
    special |= SITE_OTHER;
  if (flags & CAPTURE_SITE_LAUNCH
      && event->other_event.valid_bytes >= DIMENSION_BYTES
      && event->other_event.valid_bytes <= PLAUSIBLE_BYTES)
    special |= SITE_DIMENSIONS;
  if (settings.stack == STACK_CALLER && !profile->src_file)
    special |= SITE_UNWIND;
  if (is_kind (enqueue_kinds, profile->event_type))
    special |= SITE_ENQUEUE;
  if (is_kind (device_kinds, profile->event_type))
    special |= SITE_DEVICE;
  if (profile->event_type == acc_ev_wait_end)
    special |= SITE_WAIT;
  return (uint16_t) special;
}

static struct site *
define (struct ring *ring, struct site *site, const acc_prof_info *profile,
	const acc_event_info *event, const acc_api_info *api, unsigned flags,
	const char *name, uint64_t caller)
{
  site->special = SITE_OTHER;	/* in case that there is no room */
  uint32_t text = text_define (ring, &site->name, name);
  uint32_t file = text == NO_SPACE ? NO_SPACE
    : text_define (ring, &site->file, profile->src_file);
  uint32_t function = file == NO_SPACE ? NO_SPACE
    : text_define (ring, &site->function, profile->func_name);
  if (function == NO_SPACE || ring->position >= ring->limit)
    return NULL;
  uint32_t context = context_of (ring, profile, api, file, function);
  struct capture_site *record = (void *) ring->position;
  record_head (&record->record, CAPTURE_RECORD_SITE, flags, sizeof *record);
  record->number = ++ring->sites;
  record->context = context;
  record->kind = profile->event_type;
  record->parent = event->other_event.parent_construct;
  record->implicit = event->other_event.implicit;
  record->event_bytes = event->other_event.valid_bytes;
  record->name = text;
  record->zero = 0;
  ring->position += sizeof *record;

  site->profile = *profile;
  site->api = *api;
  site->event_bytes = event->other_event.valid_bytes;
  site->parent = event->other_event.parent_construct;
  site->implicit = event->other_event.implicit;
  site->caller = caller;
  site->next = &ring->none;
  site->told = 0;
  site->special = special (flags, profile, event);
  blocks_define (site, &site->file, 0, 2);
  blocks_define (site, &site->function, 2, 1);
  blocks_define (site, &site->name, 3, 1);
  if (api->vendor == PERMANENT_TEXTS)
    site->special &= ~SITE_LONG_TEXT;
  if (site->special & SITE_LONG_TEXT	/* site_same_texts () compares them */
      || api->vendor == PERMANENT_TEXTS)
    for (unsigned i = 0; i < TEXT_BLOCKS; i++)
      {
	site->text[i] = nothing;
	memset (site->behind[i], 255, TEXT_BLOCK);
      }
  memset (site->word, 0, sizeof site->word);
  site->correlation = site->step = 0;
  site->dimensions = NULL;
  site->stack = NULL;
  site->depth = 0;
  site->walk.words = 0;
  site->number = (uint16_t) record->number;
  site->flags = flags;
  return site;
}

struct site *
site_find (struct ring *ring, const acc_prof_info *profile,
	   const acc_event_info *event, const acc_api_info *api,
	   unsigned missing, uint64_t caller)
{
  int kind = profile->event_type;
  unsigned group = group_of (kind);
  const char *name = name_of (event, group);
  unsigned flags = missing | group
    | (is_kind (start_kinds, kind) ? CAPTURE_SITE_START : 0)
    | (is_kind (end_kinds, kind) ? CAPTURE_SITE_END : 0);
  uint64_t hash = (uint64_t) (unsigned) kind + ((uint64_t) (unsigned) profile->line_no << 8);
  hash = (hash ^ (uintptr_t) name) * 0x9e3779b97f4a7c15u;
  /* which tells places apart whose lines are found later (accscope_names.h) */
  hash = (hash ^ hash >> 32 ^ (uintptr_t) profile->src_file) * 0x94d049bb133111ebu;
  hash = (hash ^ hash >> 32 ^ caller) * 0xff51afd7ed558ccdu;
  hash = (hash ^ hash >> 32 ^ (uint64_t) profile->async_queue) * 0xc2b2ae3d27d4eb4fu;
  hash ^= hash >> 29;
  uint32_t tag = (uint32_t) (hash >> 32) | 1;
  unsigned first = (unsigned) (hash % (SITE_ENTRIES / SITE_WAYS)) * SITE_WAYS;
  unsigned chosen = first + ring->sites % SITE_WAYS;	/* if none is free */
  for (unsigned i = first; i < first + SITE_WAYS; i++)
    if (ring->site_tag[i] == 0)
      chosen = i;
    else if (ring->site_tag[i] == tag
	     && matches (&ring->site[i], profile, event, api, flags, name, caller))
      return &ring->site[i];
  if (&ring->site[chosen] == ring->last)	/* what comes after it is to be kept */
    chosen = first + (chosen - first + 1) % SITE_WAYS;
  ring->site_tag[chosen] = 0;
  struct site *site = define (ring, &ring->site[chosen], profile, event, api,
			      flags, name, caller);
  if (site)
    ring->site_tag[chosen] = tag;
  return site;
}
