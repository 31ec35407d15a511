/* settings.c - the environment, read once when the library is loaded, because
   the program may change it at any time later.  */
#define _GNU_SOURCE
#include "proflib.h"
#include "system.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct settings settings;

static void
remember (const char *key, const char *value)
{
  size_t key_length = strlen (key), value_length = strlen (value);
  char *to = settings.facts + settings.facts_length;
  if (key_length + value_length + 2 > sizeof settings.facts - settings.facts_length)
    return;
  memcpy (to, key, key_length);
  to[key_length] = '=';
  memcpy (to + key_length + 1, value, value_length + 1);
  settings.facts_length += key_length + value_length + 2;
}

/* The variable's value; null: not set, or empty.  */
static const char *
variable (const char *name)
{
  const char *value = secure_getenv (name);
  return value && *value ? value : NULL;
}

/* A value that is not understood is left out, and "info" says so.  */
static void
reject (const char *name, const char *value)
{
  char text[512];
  if (strlen (value) + strlen (name) + 2 > sizeof text)
    value = "(too long)";
  path_append (text, 0, name, "=", value);
  remember ("rejected", text);
}

struct unit
{
  const char *suffix;
  uint64_t factor;
};

static const struct unit sizes[] = {
  { "", 1 }, { "B", 1 },
  { "K", 1u << 10 }, { "KiB", 1u << 10 }, { "kB", 1000 }, { "KB", 1000 },
  { "M", 1u << 20 }, { "MiB", 1u << 20 }, { "MB", 1000000 },
  { "G", 1u << 30 }, { "GiB", 1u << 30 }, { "GB", 1000000000 },
  { "T", (uint64_t) 1 << 40 }, { "TiB", (uint64_t) 1 << 40 },
  { NULL, 0 }
};

static const struct unit times[] = {
  { "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 },
  { "min", 60000000000 }, { "h", 3600000000000 },
  { NULL, 0 }
};

/* Reads a number with one of the units; 0 if it is none or too large.  */
static int
quantity (const char *text, const struct unit *unit, uint64_t *value)
{
  char *end;
  errno = 0;
  if (*text < '0' || *text > '9')
    return 0;
  unsigned long long number = strtoull (text, &end, 10);
  for (; !errno && unit->suffix; unit++)
    if (strcmp (end, unit->suffix) == 0 && number <= UINT64_MAX / unit->factor)
      {
	*value = number * unit->factor;
	return 1;
      }
  return 0;
}

/* Names of ACCSCOPE_EVENTS: an event's without acc_ev_; a pair's without _start
   and _end; a group.  */
static const struct { const char *name; uint64_t mask; } event_names[] = {
#define ONE(name) { #name, (uint64_t) 1 << acc_ev_##name }
#define PAIR(name) \
  { #name "_start", (uint64_t) 1 << acc_ev_##name##_start }, \
  { #name "_end", (uint64_t) 1 << acc_ev_##name##_end }, \
  { #name, (uint64_t) 3 << acc_ev_##name##_start }
#define RANGE(halves) \
  (uint64_t) (halves) << CAPTURE_KIND_RANGE_START \
    | (uint64_t) (halves) << CAPTURE_KIND_PROCESS_RANGE_START
  PAIR (device_init), PAIR (device_shutdown), ONE (runtime_shutdown),
  ONE (create), ONE (delete), ONE (alloc), ONE (free),
  PAIR (enter_data), PAIR (exit_data), PAIR (update), PAIR (compute_construct),
  PAIR (enqueue_launch), PAIR (enqueue_upload), PAIR (enqueue_download),
  PAIR (wait),
  { "range", RANGE (3) }, { "range_start", RANGE (1) }, { "range_end", RANGE (2) },
  { "frame", (uint64_t) 3 << CAPTURE_KIND_FRAME_START },
  { "frame_start", (uint64_t) 1 << CAPTURE_KIND_FRAME_START },
  { "frame_end", (uint64_t) 2 << CAPTURE_KIND_FRAME_START },
  { "mark", (uint64_t) 1 << CAPTURE_KIND_MARK },
  { "mpi", (uint64_t) 3 << CAPTURE_KIND_MPI_START },
  { "mpi_start", (uint64_t) 1 << CAPTURE_KIND_MPI_START },
  { "mpi_end", (uint64_t) 2 << CAPTURE_KIND_MPI_START },
  { "annotations", (uint64_t) 31 << CAPTURE_KIND_RANGE_START | RANGE (3) },
  { "error", (uint64_t) 1 << 63 },
  { "all", UINT64_MAX },
  { "memory", (uint64_t) 15 << acc_ev_create },
  { "data", (uint64_t) 63 << acc_ev_enter_data_start },
  { "compute", (uint64_t) 15 << acc_ev_compute_construct_start },
  { "transfers", (uint64_t) 15 << acc_ev_enqueue_upload_start },
#undef ONE
#undef PAIR
#undef RANGE
};

static int
event_mask (const char *text, uint64_t *mask)
{
  uint64_t value = *text == '-' ? UINT64_MAX : 0;
  while (*text)
    {
      int minus = *text == '-';
      text += minus;
      size_t length = strcspn (text, ",");
      size_t i, count = sizeof event_names / sizeof *event_names;
      for (i = 0; i < count; i++)
	if (strlen (event_names[i].name) == length
	    && memcmp (event_names[i].name, text, length) == 0)
	  break;
      if (i == count)
	return 0;
      value = minus ? value & ~event_names[i].mask : value | event_names[i].mask;
      text += length;
      text += *text == ',';
    }
  *mask = value;
  return 1;
}

static int
queue_list (const char *text)
{
  unsigned count = 0;
  while (*text)
    {
      char *end;
      errno = 0;
      long long queue = strtoll (text, &end, 10);
      if (errno || end == text || (*end && *end != ',')
	  || count == QUEUE_FILTER_LIMIT)
	return 0;
      settings.queue[count++] = queue;
      text = *end ? end + 1 : end;
    }
  settings.queues = count;
  return count > 0;
}

static void
read_filters (void)
{
  const char *value = variable ("ACCSCOPE_EVENTS");
  settings.event_mask = UINT64_MAX;
  if (value && event_mask (value, &settings.event_mask))
    {
      settings.filters |= CAPTURE_FILTER_EVENTS;
      remember ("events", value);
    }
  else if (value)
    reject ("ACCSCOPE_EVENTS", value);

  value = variable ("ACCSCOPE_MIN_BYTES");
  if (value && quantity (value, sizes, &settings.minimum_bytes))
    {
      settings.filters |= CAPTURE_FILTER_BYTES;
      remember ("min_bytes", value);
    }
  else if (value)
    reject ("ACCSCOPE_MIN_BYTES", value);

  value = variable ("ACCSCOPE_QUEUE");
  if (value && queue_list (value))
    {
      settings.filters |= CAPTURE_FILTER_QUEUE;
      remember ("queue", value);
    }
  else if (value)
    reject ("ACCSCOPE_QUEUE", value);
  settings.filtering
    = (settings.filters & (CAPTURE_FILTER_BYTES | CAPTURE_FILTER_QUEUE)) != 0;
}

static void
read_limits (void)
{
  const char *value = variable ("ACCSCOPE_CAPTURE_LIMIT");
  settings.limit_bytes = (uint64_t) 1 << 30;
  if (value && !quantity (value, sizes, &settings.limit_bytes))
    reject ("ACCSCOPE_CAPTURE_LIMIT", value);

  value = variable ("ACCSCOPE_CAPTURE_WAIT");
  settings.hasty = value && strcmp (value, "off") == 0;
  if (value && !settings.hasty && strcmp (value, "on") != 0)
    reject ("ACCSCOPE_CAPTURE_WAIT", value);

  value = variable ("ACCSCOPE_LAST");
  if (value && quantity (value, times, &settings.last_nanoseconds))
    settings.filters |= CAPTURE_FLIGHT_TIME;
  else if (value && quantity (value, sizes, &settings.last_bytes))
    settings.filters |= CAPTURE_FLIGHT_BYTES;
  else if (value)
    reject ("ACCSCOPE_LAST", value);
  if (settings.filters & (CAPTURE_FLIGHT_TIME | CAPTURE_FLIGHT_BYTES))
    remember ("last", value);
}

void
settings_read (void)
{
  const char *value = variable ("ACCSCOPE_CAPTURE");
  settings.armed = !value || strcmp (value, "off") != 0;
  if (value && settings.armed && strcmp (value, "on") != 0)
    reject ("ACCSCOPE_CAPTURE", value);

  value = variable ("ACCSCOPE_CALLSTACK");
  settings.stack = STACK_CALLER;
  if (value && strcmp (value, "off") == 0)
    settings.stack = STACK_OFF;
  else if (value && strcmp (value, "full") == 0)
    settings.stack = STACK_FULL;
  else if (value && strcmp (value, "caller") != 0)
    reject ("ACCSCOPE_CALLSTACK", value);

  value = variable ("ACCSCOPE_HASH");
  settings.hash = value && strcmp (value, "on") == 0;
  if (settings.hash)
    remember ("hash", value);
  else if (value && strcmp (value, "off") != 0)
    reject ("ACCSCOPE_HASH", value);

  value = variable ("ACCSCOPE_ACTIVITY");
  settings.activity = ACTIVITY_AUTO;
  if (value && strcmp (value, "off") == 0)
    settings.activity = ACTIVITY_OFF;
  else if (value && strcmp (value, "runtime") == 0)
    settings.activity = ACTIVITY_RUNTIME;
  else if (value && strcmp (value, "auto") != 0 && strcmp (value, "cupti") != 0)
    reject ("ACCSCOPE_ACTIVITY", value);
  value = variable ("ACCSCOPE_CUPTI");
  if (value)
    path_append (settings.cupti, 0, value);

  if (!getcwd (settings.directory, sizeof settings.directory))
    path_append (settings.directory, 0, ".");
  remember ("directory", settings.directory);
  value = variable ("ACCSCOPE_SESSION");
  if (value)
    path_append (settings.session, 0, *value == '/' ? "" : settings.directory,
		 *value == '/' ? "" : "/", value);
  read_filters ();
  read_limits ();

  static const char *const kept[] = {
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE", "PMIX_RANK", "PMI_RANK",
    "PMI_SIZE", "PMI_JOBID", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID",
    "SLURM_STEP_ID", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_JOB_ID",
    "JOB_COMPLETION_INDEX", "TRACEPARENT", "TRACESTATE",
  };
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if ((value = variable (kept[i])))
      remember (kept[i], value);
}
