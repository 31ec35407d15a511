// Package callbacks implements the profiling and error callback interface of
// OpenACC 3.3, chapter 5: the enumerations and the structs a callback receives
// (§5.2), registration with its reference counts and toggles (§5.4), and
// dispatch with the guarantees of §5.5.
//
// A [Registry] decides in Go which callbacks an event has, and publishes them
// to C memory (struct acc_dispatch, dispatch.h). Dispatch is C: it walks that
// memory without a lock on the thread that raises the event, so C callbacks are
// reached without entering Go.
// Events raised from Go cross into C for it: one by one ([Registry.Dispatch]), or
// with the operations that they tell of, as a plan ([Registry.CarryOut]).
//
// The layout of [Info], [EventInfo] and [APIInfo] is that of the C structs in
// runtime/include/acc_callback.h. Pointers in them are integers, since what they
// point to is never Go memory.
package callbacks
