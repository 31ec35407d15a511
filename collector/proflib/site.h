/* site.h - what the events of one kind, place, queue, variable and caller share,
   and the test whether an event is one of them.  */
#ifndef ACCSCOPE_SITE_H
#define ACCSCOPE_SITE_H

#include <string.h>
#include "kinds.h"
#include "proflib.h"
#if defined __SSE2__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#include <emmintrin.h>
#define COMPARE_WIDE 1
#endif

/* acc_api_info.vendor of accscope's runtime, whose texts stay what they are at
   their addresses (callbacks/cstring.go): pointers are enough to compare.  */
#define PERMANENT_TEXTS 0xacc5

/* The site of the event, new or known; null: the chunk is used up.  MISSING is
   not 0 for copies that complete () made.  After it there is room for the event
   itself.  */
struct site *site_find (struct ring *ring, const acc_prof_info *profile,
			const acc_event_info *event, const acc_api_info *api,
			unsigned missing, uint64_t caller);

/* Whether all texts of the site still read the same; they are at the addresses
   where the site's copies were made.  */
int site_same_texts (const struct site *site);

/* Whether the structs, which may be too short, are those of an event of the
   site, complete and the same but for what each event has for itself, its caller,
   and what else site->special says.  */
static ALWAYS_INLINE int
site_matches (const struct site *site, const acc_prof_info *profile,
	      const acc_event_info *event, const acc_api_info *api)
{
  /* The kind and valid_bytes first, which say how much there is to read.  Ints
     one by one: a runtime has just stored them so, and a wider load would wait
     until that is done.  */
  if (profile->event_type != site->profile.event_type
      || profile->valid_bytes != site->profile.valid_bytes
      || event->other_event.valid_bytes != site->event_bytes
      || api->valid_bytes != site->api.valid_bytes
      || profile->line_no != site->profile.line_no
      || profile->end_line_no != site->profile.end_line_no
      || profile->func_line_no != site->profile.func_line_no
      || profile->func_end_line_no != site->profile.func_end_line_no
      || (int) event->other_event.parent_construct != site->parent
      || event->other_event.implicit != site->implicit)
    return 0;
  if (site->flags & (CAPTURE_SITE_DATA | CAPTURE_SITE_LAUNCH)
      && event->data_event.var_name != site->name.given)
    return 0;
#if COMPARE_WIDE
#define LOAD(from) _mm_loadu_si128 ((const __m128i *) (const void *) (from))
#define SAME(given, own) _mm_cmpeq_epi8 (LOAD (given), LOAD (own))
  __m128i same = SAME (&profile->version, &site->profile.version);
  same = _mm_and_si128 (same, SAME (&profile->async, &site->profile.async));
  same = _mm_and_si128 (same, SAME (&profile->src_file, &site->profile.src_file));
  same = _mm_and_si128 (same, SAME (&api->device_type, &site->api.device_type));
  same = _mm_and_si128 (same, SAME (&api->context_handle, &site->api.context_handle));
  if (_mm_movemask_epi8 (same) != 0xffff)
    return 0;
  /* the pointers are the same, so the texts are where they were read before */
  same = _mm_or_si128 (SAME (site->text[0], site->head[0]), LOAD (site->behind[0]));
#pragma GCC unroll 4
  for (int i = 1; i < TEXT_BLOCKS; i++)
    same = _mm_and_si128 (same, _mm_or_si128 (SAME (site->text[i], site->head[i]),
					      LOAD (site->behind[i])));
  return _mm_movemask_epi8 (same) == 0xffff;
#undef SAME
#undef LOAD
#else
  return memcmp (&profile->version, &site->profile.version, 48) == 0
    && api->device_api == site->api.device_api
    && memcmp (&api->device_type, &site->api.device_type, 32) == 0
    && site_same_texts (site);
#endif
}

#endif
