package store

import "github.com/accscope/accscope/collector/model"

// Waited sums how long the host waited: in waits, and in the enqueueing of synchronous operations
// for as long as the device was at them, as some runtimes and all copies of pageable memory do
// it; of those that were cut off, until then. What of the devices' time waits cover is not in
// the latter again.
type Waited map[waiter]waited

// waiter is a thread at a queue.
type waiter struct {
	thread model.ThreadID
	queue  model.QueueID
}

type waited struct{ waits, inside, device int64 } // ns

// Add adds what a site's records took on its thread, and what they enqueued on the device.
func (w Waited) Add(site *Site, host, device *Sum) {
	at := waiter{site.Thread, site.Queue}
	of := w[at]
	switch site.KindCode {
	case model.WaitStart:
		of.waits += host.Time
	case model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart:
		if site.AsyncQueue != model.AsyncSync {
			return
		}
		did := device.Time + host.CutTime // nobody tells how long the device was at what was cut off
		of.inside += min(host.Time, did)
		of.device += did
	default:
		return
	}
	w[at] = of
}

// Times are the sums by queue, ns.
func (w Waited) Times() map[model.QueueID]int64 {
	sums := map[model.QueueID]int64{}
	for at, of := range w {
		sums[at.queue] += of.waits + max(min(of.inside, of.device-of.waits), 0)
	}
	return sums
}
