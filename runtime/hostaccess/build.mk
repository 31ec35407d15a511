# The libraries that take the place of GCC's libtsan while accscope check runs a program: one
# for each name that versions of GCC refer to.

HOSTACCESS_SOURCES := $(wildcard runtime/hostaccess/*.c)
HOSTACCESS_LIBRARIES := lib/accscope/libtsan.so.2 lib/accscope/libtsan.so.0

# Without built-ins: the functions that it stands before are some.
$(HOSTACCESS_LIBRARIES): $(HOSTACCESS_SOURCES) $(wildcard runtime/hostaccess/*.h) runtime/hostaccess/build.mk .build/compilers
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_COMMON) -fno-builtin -fPIC -shared -Wl,-soname,$(@F) -Wl,-z,defs -o $@ $(HOSTACCESS_SOURCES) -ldl
