/* An MPI of no program: what collector/mpi uses of mpi.h, as integers like MPICH's.  */
#ifndef ANOTHER_MPI_H
#define ANOTHER_MPI_H

typedef int MPI_Comm, MPI_Group, MPI_Datatype, MPI_Fint;
typedef struct { int MPI_SOURCE, MPI_TAG, MPI_ERROR; } MPI_Status;
typedef int MPI_Comm_copy_attr_function (MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Comm_delete_attr_function (MPI_Comm, int, void *, void *);

enum { MPI_SUCCESS, MPI_COMM_NULL = 1, MPI_COMM_WORLD, MPI_COMM_SELF, MPI_DATATYPE_NULL = 1,
  MPI_KEYVAL_INVALID = -1, MPI_UNDEFINED = -2, MPI_ANY_SOURCE = -3 };
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *) 0)
#define MPI_STATUS_IGNORE ((MPI_Status *) 1)
#define MPI_IN_PLACE ((void *) -1)
extern MPI_Fint *MPI_F_STATUS_IGNORE;

int PMPI_Initialized (int *);
int PMPI_Finalized (int *);
MPI_Comm PMPI_Comm_f2c (MPI_Fint);
MPI_Datatype PMPI_Type_f2c (MPI_Fint);
int PMPI_Status_f2c (const MPI_Fint *, MPI_Status *);
int PMPI_Comm_rank (MPI_Comm, int *);
int PMPI_Comm_group (MPI_Comm, MPI_Group *);
int PMPI_Comm_remote_group (MPI_Comm, MPI_Group *);
int PMPI_Comm_test_inter (MPI_Comm, int *);
int PMPI_Comm_create_keyval (MPI_Comm_copy_attr_function *, MPI_Comm_delete_attr_function *, int *, void *);
int PMPI_Comm_get_attr (MPI_Comm, int, void *, int *);
int PMPI_Comm_set_attr (MPI_Comm, int, void *);
int PMPI_Group_size (MPI_Group, int *);
int PMPI_Group_translate_ranks (MPI_Group, int, const int *, MPI_Group, int *);
int PMPI_Group_free (MPI_Group *);
int PMPI_Type_size (MPI_Datatype, int *);
int PMPI_Get_count (const MPI_Status *, MPI_Datatype, int *);

#endif
