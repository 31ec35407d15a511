/* How C calls the driver: in the device's context, with no answer left.  A part of cuda.h,
   which has the device.  */
#ifndef ACCSCOPE_CUDA_CALLS_H
#define ACCSCOPE_CUDA_CALLS_H

#define ANSWER(function, value) \
  ((struct accscope_cuda_answer) { .result = (value), .call = #function })
#define SUCCESS ((struct accscope_cuda_answer) { .result = CUDA_SUCCESS, .call = NULL })
/* Calls a function of the driver.  */
#define CALL(device, function, ...) \
  ANSWER (function, (device)->cuda->function (__VA_ARGS__))
#define FAILED(answer) ((answer).result != CUDA_SUCCESS)

/* Takes the answer of a call that gives something back, or puts something back: where it
   fails nothing can be done, and the first failure is told when the device is closed.  */
static inline void
accscope_cuda_given_back (struct accscope_cuda_device *d, struct accscope_cuda_answer a)
{
  const char *none = NULL;

  if (FAILED (a) && __atomic_compare_exchange_n (&d->given_back.call, &none, a.call, 0,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    d->given_back.result = a.result;
}

/* Takes the answer of what only measures: where it fails, a time is not known.  Nothing is
   lost: an error that a device does not recover from is the answer of all that follows, of
   the program's operations and of what gives back.  */
static inline void
accscope_cuda_untimed (struct accscope_cuda_answer a)
{
  (void) a;
}

#define GIVE_BACK(device, function, ...) \
  accscope_cuda_given_back (device, CALL (device, function, __VA_ARGS__))

/* The context that was current before, to be put back: a program may use several
   devices through CUDA itself.  */
struct accscope_cuda_entered
{
  struct accscope_cuda_device *device;
  CUcontext before;
};

static inline struct accscope_cuda_entered
accscope_cuda_enter (struct accscope_cuda_device *device)
{
  CUcontext before;

  if (device->cuda->cuCtxGetCurrent (&before) != CUDA_SUCCESS)
    before = NULL;
  /* The calls that follow fail, then, and say so: not if they were made in another
     device's context.  */
  if (before != device->context
      && device->cuda->cuCtxSetCurrent (device->context) != CUDA_SUCCESS && before != NULL)
    GIVE_BACK (device, cuCtxSetCurrent, NULL);
  return (struct accscope_cuda_entered) { device, before };
}

static inline void
accscope_cuda_leave (const struct accscope_cuda_entered *e)
{
  if (e->before != NULL && e->before != e->device->context)
    GIVE_BACK (e->device, cuCtxSetCurrent, e->before);
}

static inline pthread_mutex_t *
accscope_cuda_lock (pthread_mutex_t *mutex)
{
  pthread_mutex_lock (mutex);
  return mutex;
}

static inline void
accscope_cuda_unlock (pthread_mutex_t *const *mutex)
{
  pthread_mutex_unlock (*mutex);
}

/* Up to the end of the block the device's context is current, or the mutex locked.  */
#define ENTERED(device)							\
  const struct accscope_cuda_entered entered				\
    __attribute__ ((cleanup (accscope_cuda_leave))) = accscope_cuda_enter (device)
#define LOCKED(mutex)							\
  pthread_mutex_t *const locked						\
    __attribute__ ((cleanup (accscope_cuda_unlock))) = accscope_cuda_lock (mutex)

#endif
