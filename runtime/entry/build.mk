# libopenacc.so (the thin C library), the headers and the Fortran module, the
# pkg-config file. Included by the top Makefile, paths from there.

LIBOPENACC_SOURCES := $(wildcard runtime/entry/*.c) callbacks/dispatch.c
LIBOPENACC_HEADERS := $(wildcard runtime/entry/*.h callbacks/*.h runtime/include/*.h) runtime/dataenv/present.h runtime/device/signals.h runtime/goacc/map_kinds.h
LIBOPENACC_OBJECTS := $(patsubst %.c,.build/libopenacc/%.o,$(notdir $(LIBOPENACC_SOURCES)))
# Functions begin with a cache line, so that what is short is in one.
LIBOPENACC_CFLAGS := $(CFLAGS_COMMON) -falign-functions=64 \
  -fno-omit-frame-pointer -fPIC -ftls-model=initial-exec -Icallbacks -Iruntime/dataenv -Iruntime/goacc -Iruntime/include

OPENACC_MODULES := openacc_kinds.f90 openacc_data.f90 openacc_attach.f90 openacc.f90
OPENACC_INCLUDE := $(patsubst runtime/include/%,include/%,$(wildcard runtime/include/*.h)) include/openacc_lib.h \
  $(addprefix include/,$(OPENACC_MODULES) accel_lib.f90 accscope_annotation.f90) include/openacc.mod
OPENACC_PKGCONFIG := lib/pkgconfig/openacc.pc

vpath %.c runtime/entry callbacks

.build/libopenacc/%.o: %.c $(LIBOPENACC_HEADERS) .build/compilers
	@mkdir -p $(@D)
	$(CC) $(LIBOPENACC_CFLAGS) -c -o $@ $<

# Never unloaded: the program's threads and exit handlers refer to it.
lib/libopenacc.so: $(LIBOPENACC_OBJECTS)
	@mkdir -p $(@D)
	$(CC) -shared -o $@ $^ -Wl,-soname,libopenacc.so -Wl,-z,defs -Wl,-z,nodelete -pthread -ldl

include/%.h: runtime/include/%.h
	@mkdir -p $(@D)
	cp $< $@

include/%.f90: runtime/include/%.f90
	@mkdir -p $(@D)
	cp $< $@

# The modules openacc_kinds, openacc_data, openacc_attach, openacc and accel_lib; gfortran leaves a module that
# would not change alone, so touch it.
include/openacc.mod: $(addprefix runtime/include/,$(OPENACC_MODULES) accel_lib.f90) .build/compilers
	@mkdir -p $(@D)
	$(FC) -fopenacc -fsyntax-only -Wall -Wextra -Werror -J $(@D) $(filter %.f90,$^)
	@touch $@

include/openacc_lib.h: $(addprefix runtime/include/,$(OPENACC_MODULES)) runtime/include/includefile/main.go | bin/accscope
	@mkdir -p $(@D)
	$(GO) run ./runtime/include/includefile $(filter %.f90,$^) > $@

lib/pkgconfig/openacc.pc: runtime/entry/openacc.pc.in
	@mkdir -p $(@D)
	sed 's|@PREFIX@|$(CURDIR)|' $< > $@
