package model

import (
	"slices"

	"github.com/accscope/accscope/callbacks"
)

// OwnEnds are the ends (ProcessInfo.Ended) that a process comes to by itself.
var OwnEnds = []string{"exited", "quick_exit", "_exit", "exec"}

// Succeeded is the exit (ProcessInfo.Exit) of a process that no error ended.
const Succeeded = "status 0"

// EndedByItself says whether the process came to an end of its own: what it had left on a
// device then it will never delete. One that runs may still do so, and one that a signal or,
// failed, an error of the runtime ended had no chance to.
func (p *ProcessInfo) EndedByItself(failed bool) bool {
	return slices.Contains(OwnEnds, p.Ended) && (!failed || p.Exit == Succeeded)
}

// Deletables are the constructs whose data stay on a device until the program deletes them.
var Deletables = []callbacks.Construct{callbacks.EnterData, callbacks.RuntimeAPI}

// Deletable says whether what an acc_construct_t put on a device stays until the program
// deletes it: data of a structured region go with it, and a declare directive's are there
// for good.
func Deletable(construct int32) bool {
	return slices.Contains(Deletables, callbacks.Construct(construct))
}

// structured says whether an acc_construct_t has a region that its data live in.
func structured(construct int32) bool {
	switch callbacks.Construct(construct) {
	case callbacks.Parallel, callbacks.Serial, callbacks.Kernels, callbacks.Loop, callbacks.Data, callbacks.HostData:
		return true
	}
	return false
}

// Regions are the structured regions that threads are in, the innermost last.
type Regions map[ThreadID][]region

type region struct {
	construct int32
	enter     int64 // record of its enter_data
}

// Enter begins a region with the record of its enter_data, if the construct has one.
func (r Regions) Enter(thread ThreadID, construct int32, record int64) {
	if structured(construct) {
		r[thread] = append(r[thread], region{construct, record})
	}
}

// Exit ends the innermost region of such a construct, and those in it that a jump left.
func (r Regions) Exit(thread ThreadID, construct int32) {
	list := r[thread]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].construct == construct {
			r[thread] = list[:i]
			return
		}
	}
}

// Has says whether a thread is in the region that began with a record.
func (r Regions) Has(thread ThreadID, enter int64) bool {
	return slices.ContainsFunc(r[thread], func(x region) bool { return x.enter == enter })
}

// Around is the region that data belong to which a construct puts on the device, by the
// span that this lies in; 0: none.
func (r Regions) Around(thread ThreadID, construct int32, span int64) int64 {
	if structured(construct) && r.Has(thread, span) {
		return span
	}
	return 0
}

// Kept says whether data are the program's to delete, now that it has ended: they are of no
// region, or of one that is over. A construct and the region that data were made in.
func (r Regions) Kept(thread ThreadID, construct int32, enter int64) bool {
	if enter == 0 {
		return Deletable(construct)
	}
	return !r.Has(thread, enter)
}
