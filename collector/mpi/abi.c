/* abi.c - the part that is compiled for one MPI: Open MPI's mpi.h or MPICH's.

   The library lies in processes that load no MPI as well, or another one: so nothing
   that it uses of MPI has to be there.  */
#include "abi.h"
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#ifdef OPEN_MPI
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_datatype_null
#pragma weak OMPI_C_MPI_COMM_NULL_COPY_FN
#pragma weak OMPI_C_MPI_WIN_NULL_COPY_FN
#pragma weak ompi_mpi_win_null
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_group_null
extern int mpi_fortran_in_place_;
#pragma weak mpi_fortran_in_place_
/* One that no other MPI has.  */
#define OURS (&ompi_mpi_comm_world)
#define LOADED accscope_openmpi_loaded
#define ANOTHER_LOADED accscope_mpich_loaded
#define FORTRAN_IN_PLACE (&mpi_fortran_in_place_)
#define DESCRIBED_IN_PLACE FORTRAN_IN_PLACE
#define IGNORED_IN_F08(status) 0	/* Fortran's interfaces have one MPI_STATUS_IGNORE */
#else
extern int MPIR_Dup_fn (MPI_Comm, int, void *, void *, void *, int *);
#pragma weak MPIR_Dup_fn
#define OURS (&MPIR_Dup_fn)
#define LOADED accscope_mpich_loaded
#define ANOTHER_LOADED accscope_openmpi_loaded
extern void *MPIR_F_MPI_IN_PLACE;
#pragma weak MPIR_F_MPI_IN_PLACE
#define FORTRAN_IN_PLACE (&MPIR_F_MPI_IN_PLACE ? MPIR_F_MPI_IN_PLACE : NULL)
extern int MPIR_F08_MPI_IN_PLACE;
#pragma weak MPIR_F08_MPI_IN_PLACE
#define DESCRIBED_IN_PLACE (&MPIR_F08_MPI_IN_PLACE)
#if MPICH_NUMVERSION >= 30200000
#pragma weak MPI_F08_STATUS_IGNORE
#define IGNORED_IN_F08(status) \
  (&MPI_F08_STATUS_IGNORE && (const void *) (status) == MPI_F08_STATUS_IGNORE)
#else
#define IGNORED_IN_F08(status) 0
#endif
#endif
#pragma weak MPI_F_STATUS_IGNORE
#pragma weak PMPI_Status_f2c
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Initialized
#pragma weak PMPI_Finalized
#pragma weak PMPI_Comm_f2c
#pragma weak PMPI_Type_f2c
#pragma weak PMPI_Request_f2c
#pragma weak PMPI_Win_f2c
#pragma weak PMPI_Win_get_group
#pragma weak PMPI_Win_create_keyval
#pragma weak PMPI_Win_get_attr
#pragma weak PMPI_Win_set_attr
#pragma weak PMPI_Group_rank
#pragma weak PMPI_Comm_size
#pragma weak PMPI_Comm_group
#pragma weak PMPI_Comm_test_inter
#pragma weak PMPI_Comm_remote_group
#pragma weak PMPI_Group_size
#pragma weak PMPI_Group_translate_ranks
#pragma weak PMPI_Group_free
#pragma weak PMPI_Comm_create_keyval
#pragma weak PMPI_Comm_get_attr
#pragma weak PMPI_Comm_set_attr
#pragma weak PMPI_Type_size
#pragma weak PMPI_Get_count

/* What is known of a communicator or window, an attribute of it.  */
struct known
{
  struct abi_group all;
  int world[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;
static int window_keyval = MPI_KEYVAL_INVALID;

/* How many communicators, or windows, of the same processes there are.  */
static struct same { uint32_t hash, count; } *sames;
static unsigned same_count;

/* Begins of the hashes of these.  */
enum { OF_COMMUNICATOR = 2166136261u, OF_WINDOW = 2166136259u };

int LOADED (void);
__attribute__ ((weak)) int ANOTHER_LOADED (void);

__attribute__ ((visibility ("default"))) int
LOADED (void)
{
  return OURS != NULL;
}

int
abi_concerned (void)
{
  return OURS != NULL || !ANOTHER_LOADED || !ANOTHER_LOADED ();
}

int
abi_active (void)
{
  int yes = 0, over = 0;
  if (OURS == NULL || !PMPI_Initialized || !PMPI_Finalized
      || PMPI_Initialized (&yes) != MPI_SUCCESS || PMPI_Finalized (&over) != MPI_SUCCESS)
    return 0;
  return yes && !over;
}

static int
is_fortran (enum language language)
{
  return language == LANGUAGE_FORTRAN || language == LANGUAGE_DESCRIPTORS;
}

#define HANDLE_OF(name, type, of_fortran) \
  static type \
  name (intptr_t handle, enum language language) \
  { \
    if (is_fortran (language)) \
      return of_fortran (*(const MPI_Fint *) handle); \
    return language == LANGUAGE_C_ADDRESS ? *(const type *) handle : (type) handle; \
  }
HANDLE_OF (communicator_of, MPI_Comm, PMPI_Comm_f2c)
HANDLE_OF (window_of, MPI_Win, PMPI_Win_f2c)

/* A number for the processes of the list, and for which of several communicators or
   windows of the same ones this is: each process meets them in the same order where their
   first calls are collective.  LOCK is held.  */
static int32_t
number_of (const int *world, int size, uint32_t begin)
{
  uint32_t hash = begin;
  for (int i = 0; i < size; i++)
    hash = (hash ^ (uint32_t) world[i]) * 16777619u;
  unsigned i = 0;
  while (i < same_count && sames[i].hash != hash)
    i++;
  if (i == same_count)
    {
      struct same *more = realloc (sames, (same_count + 1) * sizeof *more);
      if (!more)
	return (int32_t) (hash >> 1) | 2;
      sames = more;
      sames[same_count++] = (struct same) { hash, 0 };
    }
  hash = (hash ^ ++sames[i].count) * 16777619u;
  return (int32_t) (hash >> 1) | 2;
}

/* The processes of a group, which is given back.  Null: nothing can be found out.  */
static struct known *
learn (MPI_Group group, struct abi_group all)
{
  MPI_Group world;
  struct known *known = NULL;
  if (PMPI_Group_size (group, &all.size) == MPI_SUCCESS
      && PMPI_Comm_group (MPI_COMM_WORLD, &world) == MPI_SUCCESS)
    {
      int *ranks = malloc ((size_t) all.size * sizeof *ranks);
      known = malloc (sizeof *known + (size_t) all.size * sizeof *known->world);
      for (int i = 0; ranks && i < all.size; i++)
	ranks[i] = i;
      if (!ranks || !known
	  || PMPI_Group_translate_ranks (group, all.size, ranks, world, known->world) != MPI_SUCCESS)
	{
	  free (known);
	  known = NULL;
	}
      else
	{
	  known->all = all;
	  known->all.world = known->world;
	}
      free (ranks);
      PMPI_Group_free (&world);
    }
  PMPI_Group_free (&group);
  return known;
}

static struct known *
learn_communicator (MPI_Comm communicator)
{
  MPI_Group group;
  struct abi_group all = { 0 };
  if (PMPI_Comm_rank (communicator, &all.rank) != MPI_SUCCESS
      || PMPI_Comm_test_inter (communicator, &all.inter) != MPI_SUCCESS
      || (all.inter ? PMPI_Comm_remote_group (communicator, &group)
	  : PMPI_Comm_group (communicator, &group)) != MPI_SUCCESS)
    return NULL;
  struct known *known = learn (group, all);
  if (known && communicator != MPI_COMM_WORLD)
    known->all.number = communicator == MPI_COMM_SELF ? 1
      : number_of (known->world, known->all.size, OF_COMMUNICATOR);
  return known;
}

static struct known *
learn_window (MPI_Win window)
{
  MPI_Group group;
  struct abi_group all = { 0 };
  if (PMPI_Win_get_group (window, &group) != MPI_SUCCESS)
    return NULL;
  if (PMPI_Group_rank (group, &all.rank) != MPI_SUCCESS)
    {
      PMPI_Group_free (&group);
      return NULL;
    }
  struct known *known = learn (group, all);
  if (known)
    known->all.number = number_of (known->world, known->all.size, OF_WINDOW);
  return known;
}

static struct abi_group
all_of (const struct known *known)
{
  return known ? known->all : (struct abi_group) { 0 };
}

/* What is known of a communicator, or of a window: an attribute of it from its first call
   on, which goes with it.  */
#define KNOWN(kind, type, handle_of, null, Kind, no_copy, learn, key) \
  static int \
  forget_##kind (type of, int which, void *value, void *state) \
  { \
    (void) of; \
    (void) which; \
    (void) state; \
    free (value); \
    return MPI_SUCCESS; \
  } \
  struct abi_group \
  abi_##kind (intptr_t handle, enum language language) \
  { \
    type of = handle_of (handle, language); \
    struct known *known = NULL; \
    int found = 0; \
    if (of == null) \
      return all_of (NULL); \
    pthread_mutex_lock (&lock); \
    if (key != MPI_KEYVAL_INVALID \
	|| PMPI_##Kind##_create_keyval (no_copy, forget_##kind, &key, NULL) == MPI_SUCCESS) \
      if (PMPI_##Kind##_get_attr (of, key, &known, &found) == MPI_SUCCESS && !found \
	  && (known = learn (of)) && PMPI_##Kind##_set_attr (of, key, known) != MPI_SUCCESS) \
	{ \
	  free (known); \
	  known = NULL; \
	} \
    pthread_mutex_unlock (&lock); \
    return all_of (known); \
  }
KNOWN (communicator, MPI_Comm, communicator_of, MPI_COMM_NULL, Comm, MPI_COMM_NULL_COPY_FN,
       learn_communicator, keyval)
KNOWN (window, MPI_Win, window_of, MPI_WIN_NULL, Win, MPI_WIN_NULL_COPY_FN, learn_window,
       window_keyval)

int
abi_in_place (intptr_t buffer, enum language language)
{
  const void *in_place = language == LANGUAGE_DESCRIPTORS ? DESCRIBED_IN_PLACE
    : language == LANGUAGE_FORTRAN ? FORTRAN_IN_PLACE : MPI_IN_PLACE;
  if (language == LANGUAGE_DESCRIPTORS)
    buffer = *(const intptr_t *) buffer;	/* CFI_cdesc_t begins with base_addr */
  return in_place && (const void *) buffer == in_place;
}

int64_t
abi_peer (const struct abi_group *group, int rank)
{
  if (rank == MPI_ANY_SOURCE)
    return ANY_SOURCE;
  if (rank < 0)
    return NO_PEER;
  return rank < group->size ? group->world[rank] : rank;
}

static int64_t
size_of (MPI_Datatype type)
{
  int size = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size (type, &size) != MPI_SUCCESS
      || size == MPI_UNDEFINED)
    return 0;
  return size;
}

int64_t
abi_size (intptr_t handle, enum language language)
{
  if (is_fortran (language))
    return size_of (PMPI_Type_f2c (*(const MPI_Fint *) handle));
  return size_of ((MPI_Datatype) handle);
}

int64_t
abi_size_at (intptr_t types, int index, enum language language)
{
  if (is_fortran (language))
    return size_of (PMPI_Type_f2c (((const MPI_Fint *) types)[index]));
  return size_of (((const MPI_Datatype *) types)[index]);
}

intptr_t
abi_request_at (intptr_t requests, int index, enum language language)
{
  if (is_fortran (language))
    return (intptr_t) PMPI_Request_f2c (((const MPI_Fint *) requests)[index]);
  return (intptr_t) ((const MPI_Request *) requests)[index];
}

int
abi_received (intptr_t handle, enum language language, int *rank, int64_t *bytes)
{
  MPI_Status status;
  int count = 0;
  if (is_fortran (language))
    {
      const MPI_Fint *of = (const MPI_Fint *) handle;
      if (!PMPI_Status_f2c || !&MPI_F_STATUS_IGNORE || of == MPI_F_STATUS_IGNORE
	  || IGNORED_IN_F08 (of) || PMPI_Status_f2c (of, &status) != MPI_SUCCESS)
	return 0;
    }
  else if ((const MPI_Status *) handle == MPI_STATUS_IGNORE)
    return 0;
  else
    status = *(const MPI_Status *) handle;
  *rank = status.MPI_SOURCE;
  if (PMPI_Get_count (&status, MPI_BYTE, &count) != MPI_SUCCESS || count == MPI_UNDEFINED)
    return 0;
  *bytes = count;
  return 1;
}
