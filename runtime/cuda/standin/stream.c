/* Streams and events.  */
#define _GNU_SOURCE
#include "standin.h"

#include <stdlib.h>
#include <time.h>

static const struct standin_observer *observer;	/* atomic */
static CUstream streams;
static uint64_t places;

void
standin_observe (const struct standin_observer *next)
{
  __atomic_store_n (&observer, next, __ATOMIC_RELEASE);
}

/* It counts from another moment than the host's.  */
uint64_t
standin_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (now.tv_sec + 86400) * (uint64_t) 1000000000 + now.tv_nsec;
}

static void run_record (struct standin_operation *o);

static void
run (CUstream s, struct standin_operation *o)
{
  const struct standin_observer *told = __atomic_load_n (&observer, __ATOMIC_ACQUIRE);
  struct standin_ran ran = { o->kind, o->correlation, s->device, s->number, o->bytes, o->name };
  uint64_t start;

  if (told == NULL || o->correlation == 0)
    {
      o->run (o);
      return;
    }
  start = told->now ();
  o->run (o);
  told->ran (&ran, start, told->now ());
}

/* standin_lock is held.  */
static void
forget (struct standin_recording *r)
{
  if (r != NULL && --r->references == 0)
    free (r);
}

static void *
work (void *argument)
{
  CUstream s = argument;

  pthread_setname_np (pthread_self (), "standin-stream");
  pthread_mutex_lock (&standin_lock);
  for (;;)
    {
      struct standin_operation *o = s->first;
      int lost;
      if (o == NULL)
	{
	  if (s->closing)
	    break;
	  pthread_cond_wait (&standin_progress, &standin_lock);
	  continue;
	}
      lost = standin_lost != CUDA_SUCCESS;
      pthread_mutex_unlock (&standin_lock);
      if (o->earliest < s->ended)
	o->earliest = s->ended;
      if (!lost)
	run (s, o);
      if (o->run != run_record)
	s->ended = standin_time ();
      pthread_mutex_lock (&standin_lock);
      if (o->run == run_record && !lost)
	o->recording->done = 1;	/* no earlier: a stream is idle behind its last event */
      if ((s->first = o->next) == NULL)
	s->last = &s->first;
      forget (o->recording);
      free (o);
      s->finished++;
      pthread_cond_broadcast (&standin_progress);
    }
  pthread_mutex_unlock (&standin_lock);
  return NULL;
}

EXPORT CUresult
cuStreamCreate (CUstream *stream, unsigned flags)
{
  static uint32_t numbers = 6;
  CUstream s = calloc (1, sizeof *s);

  (void) flags;
  if (s == NULL)
    abort ();
  s->last = &s->first;
  s->number = __atomic_add_fetch (&numbers, 1, __ATOMIC_RELAXED);
  s->device = standin_device ();
  *stream = s;
  FAULT ("cuStreamCreate");
  if (pthread_create (&s->thread, NULL, work, s) != 0)
    return 999;
  pthread_mutex_lock (&standin_lock);
  s->other = streams;
  streams = s;
  pthread_mutex_unlock (&standin_lock);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuStreamDestroy_v2 (CUstream s)
{
  CUstream *link;

  pthread_mutex_lock (&standin_lock);
  s->closing = 1;
  pthread_cond_broadcast (&standin_progress);
  pthread_mutex_unlock (&standin_lock);
  pthread_join (s->thread, NULL);
  pthread_mutex_lock (&standin_lock);
  for (link = &streams; *link != s; link = &(*link)->other)
    ;
  *link = s->other;
  pthread_mutex_unlock (&standin_lock);
  free (s);
  return standin_fault ("cuStreamDestroy_v2");
}

CUresult
standin_enqueue (CUstream s, struct standin_operation operation)
{
  const struct standin_observer *told = __atomic_load_n (&observer, __ATOMIC_ACQUIRE);
  struct standin_operation *o = malloc (sizeof *o);

  if (o == NULL)
    abort ();
  *o = operation;
  if (told != NULL && o->kind != STANDIN_OTHER)
    o->correlation = told->enqueued (o->kind);
  o->next = NULL;
  o->earliest = standin_time ();
  pthread_mutex_lock (&standin_lock);
  o->place = ++places;
  *s->last = o;
  s->last = &o->next;
  s->submitted++;
  pthread_cond_broadcast (&standin_progress);
  pthread_mutex_unlock (&standin_lock);
  return CUDA_SUCCESS;
}

void
standin_drain (void)
{
  uint64_t last = places;
  CUstream s = streams;

  while (s != NULL)
    if (s->first != NULL && s->first->place <= last)
      {
	pthread_cond_wait (&standin_progress, &standin_lock);
	s = streams;		/* which may be others now */
      }
    else
      s = s->other;
}

EXPORT CUresult
cuStreamQuery (CUstream s)
{
  int busy;

  FAULT ("cuStreamQuery");
  pthread_mutex_lock (&standin_lock);
  busy = s->finished != s->submitted;
  pthread_mutex_unlock (&standin_lock);
  return busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

EXPORT CUresult
cuStreamSynchronize (CUstream s)
{
  uint64_t number;

  FAULT ("cuStreamSynchronize");
  pthread_mutex_lock (&standin_lock);
  for (number = s->submitted; s->finished < number;)
    pthread_cond_wait (&standin_progress, &standin_lock);
  pthread_mutex_unlock (&standin_lock);
  return standin_fault ("");
}

EXPORT CUresult
cuEventCreate (CUevent *event, unsigned flags)
{
  FAULT ("cuEventCreate");
  *event = calloc (1, sizeof **event);
  if (*event == NULL)
    abort ();
  (*event)->timed = !(flags & CU_EVENT_DISABLE_TIMING);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuEventDestroy_v2 (CUevent event)
{
  pthread_mutex_lock (&standin_lock);
  forget (event->last);
  pthread_mutex_unlock (&standin_lock);
  free (event);
  return CUDA_SUCCESS;
}

static __thread int clock_ran;	/* as the last operation but events of this stream's */

void
standin_clock_ran (void)
{
  clock_ran = 1;
}

/* The device records an event as soon as it has come so far, however late this
   thread is.  */
static void
run_record (struct standin_operation *o)
{
  int64_t late = clock_ran ? standin_fault ("late") * INT64_C (1000000) : 0;

  clock_ran = 0;
  o->recording->time = (int64_t) o->earliest + late;
}

/* standin_lock is held.  */
static void
wait_for (const struct standin_recording *r)
{
  while (!r->done && standin_lost == CUDA_SUCCESS)
    pthread_cond_wait (&standin_progress, &standin_lock);
}

static void
run_wait (struct standin_operation *o)
{
  pthread_mutex_lock (&standin_lock);
  wait_for (o->recording);
  pthread_mutex_unlock (&standin_lock);
}

EXPORT CUresult
cuEventRecord (CUevent event, CUstream stream)
{
  struct standin_operation o = { .run = run_record };

  FAULT ("cuEventRecord");
  o.recording = calloc (1, sizeof *o.recording);
  if (o.recording == NULL)
    abort ();
  o.recording->references = 2;
  pthread_mutex_lock (&standin_lock);
  forget (event->last);
  event->last = o.recording;
  pthread_mutex_unlock (&standin_lock);
  return standin_enqueue (stream, o);
}

EXPORT CUresult
cuStreamWaitEvent (CUstream stream, CUevent event, unsigned flags)
{
  struct standin_operation o = { .run = run_wait };

  (void) flags;
  FAULT ("cuStreamWaitEvent");
  pthread_mutex_lock (&standin_lock);
  if ((o.recording = event->last) != NULL)
    o.recording->references++;
  pthread_mutex_unlock (&standin_lock);
  return o.recording == NULL ? CUDA_SUCCESS : standin_enqueue (stream, o);
}

EXPORT CUresult
cuEventQuery (CUevent event)
{
  int busy;

  FAULT ("cuEventQuery");
  pthread_mutex_lock (&standin_lock);
  busy = event->last != NULL && !event->last->done;
  pthread_mutex_unlock (&standin_lock);
  return busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

EXPORT CUresult
cuEventSynchronize (CUevent event)
{
  struct standin_recording *r;

  FAULT ("cuEventSynchronize");
  pthread_mutex_lock (&standin_lock);
  if ((r = event->last) != NULL)
    {
      r->references++;
      wait_for (r);
      forget (r);
    }
  pthread_mutex_unlock (&standin_lock);
  return standin_fault ("");
}

EXPORT CUresult
cuEventElapsedTime (float *milliseconds, CUevent start, CUevent end)
{
  CUresult result = CUDA_SUCCESS;

  FAULT ("cuEventElapsedTime");
  if (!start->timed || !end->timed || start->last == NULL || end->last == NULL)
    return 400;
  pthread_mutex_lock (&standin_lock);
  if (start->last->done && end->last->done)
    *milliseconds = (end->last->time - start->last->time) / 1e6;
  else
    result = CUDA_ERROR_NOT_READY;
  pthread_mutex_unlock (&standin_lock);
  return result;
}

static void
run_host (struct standin_operation *o)
{
  o->function (o->to);
}

EXPORT CUresult
cuLaunchHostFunc (CUstream stream, CUhostFn function, void *argument)
{
  struct standin_operation o = { .run = run_host, .function = function, .to = argument };

  FAULT ("cuLaunchHostFunc");
  return standin_enqueue (stream, o);
}

static void
run_wait_value (struct standin_operation *o)
{
  struct timespec moment = { 0, 100000 };

  while (__atomic_load_n ((uint32_t *) o->to, __ATOMIC_ACQUIRE) != (uint32_t) o->value
	 && standin_lost == CUDA_SUCCESS)
    nanosleep (&moment, NULL);
}

EXPORT CUresult
cuStreamWaitValue32_v2 (CUstream stream, CUdeviceptr word, uint32_t value, unsigned flags)
{
  struct standin_operation o = { .run = run_wait_value, .to = (void *) (uintptr_t) word,
				 .value = (int) value };

  return flags == 1 ? standin_enqueue (stream, o) : CUDA_ERROR_INVALID_VALUE;
}
