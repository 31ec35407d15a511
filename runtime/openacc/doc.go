// Package openacc is the core of the OpenACC runtime: internal control
// variables, devices, the data environment's actions, activity queues, the
// routines of chapter 3, the constructs that GCC-compiled code calls, their
// events and their errors (OpenACC 3.3 chapters 2 to 4, Appendix A.2).
//
// One [Runtime] serves a process. Every host thread that uses it has a [Thread],
// which holds that thread's control variables and its open data regions; the
// routines are methods of Thread, named after the standard's. A host thread
// calls into its Thread from one goroutine at a time. A Thread is made of layers,
// one for each job (thread.go).
//
// # Order of work
//
// A construct decodes its variables (package goacc). Under the device's lock it finds what
// becomes of each (resolve.go), which changes nothing, then changes the present table, and
// notes in the Thread's scratch space what to transfer. With the lock released it raises events and puts the transfers onto
// a queue. So kernels, callbacks and waits never run under a lock.
//
// A created variable's memory begins with the host's bytes, with zeroes where its
// clause has the modifier zero (OpenACC 3.3 §2.7.8, §2.7.9), else with anything.
//
// # Events
//
// A call is a plan (plan.go): the events and the operations of queues that are decided,
// in their order. C carries it out in one crossing, with each event where it happens.
// Between plans lie looking into the present table, taking and freeing memory, and having
// a queue wait for another one ([waiter.follow]): no event tells of it, it takes no time, and
// what the queue then inherits is to be known before the next operation is decided. So does
// a wait that nobody is told of, where nothing else is to be carried out: an empty queue can
// tell so without a crossing.
// A compute construct that finds all its data on the device is one plan from its first
// event to its last (steady.go). A compute construct's events are composed once for
// each place that launches and its queue (computeevents.go), others each time (events.go).
// What a thread has found out about a place of the program, its site, stays (site.go):
// the environment variable ACCSCOPE_SITES=0 has each call find it out anew, for tests. A callback
// that calls the runtime stops the plan behind its event: what comes after it is planned
// again where the call may have changed it, and says what holds then.
//
// # Locks
//
// Taken in this order, each released before any callback or wait:
//
//  1. Runtime.mu: the list of devices and images, default control variables.
//  2. Device.mu: one device's present table, memory blocks and queue list.
//  3. Queue.mu: one queue's pending downloads.
//
// # Asynchronous operations
//
// The present table changes at the call, transfers and kernels run in queue
// order. Device memory that an asynchronous exit frees stays allocated until the
// queue has drained. The program may change a firstprivate variable as soon as
// the call returns, and GCC passes those like copyin variables: so uploads of at
// most [SnapshotBytes] are copied at the call, unless the queue still has to
// write that host range itself. Small ones of compute constructs have no mapping at
// all: they are values in the kernel's argument block (values.go).
//
// Each host thread has a synchronous queue (acc_async_sync) of its own on each
// device, so that threads do not wait for each other's synchronous constructs.
package openacc
