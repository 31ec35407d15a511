# libaccprof.so: the profiler library that OpenACC runtimes load.

PROFLIB_SOURCES := $(wildcard collector/proflib/*.c) runtime/cuda/cupti.c
PROFLIB_HEADERS := $(wildcard collector/proflib/*.h) collector/capture/format.h runtime/cuda/cupti.h \
  $(wildcard runtime/include/acc*.h)

# -z nodelete: a runtime may still call us after somebody's dlclose.
# -z now: no symbol is resolved lazily inside a callback or a signal handler.
lib/libaccprof.so: $(PROFLIB_SOURCES) $(PROFLIB_HEADERS) collector/proflib/build.mk .build/compilers
	@mkdir -p lib
	$(CC) $(CFLAGS_COMMON) -fPIC -pthread -Iruntime/include -Icollector/capture -shared \
	  -Wl,-soname,libaccprof.so -Wl,-z,now -Wl,-z,nodelete -Wl,-z,defs \
	  -o $@ $(PROFLIB_SOURCES)
