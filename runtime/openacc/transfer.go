package openacc

import (
	"cmp"
	"runtime"
	"slices"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/hostwrites"
)

// mostPart is the size, in bytes, of the largest upload that is a part of a launch.
const mostPart = 4 << 10

// transfers are the copies between the host and a device that a call makes.
type transfers struct{ waiter }

// appendPieces notes the transfer of [host, host+size), which lies in m, without
// the pointers in it that are attached (those hold device addresses on the
// device and host addresses on the host, and keep them) and without the ranges
// excluded. d.mu is held.
func appendPieces(into []transfer, m *dataenv.Mapping, host, size uintptr, excluded []hostRange) []transfer {
	if blockOf(m).identity {
		return into
	}
	if len(m.Attach) == 0 && len(excluded) == 0 {
		return appendPiece(into, m, host, size)
	}
	holes := slices.Clone(excluded)
	for offset := range m.Attach {
		holes = append(holes, hostRange{low: m.Host + offset, high: m.Host + offset + 8})
	}
	slices.SortFunc(holes, func(a, b hostRange) int { return cmp.Compare(a.low, b.low) })
	end := host + size
	for _, hole := range holes {
		if hole.high <= host || hole.low >= end {
			continue
		}
		if hole.low > host {
			into = appendPiece(into, m, host, hole.low-host)
		}
		host = hole.high
	}
	if host < end {
		into = appendPiece(into, m, host, end-host)
	}
	return into
}

// appendPiece fills in the transfer where it lies: most constructs make one, and a
// struct that is written and copied at once stalls the processor.
func appendPiece(into []transfer, m *dataenv.Mapping, host, size uintptr) []transfer {
	into = append(into, transfer{})
	piece := &into[len(into)-1]
	piece.host, piece.device, piece.size, piece.mapping = host, m.DeviceOf(host), size, m
	return into
}

// upload puts one copy to the device onto q, between its events.
func (t *transfers) upload(q *Queue, u *transfer) {
	own, inOrder := u.staged, false
	switch {
	case own != nil:
		if !q.synchronous() {
			own = slices.Clone(own)
		}
	case !q.synchronous():
		t.followWriters(q, u)
		if u.size <= SnapshotBytes {
			own, inOrder = t.snapshot(q, u)
		}
	case u.size <= smallCopy && !q.device.willWrite(u.host, u.size):
		own = bytesAt(u.host, u.size)
	default:
		t.followWriters(q, u)
	}
	source := at(u.host)
	if own != nil {
		source = unsafe.Pointer(unsafe.SliceData(own))
	}
	name := t.nameIn(callbacks.EnqueueUploadStart, callbacks.EnqueueUploadEnd, u.host, u.size, u.mapping)
	t.enqueueUpload(q, u, name, source, u.size, own, own != nil && !inOrder && t.function != 0 && u.size <= smallCopy)
}

// uploadTogether puts a group of copies onto q as one.
func (t *transfers) uploadTogether(q *Queue, g *group) {
	if len(g.copies) == 1 {
		t.upload(q, &g.copies[0])
		return
	}
	own := make([]byte, g.high-g.low)
	t.fillIn(q, g, own)
	whole := g.whole()
	name := t.nameOfGroup(g, &whole, callbacks.EnqueueUploadStart, callbacks.EnqueueUploadEnd)
	t.enqueueUpload(q, &whole, name, unsafe.Pointer(unsafe.SliceData(own)), uintptr(len(own)), own, t.function != 0 && len(own) <= mostPart)
}

// fillIn puts what a group sends into own.
func (t *transfers) fillIn(q *Queue, g *group, own []byte) {
	for i := range g.copies {
		u := &g.copies[i]
		sent := own[u.device-g.low:][:u.size]
		if u.staged != nil {
			copy(sent, u.staged)
			continue
		}
		copy(sent, bytesAt(u.host, u.size))
		if !q.synchronous() && u.size <= hostwrites.ScalarBytes && t.function != 0 {
			t.scratch.arrived(u.host, sent, nil)
		}
	}
}

// enqueueUpload puts size bytes at source onto q, between the events of u; own keeps
// source for an asynchronous queue. What is a part of a launch, as its argument block is,
// stands in own: to measure it on the device would cost more than the copy.
func (t *transfers) enqueueUpload(q *Queue, u *transfer, name string, source unsafe.Pointer, size uintptr, own []byte, part bool) {
	ticket := uint64(0)
	if !part && (t.rt.activity.Wanted() || t.concerns(callbacks.EnqueueUploadStart) || t.concerns(callbacks.EnqueueUploadEnd)) {
		ticket = t.correlate(q, "")
	}
	var pair eventPair
	t.makeRoom(3)
	t.planData(callbacks.EnqueueUploadStart, &pair, u.size, u.host, u.device, name)
	var err error
	if part {
		err = t.planStore(q, u.device, own)
	} else {
		err = t.prepared(q.driver.Upload(t.operation(q), ticket, u.device, source, uint64(size), q.synchronous()))
	}
	t.planData(callbacks.EnqueueUploadEnd, &pair, u.size, u.host, u.device, name)
	pair.release()
	t.carryOut()
	runtime.KeepAlive(own)
	if !part {
		q.willRead(own)
	}
	t.context.correlation = 0
	if err != nil {
		t.fail(t.fromDevice(err))
	}
}

// snapshot is what an asynchronous upload sends that need not read the host's
// memory in queue order, nil if it has to; inOrder says that it comes in that order.
func (t *transfers) snapshot(q *Queue, u *transfer) (own []byte, inOrder bool) {
	var chain *hostwrites.Chain
	last, will := q.lastWrite(u.host, u.size)
	switch {
	case !will:
		own = slices.Clone(bytesAt(u.host, u.size))
	case last != nil:
		own, chain = last.Next()
	default:
		return nil, false
	}
	if u.size <= hostwrites.ScalarBytes && t.function != 0 {
		t.scratch.arrived(u.host, own, chain)
	}
	return own, chain != nil
}

// followWriters makes q wait for other queues that still have to write the host
// memory that u reads: without that the upload could overtake them.
func (t *transfers) followWriters(q *Queue, u *transfer) {
	if q.device.downloads.Load() == 0 {
		return
	}
	q.device.byAsync.Range(func(_, value any) bool {
		if other := value.(*Queue); other != q && other.busy() && other.willWrite(u.host, u.size) {
			t.follow(q, other)
		}
		return true
	})
}

// download puts one copy from the device onto q, between its events.
func (t *transfers) download(q *Queue, u *transfer) {
	ticket := t.correlate(q, "")
	correlation := t.context.correlation
	to, writes := at(u.host), hostwrites.Write{Low: u.host, High: u.host + u.size, Number: correlation}
	if s := t.scratch.scalarFor(u, correlation); s != nil {
		to, writes.Scalar = unsafe.Pointer(unsafe.SliceData(s.Value())), s
	}
	name := t.nameIn(callbacks.EnqueueDownloadStart, callbacks.EnqueueDownloadEnd, u.host, u.size, u.mapping)
	t.enqueueDownload(q, u, name, func(o *device.Operation) error {
		return q.driver.Download(o, ticket, to, u.device, uint64(u.size), q.synchronous())
	}, writes)
}

// downloadTogether puts a group of copies onto q as one, which brings each to its place.
func (t *transfers) downloadTogether(q *Queue, g *group) {
	if len(g.copies) == 1 {
		t.download(q, &g.copies[0])
		return
	}
	ticket := t.correlate(q, "")
	correlation := t.context.correlation
	parts := make([]device.Part, len(g.copies))
	writes := make([]hostwrites.Write, len(g.copies))
	for i := range g.copies {
		u := &g.copies[i]
		writes[i] = hostwrites.Write{Low: u.host, High: u.host + u.size, Number: correlation}
		parts[i] = device.Part{Host: u.host, Offset: uint64(u.device - g.low), Bytes: uint64(u.size)}
		if s := t.scratch.scalarFor(u, correlation); s != nil {
			parts[i].Host, writes[i].Scalar = uintptr(unsafe.Pointer(unsafe.SliceData(s.Value()))), s
		}
	}
	whole := g.whole()
	name := t.nameOfGroup(g, &whole, callbacks.EnqueueDownloadStart, callbacks.EnqueueDownloadEnd)
	t.enqueueDownload(q, &whole, name, func(o *device.Operation) error {
		return q.driver.Scatter(o, ticket, parts, g.low, uint64(g.high-g.low), q.synchronous())
	}, writes...)
	runtime.KeepAlive(parts)
}

// enqueueDownload puts a copy from the device, which prepare readies, onto q, between the
// events of u; writes are the host memory that it will come to in the end.
func (t *transfers) enqueueDownload(q *Queue, u *transfer, name string, prepare func(*device.Operation) error, writes ...hostwrites.Write) {
	var pair eventPair
	t.makeRoom(3)
	t.planData(callbacks.EnqueueDownloadStart, &pair, u.size, u.host, u.device, name)
	err := t.prepared(prepare(t.operation(q)))
	behind := t.plan.Count
	t.planData(callbacks.EnqueueDownloadEnd, &pair, u.size, u.host, u.device, name)
	pair.release()
	if !q.synchronous() {
		t.carryOutBefore(behind) // callbacks of the end may ask what is to be written
		for _, w := range writes {
			q.noteWrite(w)
		}
	}
	t.carryOut()
	t.context.correlation = 0
	if err != nil {
		t.fail(t.fromDevice(err))
	}
}

// overlaps says whether one of transfers is of device memory that u writes to, too.
func overlaps(transfers []transfer, u *transfer) bool {
	for i := range transfers {
		if o := &transfers[i]; u.device < o.device+device.Address(o.size) && o.device < u.device+device.Address(u.size) {
			return true
		}
	}
	return false
}

// uploadAll puts the planned uploads onto q, and then the stores of pointers. What is
// small goes as one with what lies beside it, and a pointer with the structure that it
// lies in, unless the queue has still to bring it to the host. What goes with the argument
// block of the launch stays for that.
func (t *transfers) uploadAll(d *Device, q *Queue) {
	s := t.scratch
	if n := len(s.uploads) + len(s.stores); n > 1 || n == 1 && t.hasLeading(s.uploads) {
		small := s.small.begin()
		small.gather(func(u *transfer) bool { return u.staged != nil || !d.willWrite(u.host, u.size) },
			t.besideOnDevice, &s.uploads, &s.stores)
		for i := range small.list {
			if g := &small.list[i]; t.followsBlock(g) {
				s.beside = g
			} else {
				t.uploadTogether(q, g)
			}
		}
	}
	for i := range s.uploads {
		t.upload(q, &s.uploads[i])
	}
	for i := range s.stores {
		t.upload(q, &s.stores[i])
	}
	s.uploads, s.stores = s.uploads[:0], s.stores[:0]
}

// hasLeading says whether the first of uploads is to memory that the directive in progress
// has made, with room for its argument block.
func (t *transfers) hasLeading(uploads []transfer) bool {
	return len(uploads) > 0 && t.made(uploads[0].mapping) && amongOthers(uploads[0].mapping)
}

// followsBlock says whether a group begins with the first variable behind the argument
// block of the launch in progress.
func (t *transfers) followsBlock(g *group) bool {
	m := g.copies[0].mapping
	memory := blockOf(m).memory
	return t.made(m) && memory != nil && memory.leading > 0 && g.high-memory.address <= mostPart &&
		g.low == memory.address+device.Address(t.scratch.places[0].offset)
}

// downloadAll puts the planned downloads onto q. What is small goes as one.
func (t *transfers) downloadAll(q *Queue) {
	s := t.scratch
	if len(s.downloads) > 1 {
		small := s.small.begin()
		small.gather(func(u *transfer) bool { return u.size <= smallCopy }, near, &s.downloads)
		for i := range small.list {
			t.downloadTogether(q, &small.list[i])
		}
	}
	for i := range s.downloads {
		t.download(q, &s.downloads[i])
	}
	s.downloads = s.downloads[:0]
}

// arrived notes the upload of [host, host+len(from)) to an asynchronous queue,
// chain being that of the construct before, nil if the host's bytes are sent.
func (s *scratch) arrived(host uintptr, from []byte, chain *hostwrites.Chain) {
	if chain == nil {
		chain = hostwrites.NewChain(host, bytesAt(host, uintptr(len(from))), from)
	}
	s.arrivals = append(s.arrivals, chain)
}

// arrival is the chain of a scalar that the construct in progress has copied in and u
// copies back, nil for none.
func (s *scratch) arrival(u *transfer) *hostwrites.Chain {
	for _, a := range s.arrivals {
		if a.Is(u.host, u.size) {
			return a
		}
	}
	return nil
}

// scalarFor is what the download of a number goes to that copies back what the construct in
// progress has copied in, nil for any other.
func (s *scratch) scalarFor(u *transfer, number uint64) *hostwrites.Scalar {
	chain := s.arrival(u)
	if chain == nil {
		return nil
	}
	landing := chain.Return(number, make([]byte, u.size))
	s.landings = append(s.landings, landing)
	return landing
}
