/* Map kinds: what a directive asks for with one variable, as GCC emits it for
   OpenACC.  They are the low byte of an entry of a kinds array; the high byte is
   the base-two logarithm of the variable's alignment in bytes.

   Bit 0 of a plain kind (alloc, to, from, tofrom, and the forced ones) means copy
   in on creation, bit 1 copy back, bit 7 that the variable must not be present
   yet.  */
#ifndef ACCSCOPE_GOACC_MAP_KINDS_H
#define ACCSCOPE_GOACC_MAP_KINDS_H

enum goacc_map_kind
{
  goacc_alloc = 0x00,
  goacc_to = 0x01,
  goacc_from = 0x02,
  goacc_tofrom = 0x03,
  goacc_pointer = 0x04,
  goacc_descriptor = 0x05,	/* a Fortran array descriptor */
  goacc_force_present = 0x06,
  goacc_delete = 0x07,
  goacc_force_deviceptr = 0x08,
  goacc_if_present = 0x0b,
  goacc_use_device = 0x0e,
  goacc_zero_length = 0x0f,
  goacc_use_device_if_present = 0x10,
  goacc_release = 0x17,
  goacc_struct = 0x1c,
  goacc_always_pointer = 0x1d,
  goacc_delete_zero_length = 0x1f,
  goacc_attach = 0x50,
  goacc_detach = 0x51,
  goacc_struct_unordered = 0x5c,	/* GCC 14: members in any order */
  goacc_force_alloc = 0x80,
  goacc_force_to = 0x81,
  goacc_force_from = 0x82,
  goacc_force_tofrom = 0x83,
  goacc_force_detach = 0xd1
};

static inline enum goacc_map_kind
goacc_kind (unsigned short entry)
{
  return (enum goacc_map_kind) (entry & 0xff);
}

#endif
