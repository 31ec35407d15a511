/* The times that operations take where they are modelled.  See queue.h.  */
#include "queue.h"

static int64_t
later (int64_t a, int64_t b)
{
  return a > b ? a : b;
}

void
accscope_sim_perform_modelled (struct accscope_sim_hardware *q, const struct accscope_sim_operation *o, int64_t *start, int64_t *end)
{
  struct accscope_sim_device *d = q->device;
  const struct accscope_sim_configuration *c = &d->configuration;
  *start = later (o->submitted, q->model_end);
  if (o->kind == ACCSCOPE_UPLOAD || o->kind == ACCSCOPE_DOWNLOAD)
    {
      double seconds = (double) o->bytes / c->bandwidth[o->kind];
      pthread_mutex_lock (&d->links);
      *start = later (*start, d->link_free[o->kind]);
      *end = *start + c->latency[o->kind] + (int64_t) (seconds * 1e9);
      d->link_free[o->kind] = *end;
      pthread_mutex_unlock (&d->links);
      accscope_sim_perform (o);
    }
  else if (c->card && o->kind == ACCSCOPE_KERNEL)
    {
      double share = 0;
      int64_t takes;

      pthread_mutex_lock (&d->modelling);
      accscope_sim_model_begin (d, o->source, o->geometry);
      accscope_sim_perform (o);
      takes = accscope_sim_model_end (d, o->source, o->geometry, &share);
      d->busy_until = later (d->busy_until, *start) + (int64_t) ((double) takes * share);
      *end = later (*start + takes, d->busy_until);
      pthread_mutex_unlock (&d->modelling);
    }
  else if (c->card)
    {
      *end = *start + c->latency[o->kind] + (int64_t) ((double) o->bytes / c->bandwidth[o->kind] * 1e9);
      accscope_sim_perform (o);
    }
  else
    {
      int64_t before = accscope_sim_monotonic ();
      accscope_sim_perform (o);
      *end = *start + c->latency[o->kind] + (accscope_sim_monotonic () - before);
    }
  q->model_end = *end;
  accscope_sim_sleep_until (d, *end);
}
