package dataenv

/*
#include <time.h>
#include "present.h"

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

// findInC is what C code sees of a table. Test files cannot use cgo, so it is
// here.
func findInC(t *Table, host, size uintptr) (device.Address, int) {
	var address C.uintptr_t
	found := C.find(t.Published(), C.uintptr_t(host), C.size_t(size), &address)
	return device.Address(address), int(found)
}

// findHostInC is the look-up from the device's side.
func findHostInC(t *Table, address device.Address) (uintptr, int) {
	var host C.uintptr_t
	found := C.find_host(t.Published(), C.uintptr_t(address), &host)
	return uintptr(host), int(found)
}

// benchmarkC is the nanoseconds that one look-up from C takes.
func benchmarkC(t *Table, hosts []uintptr, times int) float64 {
	return float64(C.look_up_often(t.Published(), (*C.uintptr_t)(unsafe.Pointer(&hosts[0])), C.size_t(len(hosts)), C.size_t(times)))
}
