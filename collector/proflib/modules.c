/* modules.c - the file "modules": a line for each file that is mapped executable,
   with its first address, one past the last, offset in the file (all
   hexadecimal), build-id or "-", path.

   It is looked after when the capture begins, when it ends, and when an address
   that lies in no known module is recorded.  What is mapped /proc tells, which,
   other than the dynamic linker, can be asked in any context.  */
#define _GNU_SOURCE
#include "proflib.h"
#include "system.h"
#include <elf.h>
#include <string.h>

#define MODULE_LIMIT 1024
#define NOWHERE 64		/* places of code without a file */
#define REGION (1u << 20)

static struct { uintptr_t start, end; } known[MODULE_LIMIT];
static uint32_t known_count;
static uint32_t wanted;		/* looks that are asked for; 0: nobody is at it */

/* The build-id of the ELF file mapped at BASE, as hexadecimal text.  */
static void
build_id (int memory, uintptr_t base, char *text)
{
  static const char digits[] = "0123456789abcdef";
  Elf64_Ehdr header;
  Elf64_Phdr segment;
  char note[1024];
  strcpy (text, "-");
  if (system_read_at (memory, &header, sizeof header, base) != sizeof header
      || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_ident[EI_CLASS] != ELFCLASS64
      || header.e_phentsize != sizeof segment)
    return;
  uintptr_t first = UINTPTR_MAX;
  for (unsigned pass = 0; pass < 2; pass++)
    for (unsigned i = 0; i < header.e_phnum && i < 64; i++)
      {
	if (system_read_at (memory, &segment, sizeof segment,
			    base + header.e_phoff + i * sizeof segment)
	    != sizeof segment)
	  return;
	if (pass == 0 && segment.p_type == PT_LOAD && segment.p_vaddr < first)
	  first = segment.p_vaddr & ~(uintptr_t) (PAGE - 1);
	if (pass == 0 || segment.p_type != PT_NOTE)
	  continue;
	size_t size = segment.p_filesz < sizeof note ? segment.p_filesz : sizeof note;
	if (system_read_at (memory, note, size, base + segment.p_vaddr - first)
	    != (long) size)
	  continue;
	for (size_t at = 0; at + sizeof (Elf64_Nhdr) <= size; )
	  {
	    Elf64_Nhdr n;
	    memcpy (&n, note + at, sizeof n);
	    size_t name = at + sizeof n;
	    size_t data = name + (((size_t) n.n_namesz + 3) & ~(size_t) 3);
	    size_t next = data + (((size_t) n.n_descsz + 3) & ~(size_t) 3);
	    if (next > size)
	      break;
	    if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4
		&& memcmp (note + name, "GNU", 4) == 0 && n.n_descsz <= 32)
	      {
		for (size_t k = 0; k < n.n_descsz; k++)
		  {
		    unsigned char byte = (unsigned char) note[data + k];
		    *text++ = digits[byte >> 4];
		    *text++ = digits[byte & 15];
		  }
		*text = 0;
		return;
	      }
	    at = next;
	  }
      }
}

static uint64_t
hexadecimal (const char **at)
{
  uint64_t value = 0;
  for (;; ++*at)
    {
      char c = **at;
      if (c >= '0' && c <= '9')
	value = value << 4 | (uint64_t) (c - '0');
      else if (c >= 'a' && c <= 'f')
	value = value << 4 | (uint64_t) (c - 'a' + 10);
      else
	return value;
    }
}

static size_t
hexadecimal_append (char *text, size_t length, uint64_t value)
{
  static const char digits[] = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4)
    text[length++] = digits[value >> shift & 15];
  return length;
}

static int
modules_know (uintptr_t address)
{
  uint32_t count = __atomic_load_n (&known_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; i++)
    if (address >= known[i].start && address < known[i].end)
      return 1;
  return 0;
}

/* One line of /proc/self/maps: START-END PERMISSIONS OFFSET DEVICE INODE PATH.
   BASE and its path remember where the current file is mapped from its start.  */
struct base
{
  uintptr_t address;
  char path[PATH_LIMIT];
};

static long
module_line (const char *line, struct base *base, int memory, int output)
{
  const char *at = line;
  uint64_t start = hexadecimal (&at);
  at += *at == '-';
  uint64_t end = hexadecimal (&at);
  if (*at != ' ' || strlen (at) < 6)
    return 0;
  int executable = at[3] == 'x';
  at += 6;
  uint64_t offset = hexadecimal (&at);
  const char *path = strchr (at, '/');
  if (!path || strlen (path) >= PATH_LIMIT - 256)
    return 0;
  if (offset == 0)
    {
      base->address = start;
      path_append (base->path, 0, path);
    }
  if (!executable || modules_know (start) || known_count == MODULE_LIMIT)
    return 0;
  static char text[PATH_LIMIT];
  size_t length = hexadecimal_append (text, 0, start);
  text[length++] = ' ';
  length = hexadecimal_append (text, length, end);
  text[length++] = ' ';
  length = hexadecimal_append (text, length, offset);
  text[length++] = ' ';
  if (strcmp (base->path, path) == 0)
    build_id (memory, base->address, text + length);
  else
    strcpy (text + length, "-");
  length += strlen (text + length);
  length = path_append (text, length, " ", path);
  text[length++] = '\n';
  long result = system_append (output, text, length);
  if (result < 0)
    return result;
  known[known_count].start = start;
  known[known_count].end = end;
  __atomic_store_n (&known_count, known_count + 1, __ATOMIC_RELEASE);
  return 0;
}

/* Append the modules that are not in the file yet.  */
static int
scan (const char *path)
{
  static char buffer[2 * PATH_LIMIT];
  static struct base base;
  int memory = system_open ("/proc/self/mem", O_RDONLY, 0);
  int maps = system_open ("/proc/self/maps", O_RDONLY, 0);
  int output = system_open (path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  long result = output < 0 ? output : 0;
  size_t length = 0;
  base.path[0] = 0;
  while (result == 0 && maps >= 0)
    {
      long bytes = system_read (maps, buffer + length, sizeof buffer - 1 - length);
      if (bytes <= 0)
	break;
      length += (size_t) bytes;
      buffer[length] = 0;
      char *line = buffer, *newline;
      while (result == 0 && (newline = memchr (line, '\n',
					       (size_t) (buffer + length - line))))
	{
	  *newline = 0;
	  result = module_line (line, &base, memory, output);
	  line = newline + 1;
	}
      length -= (size_t) (line - buffer);
      memmove (buffer, line, length);
      if (length == sizeof buffer - 1)
	break;	/* no line is that long */
    }
  if (memory >= 0)
    system_close (memory);
  if (maps >= 0)
    system_close (maps);
  if (output >= 0)
    system_close (output);
  return (int) result;
}

/* The file PATH holds all modules of now, or does so soon: a thread that is at it
   looks again.  */
int
modules_write (const char *path)
{
  int result = 0;
  if (local_generation () == 0)
    {
      known_count = 0;	/* a new process's; a fork may have caught us below */
      __atomic_store_n (&wanted, 0, __ATOMIC_RELAXED);
    }
  if (__atomic_fetch_add (&wanted, 1, __ATOMIC_ACQ_REL) != 0)
    return 0;
  uint32_t seen;
  do
    {
      seen = __atomic_load_n (&wanted, __ATOMIC_ACQUIRE);
      result = scan (path);
    }
  while (!__atomic_compare_exchange_n (&wanted, &seen, 0, 0, __ATOMIC_ACQ_REL,
				       __ATOMIC_RELAXED));
  return result;
}

/* The addresses are about to be recorded: what they lie in is to be known, also
   if it is closed, or the process killed, right after.  Code that is of no file
   is looked for once.  */
void
modules_note (const uint64_t *address, unsigned count)
{
  static uint64_t nowhere[NOWHERE];	/* REGION-sized places, atomic */
  static uint32_t next;
  for (unsigned i = 0; i < count; i++)
    {
      uint64_t place = address[i] / REGION;
      unsigned known = 0;
      if (modules_know (address[i]))
	continue;
      for (unsigned k = 0; k < NOWHERE; k++)
	known |= __atomic_load_n (&nowhere[k], __ATOMIC_RELAXED) == place;
      if (known)
	continue;
      char path[PATH_LIMIT];
      path_append (path, 0, folder, "/" CAPTURE_MODULES_FILE);
      modules_write (path);
      if (!modules_know (address[i]))
	__atomic_store_n (&nowhere[__atomic_fetch_add (&next, 1, __ATOMIC_RELAXED)
				   % NOWHERE], place, __ATOMIC_RELAXED);
    }
}
