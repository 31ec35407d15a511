/* Device code: what the text of an image names.  */
#define _GNU_SOURCE
#include "standin.h"
#include "../stamps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUfunc_st
{
  struct CUfunc_st *next;
  char *name;
  void (*code) (const uintptr_t *slots);
  int threads;
  int stamps;			/* it takes its times */
};

struct variable
{
  struct variable *next;
  char *name;
  CUdeviceptr address;
  size_t bytes;
};

struct CUmod_st
{
  struct CUfunc_st *functions;
  struct variable *variables;
};

/* A linked image is this word and the texts that were linked, so that it can be kept
   and loaded again.  */
#define LINKED "stand-in code\n"

struct CUlinkState_st
{
  struct CUmod_st *module;	/* of the texts, so that their errors are those of linking */
  char *image;
  size_t size;
  char *log;
  size_t room;
};

static void
discard (struct CUmod_st *m)
{
  while (m->functions != NULL)
    {
      struct CUfunc_st *f = m->functions;
      m->functions = f->next;
      free (f->name);
      free (f);
    }
  while (m->variables != NULL)
    {
      struct variable *v = m->variables;
      m->variables = v->next;
      pthread_mutex_lock (&standin_lock);
      standin_release (v->address);
      pthread_mutex_unlock (&standin_lock);
      free (v->name);
      free (v);
    }
  free (m);
}

EXPORT CUresult
cuLinkCreate_v2 (unsigned count, int *options, void **values, CUlinkState *state)
{
  unsigned i;

  FAULT ("cuLinkCreate_v2");
  *state = calloc (1, sizeof **state);
  if (*state == NULL || ((*state)->module = calloc (1, sizeof *(*state)->module)) == NULL
      || ((*state)->image = strdup (LINKED)) == NULL)
    abort ();
  (*state)->size = sizeof LINKED;
  for (i = 0; i < count; i++)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      (*state)->log = values[i];
    else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      (*state)->room = (size_t) values[i];
  return CUDA_SUCCESS;
}

static CUresult
line (CUlinkState state, char *text)
{
  struct CUmod_st *m = state->module;
  unsigned long address;
  char name[512];
  size_t bytes;
  int threads;

  if (sscanf (text, "// function %511s %lx %d", name, &address, &threads) == 3)
    {
      struct CUfunc_st *f = calloc (1, sizeof *f);
      if (f == NULL)
	abort ();
      f->name = strdup (name);
      f->threads = threads;
      f->code = (void (*) (const uintptr_t *)) address;
      f->next = m->functions;
      m->functions = f;
    }
  else if (sscanf (text, "// variable %511s %zu", name, &bytes) == 2)
    {
      struct variable *v = calloc (1, sizeof *v);
      if (v == NULL)
	abort ();
      v->name = strdup (name);
      v->bytes = bytes;
      pthread_mutex_lock (&standin_lock);
      v->address = standin_allocate (bytes);
      pthread_mutex_unlock (&standin_lock);
      v->next = m->variables;
      m->variables = v;
    }
  else if (sscanf (text, ".visible .entry %511s (", name) == 1
	   && strcmp (name, "accscope_clock") == 0)
    {
      struct CUfunc_st *f = calloc (1, sizeof *f);
      if (f == NULL)
	abort ();
      f->name = strdup (name);
      f->threads = 1024;
      f->next = m->functions;
      m->functions = f;
    }
  else if (sscanf (text, ".entry %511s (", name) == 1
	   && strstr (text, "%accscope_stamp,") != NULL)
    {
      struct CUfunc_st *f = m->functions;
      while (f != NULL && strcmp (f->name, name) != 0)
	f = f->next;
      if (f == NULL)
	return 218;
      f->stamps = 1;
    }
  else if (strncmp (text, "invalid ", 8) == 0)
    {
      if (state->log != NULL)
	snprintf (state->log, state->room, "%s", text + 8);
      return 218;
    }
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuLinkAddData_v2 (CUlinkState state, int type, void *data, size_t size,
		  const char *name, unsigned count, int *options, void **values)
{
  CUresult result = CUDA_SUCCESS;
  char *copy, *rest, *text;

  (void) name;
  (void) count;
  (void) options;
  (void) values;
  FAULT ("cuLinkAddData_v2");
  if (type != CU_JIT_INPUT_PTX || size == 0 || ((char *) data)[size - 1] != '\0')
    return CUDA_ERROR_INVALID_VALUE;
  copy = rest = strdup (data);
  while (result == CUDA_SUCCESS && (text = strsep (&rest, "\n")) != NULL)
    result = line (state, text);
  free (copy);
  if ((state->image = realloc (state->image, state->size + size)) == NULL)
    abort ();
  state->image[state->size - 1] = '\n';
  memcpy (state->image + state->size, data, size);
  state->size += size;
  return result;
}

EXPORT CUresult
cuLinkComplete (CUlinkState state, void **image, size_t *size)
{
  FAULT ("cuLinkComplete");
  *image = state->image;
  *size = state->size;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuLinkDestroy (CUlinkState state)
{
  discard (state->module);
  free (state->image);
  free (state);
  return CUDA_SUCCESS;
}

/* What was linked, or a text.  */
static CUresult
load (CUmodule *module, const char *image, char *log, size_t room)
{
  struct CUlinkState_st state = { .log = log, .room = room };
  CUresult result = CUDA_SUCCESS;
  char *copy, *rest, *text;

  if (strncmp (image, LINKED, strlen (LINKED)) == 0)
    image += strlen (LINKED);
  if ((state.module = calloc (1, sizeof *state.module)) == NULL
      || (copy = rest = strdup (image)) == NULL)
    abort ();
  while (result == CUDA_SUCCESS && (text = strsep (&rest, "\n")) != NULL)
    result = line (&state, text);
  free (copy);
  if (result == CUDA_SUCCESS)
    *module = state.module;
  else
    discard (state.module);
  return result;
}

EXPORT CUresult
cuModuleLoadData (CUmodule *module, const void *image)
{
  FAULT ("cuModuleLoadData");
  return load (module, image, NULL, 0);
}

EXPORT CUresult
cuModuleLoadDataEx (CUmodule *module, const void *image, unsigned count, int *options, void **values)
{
  char *log = NULL;
  size_t room = 0;
  unsigned i;

  FAULT ("cuModuleLoadDataEx");
  for (i = 0; i < count; i++)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      log = values[i];
    else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      room = (size_t) values[i];
  return load (module, image, log, room);
}

EXPORT CUresult
cuModuleUnload (CUmodule module)
{
  FAULT ("cuModuleUnload");
  discard (module);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuModuleGetFunction (CUfunction *function, CUmodule module, const char *name)
{
  FAULT ("cuModuleGetFunction");
  for (*function = module->functions; *function != NULL; *function = (*function)->next)
    if (strcmp ((*function)->name, name) == 0)
      return CUDA_SUCCESS;
  return CUDA_ERROR_NOT_FOUND;
}

EXPORT CUresult
cuModuleGetGlobal_v2 (CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
  const struct variable *v;

  FAULT ("cuModuleGetGlobal_v2");
  for (v = module->variables; v != NULL; v = v->next)
    if (strcmp (v->name, name) == 0)
      {
	*address = v->address;
	*bytes = v->bytes;
	return CUDA_SUCCESS;
      }
  return CUDA_ERROR_NOT_FOUND;
}

EXPORT CUresult
cuFuncGetAttribute (int *value, int attribute, CUfunction function)
{
  FAULT ("cuFuncGetAttribute");
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? function->threads : 0;
  return CUDA_SUCCESS;
}

/* An H200's answers: 132 multiprocessors of 2,048 threads each.  */
EXPORT CUresult
cuOccupancyMaxPotentialBlockSize (int *grid, int *block, CUfunction function,
				  CUoccupancyB2DSize dynamic, size_t shared, int limit)
{
  (void) dynamic;
  (void) shared;
  FAULT ("cuOccupancyMaxPotentialBlockSize");
  *block = limit > 0 && limit < function->threads ? limit : function->threads;
  *grid = 264;
  return CUDA_SUCCESS;
}

static void
run_kernel (struct standin_operation *o)
{
  uint64_t *stamp = o->to;

  if (stamp != NULL)
    stamp[0] = standin_time ();
  if (standin_fault ("kernel") == CUDA_SUCCESS)
    {
      /* Two gangs, the last of which ends with the kernel.  */
      if (stamp != NULL)
	stamp[ACCSCOPE_CUDA_STAMP_STRIDE / 8] = standin_time ();
      ((void (*) (const void *)) o->function) (o->from);
      if (stamp != NULL)
	stamp[ACCSCOPE_CUDA_STAMP_ENDS * ACCSCOPE_CUDA_STAMP_STRIDE / 8] = standin_time ();
    }
}

static void
run_clock (struct standin_operation *o)
{
  uint64_t time, until = standin_time () + o->bytes;

  do
    time = standin_time ();
  while (time < until);
  __atomic_store_n ((uint64_t *) o->to, time, __ATOMIC_RELEASE);
  standin_clock_ran ();
}

EXPORT CUresult
cuLaunchKernel (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
		unsigned block_x, unsigned block_y, unsigned block_z,
		unsigned shared, CUstream stream, void **parameters, void **extra)
{
  struct standin_operation o = { .run = run_kernel, .kind = STANDIN_KERNEL, .name = function->name };
  CUdeviceptr block = *(CUdeviceptr *) parameters[0];

  (void) shared;
  (void) extra;
  FAULT ("cuLaunchKernel");
  if (grid_x == 0 || grid_y != 1 || grid_z != 1 || block_z != 1
      || (uint64_t) block_x * block_y == 0
      || (uint64_t) block_x * block_y > (uint64_t) function->threads)
    return CUDA_ERROR_INVALID_VALUE;
  o.function = (CUhostFn) (uintptr_t) function->code;
  o.from = (const void *) (uintptr_t) block;
  if (function->stamps)
    o.to = (void *) (uintptr_t) *(CUdeviceptr *) parameters[1];
  if (function->code == NULL)
    {
      o.to = (void *) (uintptr_t) block;
      o.bytes = *(uint64_t *) parameters[1];	/* how long it waits */
      o.run = run_clock;
      o.kind = STANDIN_OTHER;
    }
  return standin_enqueue (stream, o);
}
