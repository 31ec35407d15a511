# The libraries that stand before MPI's calls: one for each MPI whose headers are found.

MPI_SOURCES := $(wildcard collector/mpi/*.c)
MPI_HEADERS := $(wildcard collector/mpi/*.h) runtime/include/accscope_annotation.h
OPENMPI_CFLAGS ?= $(shell pkg-config --cflags-only-I ompi-c 2>/dev/null)
MPICH_CFLAGS ?= $(shell pkg-config --cflags-only-I mpich 2>/dev/null)
MPI_EVERY_LIBRARY := lib/libaccscope-openmpi.so lib/libaccscope-mpich.so
MPI_LIBRARIES := $(if $(strip $(OPENMPI_CFLAGS)),lib/libaccscope-openmpi.so) \
  $(if $(strip $(MPICH_CFLAGS)),lib/libaccscope-mpich.so)

lib/libaccscope-openmpi.so: MPI_CFLAGS = $(OPENMPI_CFLAGS)
lib/libaccscope-mpich.so: MPI_CFLAGS = $(MPICH_CFLAGS)

# Not linked with an MPI: they lie in processes without one, too.
$(MPI_EVERY_LIBRARY): $(MPI_SOURCES) $(MPI_HEADERS) collector/mpi/build.mk .build/compilers
	@mkdir -p lib
	$(CC) $(CFLAGS_COMMON) -fPIC -pthread -Iruntime/include -Icollector/mpi $(MPI_CFLAGS) -shared \
	  -Wl,-soname,$(@F) -o $@ $(MPI_SOURCES) -ldl
