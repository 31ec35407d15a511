/* content.c - hashes of the bytes that transfers move, on the host's side, so that a
   reader can tell what was sent again, or came back, unchanged (format.h, struct
   capture_content).

   What an upload sends is hashed before it is enqueued.  What a download brings is there
   when the host has waited for it: at the end of a wait for its queue or, on the
   synchronous queue, of its construct, before the program goes on and may change it.
   Until then the download stands in a table of the process.  A program can learn without
   an event that a download is done, and change the data before it comes to the wait: a
   runtime has to say so (accscope_activity.h, learned), or nothing asynchronous is hashed.
   Nor are transfers of memory that another download is still writing to.  */
#define _GNU_SOURCE
#include "complete.h"
#include "kinds.h"
#include "proflib.h"
#include "system.h"
#include "xxh.h"
#include <sys/auxv.h>
#include <sys/uio.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22	/* Linux 5.14 */
#endif

#define DOWNLOADS 1024		/* waited for at one time; more are not hashed */
#define FREE 0u
#define CHANGING 1u
#define SYNCHRONOUS ((uint64_t) 1 << 62)	/* plus the thread */
#define ASYNCHRONOUS ((uint64_t) 1 << 63)	/* plus device and queue */

struct download
{
  uint64_t key;			/* atomic: whose end it waits for; FREE; CHANGING */
  uint64_t host, bytes;		/* atomic */
  uint64_t thread, sequence;
  uint64_t overwritten;
  uint64_t learned;
  uint64_t generation;
  uint32_t armed;
  uint32_t flags;		/* CAPTURE_CONTENT_* */
};
static struct download downloads[DOWNLOADS];
static uint32_t reached;	/* atomic: entries from here on were never used */
static uint32_t waiting;	/* atomic: entries that are not free */

static uint64_t page_size;
static int populates;		/* MADV_POPULATE_READ tells what can be read */

/* -- reading the program's memory */

static long
populate (uint64_t from, uint64_t to)
{
  long result;
  int attempts = 0;
  do
    result = SYSTEM3 (SYS_madvise, from, to - from, MADV_POPULATE_READ);
  while ((result == -EINTR || result == -EAGAIN) && ++attempts < 1000);
  return result;
}

void
content_prepare (void)
{
  page_size = getauxval (AT_PAGESZ);
  if (page_size < PAGE)
    page_size = PAGE;
  uint64_t page = (uintptr_t) &control & -page_size;
  /* An emulator may take any advice and do nothing: it says so of address 0 too.  */
  populates = settings.hash && populate (page, page + page_size) == 0
    && populate (0, page_size) != 0;
}

/* Has the kernel read a byte of each page, many at a time.  */
static int
probe (uint64_t from, uint64_t to)
{
  enum { MOST = 64 };
  char bytes[MOST];
  struct iovec pages[MOST], local = { bytes, 0 };
  while (from < to)
    {
      unsigned count = 0;
      for (; count < MOST && from < to; from += page_size)
	pages[count++] = (struct iovec) { (void *) from, 1 };
      local.iov_len = count;
      if (system_call (SYS_process_vm_readv, system_pid (), (long) &local, 1,
		       (long) pages, count, 0) != (long) count)
	return 0;
    }
  return 1;
}

/* Whether the memory can be read: all pages are there afterwards, unless another thread
   takes them away.  Memory of a device's driver that has no pages of the kernel's is left
   alone: to read it may be slow.  */
static int
readable (uint64_t host, uint64_t bytes)
{
  uint64_t from = host & -page_size, to = (host + bytes + page_size - 1) & -page_size;
  return populates ? populate (from, to) == 0 : probe (from, to);
}

static int
hash (uint64_t host, uint64_t bytes, uint64_t *value)
{
  if (!readable (host, bytes))
    return 0;
  *value = xxh ((const void *) (uintptr_t) host, bytes);
  return 1;
}

/* -- downloads that are under way */

static uint64_t
learned (void)
{
  return device_activity->learned ();
}

static int
learning_is_told (void)
{
  return device_activity
    && device_activity->size >= offsetof (struct accscope_activity, learned)
				+ sizeof device_activity->learned
    && local_generation () == 1;	/* a child's runtime may not be there */
}

static uint64_t
key_of_queue (const acc_prof_info *profile)
{
  return ASYNCHRONOUS | (uint64_t) (profile->device_type & 0x7fff) << 47
    | (uint64_t) (profile->device_number & 0x7fff) << 32
    | (uint32_t) profile->async_queue;
}

static int
synchronous (const acc_prof_info *profile)
{
  return profile->async_queue == acc_async_sync;
}

/* Takes an entry with this key out of the table.  */
static int
claim (struct download *download, uint64_t key)
{
  return __atomic_compare_exchange_n (&download->key, &key, CHANGING, 0,
				      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void
release (struct download *download)
{
  __atomic_store_n (&download->key, FREE, __ATOMIC_RELEASE);
  __atomic_fetch_sub (&waiting, 1, __ATOMIC_RELAXED);
}

static uint32_t
entries (void)
{
  if (LIKELY (__atomic_load_n (&waiting, __ATOMIC_ACQUIRE) == 0))
    return 0;
  uint32_t count = __atomic_load_n (&reached, __ATOMIC_ACQUIRE);
  return count < DOWNLOADS ? count : DOWNLOADS;
}

static int
current (const struct download *download, uint64_t key)
{
  return download->generation == local_generation ()
    && download->armed == __atomic_load_n (&control.process.armed, __ATOMIC_RELAXED)
    && (!(key & ASYNCHRONOUS)
	|| (learning_is_told () && download->learned == learned ()));
}

/* Whether a download that is not known to be done writes to this memory.  It is given up
   if another download REPLACES what it brings, or if it has been done for some time.  */
static int
under_way (uint64_t host, uint64_t bytes, int replaces)
{
  int found = 0;
  for (uint32_t i = 0, count = entries (); i < count; i++)
    {
      struct download *download = &downloads[i];
      uint64_t key = __atomic_load_n (&download->key, __ATOMIC_ACQUIRE);
      if (key <= CHANGING
	  || __atomic_load_n (&download->host, __ATOMIC_RELAXED) >= host + bytes
	  || host >= __atomic_load_n (&download->host, __ATOMIC_RELAXED)
		     + __atomic_load_n (&download->bytes, __ATOMIC_RELAXED))
	continue;
      found = 1;
      if (claim (download, key))
	{
	  if (replaces || !current (download, key))
	    release (download);
	  else
	    __atomic_store_n (&download->key, key, __ATOMIC_RELEASE);
	}
    }
  return found;
}

/* Notes that a download is to be hashed when what KEY says has ended.  */
static void
note (uint64_t key, const struct download *download)
{
  for (uint32_t i = 0; i < DOWNLOADS; i++)
    {
      struct download *entry = &downloads[i];
      uint64_t host = download->host, bytes = download->bytes;
      if (__atomic_load_n (&entry->key, __ATOMIC_RELAXED) != FREE || !claim (entry, FREE))
	continue;
      __atomic_fetch_add (&waiting, 1, __ATOMIC_RELAXED);
      uint32_t used = __atomic_load_n (&reached, __ATOMIC_RELAXED);
      while (used <= i
	     && !__atomic_compare_exchange_n (&reached, &used, i + 1, 0,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
	;
      __atomic_store_n (&entry->host, host, __ATOMIC_RELAXED);
      __atomic_store_n (&entry->bytes, bytes, __ATOMIC_RELAXED);
      entry->thread = download->thread;
      entry->sequence = download->sequence;
      entry->overwritten = download->overwritten;
      entry->learned = download->learned;
      entry->generation = download->generation;
      entry->armed = download->armed;
      entry->flags = download->flags;
      __atomic_store_n (&entry->key, key, __ATOMIC_RELEASE);
      return;
    }
}

/* -- records */

static int
append (struct ring *ring, const struct download *transfer, uint64_t value, uint64_t now)
{
  struct capture_content *record
    = record_begin (ring, CAPTURE_RECORD_CONTENT, transfer->flags, sizeof *record);
  if (!record)
    return -1;
  record->ticks = now;
  record->thread = transfer->thread;
  record->sequence = transfer->sequence;
  record->hash = value;
  record->overwritten = transfer->overwritten;
  return record_end (ring, sizeof *record);
}

/* Without space for it, the transfer is one without a hash.  */
static void
tell (const struct download *transfer, uint64_t value)
{
  uint64_t now = ticks_now ();
  struct ring *ring = ring_begin (now);
  if (!ring)
    return;
  if (append (ring, transfer, value, now) < 0 && ring_more (ring, now) == 0)
    append (ring, transfer, value, now);
  ring_end (ring);
}

/* What KEY says has ended: its downloads have arrived.  */
static void
arrived (uint64_t key)
{
  for (uint32_t i = 0, count = entries (); i < count; i++)
    {
      struct download *download = &downloads[i];
      uint64_t value;
      if (__atomic_load_n (&download->key, __ATOMIC_ACQUIRE) != key || !claim (download, key))
	continue;
      if (current (download, key) && hash (download->host, download->bytes, &value))
	tell (download, value);
      release (download);
    }
}

/* -- the callbacks */

/* Records the event, if it is wanted; whether it was, and then its place.  */
static int
record (acc_prof_info *profile, acc_event_info *event, acc_api_info *api,
	struct download *transfer)
{
  struct ring *ring = ring_self;
  uint64_t sequence = ring ? ring->sequence : 0;
  if (!(settings.event_mask & event_bit (profile->event_type)))
    return 0;
  if (settings.filtering)
    record_filtered (profile, event, api);
  else
    record_callback (profile, event, api);
  ring = ring_self;
  if (!ring || ring->busy || ring->sequence != sequence + 1)
    return 0;
  transfer->thread = ring->thread;
  transfer->sequence = sequence;
  return 1;
}

static int
complete_structs (const acc_prof_info *profile, const acc_event_info *event, int needed)
{
  return profile && event && profile->valid_bytes >= PROFILE_BYTES
    && event->other_event.valid_bytes >= needed
    && __atomic_load_n (&control.process.armed, __ATOMIC_RELAXED) & 1;
}

/* Whether the event is of a transfer that can be hashed and will be recorded.  */
static int
hashable (const acc_prof_info *profile, const acc_event_info *event,
	  const acc_api_info *api, struct download *transfer)
{
  if (!complete_structs (profile, event, DATA_BYTES)
      || !(settings.event_mask & event_bit (profile->event_type))
      || (settings.filtering && filtered (profile, event, api)))
    return 0;
  *transfer = (struct download) {
    .host = (uintptr_t) event->data_event.host_ptr, .bytes = event->data_event.bytes,
    .generation = local_generation (),
    .armed = __atomic_load_n (&control.process.armed, __ATOMIC_RELAXED)
  };
  return transfer->host && transfer->bytes
    && transfer->bytes <= INT64_MAX - page_size
    && transfer->host <= UINT64_MAX - page_size - transfer->bytes;
}

static void
upload (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  struct download transfer;
  uint64_t value;
  int known = hashable (profile, event, api, &transfer)
    && !under_way (transfer.host, transfer.bytes, 0)
    && hash (transfer.host, transfer.bytes, &value);
  if (profile && record (profile, event, api, &transfer) && known)
    tell (&transfer, value);
}

static void
download (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  struct download transfer;
  int wanted = hashable (profile, event, api, &transfer);
  if (wanted && !under_way (transfer.host, transfer.bytes, 1)
      && hash (transfer.host, transfer.bytes, &transfer.overwritten))
    transfer.flags = CAPTURE_CONTENT_OVERWRITTEN;
  if (!profile || !record (profile, event, api, &transfer) || !wanted)
    return;
  /* The process's first event has begun the capture.  */
  transfer.generation = local_generation ();
  transfer.armed = __atomic_load_n (&control.process.armed, __ATOMIC_RELAXED);
  int told = learning_is_told ();
  if (synchronous (profile))
    {
      /* A routine's end is no event: who tells of learning waits by events.  */
      if (told || event->data_event.parent_construct != acc_construct_runtime_api)
	note (SYNCHRONOUS | transfer.thread, &transfer);
    }
  else if (told && profile->async_queue >= 0)
    {
      transfer.learned = learned ();
      if (transfer.learned != UINT64_MAX)
	note (key_of_queue (profile), &transfer);
    }
}

/* A wait or a construct of the thread ends.  */
static void
end (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  struct download unused;
  if (!profile)
    return;
  record (profile, event, api, &unused);
  if (!complete_structs (profile, event, OTHER_BYTES))
    return;
  if (!synchronous (profile))
    {
      if (profile->event_type == acc_ev_wait_end)
	arrived (key_of_queue (profile));
    }
  else if (ring_self && !ring_self->busy)
    arrived (SYNCHRONOUS | ring_self->thread);
}

acc_callback
content_callback (int kind)
{
  switch (kind)
    {
    case acc_ev_enqueue_upload_start:
      return upload;
    case acc_ev_enqueue_download_start:
      return download;
    case acc_ev_wait_end:
    case acc_ev_update_end:
    case acc_ev_exit_data_end:
    case acc_ev_compute_construct_end:
      return end;
    }
  return NULL;
}
