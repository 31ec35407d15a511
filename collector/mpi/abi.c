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
#pragma weak ompi_mpi_group_null
extern int mpi_fortran_in_place_;
#pragma weak mpi_fortran_in_place_
/* One that no other MPI has.  */
#define OURS (&ompi_mpi_comm_world)
#define LOADED accscope_openmpi_loaded
#define ANOTHER_LOADED accscope_mpich_loaded
#define FORTRAN_IN_PLACE (&mpi_fortran_in_place_)
#else
extern int MPIR_Dup_fn (MPI_Comm, int, void *, void *, void *, int *);
#pragma weak MPIR_Dup_fn
#define OURS (&MPIR_Dup_fn)
#define LOADED accscope_mpich_loaded
#define ANOTHER_LOADED accscope_openmpi_loaded
extern void *MPIR_F_MPI_IN_PLACE;
#pragma weak MPIR_F_MPI_IN_PLACE
#define FORTRAN_IN_PLACE (&MPIR_F_MPI_IN_PLACE ? MPIR_F_MPI_IN_PLACE : NULL)
#endif
#pragma weak MPI_F_STATUS_IGNORE
#pragma weak PMPI_Status_f2c
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Initialized
#pragma weak PMPI_Finalized
#pragma weak PMPI_Comm_f2c
#pragma weak PMPI_Type_f2c
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

/* What is known of a communicator, an attribute of it.  */
struct known
{
  struct abi_communicator all;
  int world[];		/* the peers' ranks in MPI_COMM_WORLD */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;

/* How many communicators of the same processes there are.  */
static struct same { uint32_t hash, count; } *sames;
static unsigned same_count;

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

static MPI_Comm
communicator_of (intptr_t handle, enum language language)
{
  if (language == LANGUAGE_FORTRAN)
    return PMPI_Comm_f2c (*(const MPI_Fint *) handle);
  return (MPI_Comm) handle;
}

static int
forget (MPI_Comm communicator, int key, void *value, void *state)
{
  (void) communicator;
  (void) key;
  (void) state;
  free (value);
  return MPI_SUCCESS;
}

/* A number for the processes of the list, and for which of several communicators of the
   same ones this is: each process meets them in the same order where their first calls
   are collective.  LOCK is held.  */
static int32_t
number_of (const int *world, int size)
{
  uint32_t hash = 2166136261u;
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

static struct known *
learn (MPI_Comm communicator)
{
  MPI_Group group, all;
  int inter = 0, size = 0, rank = 0;
  struct known *known = NULL;
  if (PMPI_Comm_rank (communicator, &rank) != MPI_SUCCESS
      || PMPI_Comm_test_inter (communicator, &inter) != MPI_SUCCESS
      || (inter ? PMPI_Comm_remote_group (communicator, &group)
	  : PMPI_Comm_group (communicator, &group)) != MPI_SUCCESS)
    return NULL;
  if (PMPI_Group_size (group, &size) == MPI_SUCCESS
      && PMPI_Comm_group (MPI_COMM_WORLD, &all) == MPI_SUCCESS)
    {
      int *ranks = malloc ((size_t) size * sizeof *ranks);
      known = malloc (sizeof *known + (size_t) size * sizeof *known->world);
      for (int i = 0; ranks && i < size; i++)
	ranks[i] = i;
      if (!ranks || !known
	  || PMPI_Group_translate_ranks (group, size, ranks, all, known->world) != MPI_SUCCESS)
	{
	  free (known);
	  known = NULL;
	}
      else
	{
	  int32_t number = communicator == MPI_COMM_WORLD ? 0
	    : communicator == MPI_COMM_SELF ? 1 : number_of (known->world, size);
	  known->all = (struct abi_communicator) { number, size, rank, inter };
	}
      free (ranks);
      PMPI_Group_free (&all);
    }
  PMPI_Group_free (&group);
  return known;
}

/* Null: nothing can be found out.  */
static const struct known *
known_of (MPI_Comm communicator)
{
  struct known *known = NULL;
  int found = 0;
  if (communicator == MPI_COMM_NULL)
    return NULL;
  pthread_mutex_lock (&lock);
  if (keyval != MPI_KEYVAL_INVALID
      || PMPI_Comm_create_keyval (MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) == MPI_SUCCESS)
    if (PMPI_Comm_get_attr (communicator, keyval, &known, &found) == MPI_SUCCESS && !found
	&& (known = learn (communicator))
	&& PMPI_Comm_set_attr (communicator, keyval, known) != MPI_SUCCESS)
      {
	free (known);
	known = NULL;
      }
  pthread_mutex_unlock (&lock);
  return known;
}

struct abi_communicator
abi_communicator (intptr_t handle, enum language language)
{
  const struct known *known = known_of (communicator_of (handle, language));
  return known ? known->all : (struct abi_communicator) { 0, 0, 0, 0 };
}

int
abi_in_place (intptr_t buffer, enum language language)
{
  const void *in_place = language == LANGUAGE_FORTRAN ? FORTRAN_IN_PLACE : MPI_IN_PLACE;
  return in_place && (const void *) buffer == in_place;
}

int64_t
abi_peer (intptr_t handle, int rank, enum language language)
{
  if (rank == MPI_ANY_SOURCE)
    return ANY_SOURCE;
  if (rank < 0)
    return NO_PEER;
  const struct known *known = known_of (communicator_of (handle, language));
  return known && rank < known->all.size ? known->world[rank] : rank;
}

static MPI_Datatype
type_of (intptr_t handle, enum language language)
{
  if (language == LANGUAGE_FORTRAN)
    return PMPI_Type_f2c (*(const MPI_Fint *) handle);
  return (MPI_Datatype) handle;
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
  return size_of (type_of (handle, language));
}

int
abi_received (intptr_t handle, intptr_t type, enum language language, int *rank,
	      int64_t *bytes)
{
  MPI_Status status;
  int count = 0;
  if (language == LANGUAGE_FORTRAN)
    {
      const MPI_Fint *of = (const MPI_Fint *) handle;
      if (!PMPI_Status_f2c || !&MPI_F_STATUS_IGNORE || of == MPI_F_STATUS_IGNORE
	  || PMPI_Status_f2c (of, &status) != MPI_SUCCESS)
	return 0;
    }
  else if ((const MPI_Status *) handle == MPI_STATUS_IGNORE)
    return 0;
  else
    status = *(const MPI_Status *) handle;
  MPI_Datatype element = type_of (type, language);
  *rank = status.MPI_SOURCE;
  if (element == MPI_DATATYPE_NULL
      || PMPI_Get_count (&status, element, &count) != MPI_SUCCESS || count == MPI_UNDEFINED)
    return 0;
  *bytes = count * size_of (element);
  return 1;
}
