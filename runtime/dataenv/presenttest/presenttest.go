// Package presenttest looks up in a published present table as C code does
// (present.h).
package presenttest

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
#include <time.h>
#include "../present.h"

static int
find (const void *present, uintptr_t host, size_t size, uintptr_t *device)
{
  return accscope_present_find (present, host, size, device);
}

static int
find_host (const void *present, uintptr_t device, uintptr_t *host)
{
  return accscope_present_find_host (present, device, host);
}

static int
find_exposed (const void *present, uintptr_t host, uintptr_t *device, int *exposed)
{
  return accscope_present_find_exposed (present, host, device, exposed);
}

static double
look_up_often (const void *present, const uintptr_t *hosts, size_t count,
	       size_t times)
{
  struct timespec from, to;
  uintptr_t device = 0, sum = 0;
  clock_gettime (CLOCK_MONOTONIC, &from);
  for (size_t i = 0; i < times; i++)
    if (accscope_present_find (present, hosts[i % count], 8, &device) == 1)
      sum += device;
  clock_gettime (CLOCK_MONOTONIC, &to);
  if (!sum)
    return -1;
  return ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / times;
}
*/
import "C"

import (
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// Find looks a host range up: 1 and its device address, 0 where it is not all
// present, -1 where Go must be asked.
func Find(published unsafe.Pointer, host, size uintptr) (device.Address, int) {
	var address C.uintptr_t
	found := C.find(published, C.uintptr_t(host), C.size_t(size), &address)
	return device.Address(address), int(found)
}

// FindExposed looks up what is at an address: Find of size 0, and whether the program is
// known to have asked for its device address.
func FindExposed(published unsafe.Pointer, host uintptr) (address device.Address, exposed bool, found int) {
	var value C.uintptr_t
	var known C.int
	result := C.find_exposed(published, C.uintptr_t(host), &value, &known)
	return device.Address(value), known != 0, int(result)
}

// FindHost is the look-up from the device's side: 1 and the host address, or -1.
func FindHost(published unsafe.Pointer, address device.Address) (uintptr, int) {
	var host C.uintptr_t
	found := C.find_host(published, C.uintptr_t(address), &host)
	return uintptr(host), int(found)
}

// Time is the nanoseconds that one look-up of 8 bytes takes, by turns at each of
// the host addresses.
func Time(published unsafe.Pointer, hosts []uintptr, times int) float64 {
	return float64(C.look_up_often(published, (*C.uintptr_t)(unsafe.Pointer(&hosts[0])), C.size_t(len(hosts)), C.size_t(times)))
}
