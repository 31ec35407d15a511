package openacc

import (
	"cmp"
	"runtime"
	"slices"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/activity"
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
	sent, later := t.bytesOf(q, u)
	if !later && !q.synchronous() {
		sent = slices.Clone(sent)
		t.keep(sent)
	}
	name := t.nameIn(callbacks.EnqueueUploadStart, callbacks.EnqueueUploadEnd, u.host, u.size, u.mapping)
	t.enqueueUpload(q, u, name, sent, !later && t.function != 0 && u.size <= smallCopy)
}

// uploadTogether puts a group of copies onto q as one.
func (t *transfers) uploadTogether(q *Queue, g *group) {
	if len(g.copies) == 1 {
		t.upload(q, &g.copies[0])
		return
	}
	own := make([]byte, g.high-g.low)
	t.fillIn(q, g, own, g.low)
	whole := g.whole()
	name := t.nameOfGroup(g, &whole, callbacks.EnqueueUploadStart, callbacks.EnqueueUploadEnd)
	t.uploadOwn(q, &whole, name, own)
}

// fillIn puts what a group sends into own, which goes to the address at.
func (t *transfers) fillIn(q *Queue, g *group, own []byte, at device.Address) {
	open := g.low // what lies before it may be filled in later
	for i := range g.copies {
		u := &g.copies[i]
		if t.fillInOne(q, u, own, at, u.device < open) {
			open = max(open, u.end())
		}
	}
}

// fillInOne puts the bytes of one copy into own, which goes to the address at; later says
// that they are not known yet: the device fills them in when the queue comes to it, as it
// does with what is to lie over such bytes.
func (t *transfers) fillInOne(q *Queue, u *transfer, own []byte, at device.Address, over bool) (later bool) {
	sent, later := t.bytesOf(q, u)
	if !later && !over {
		copy(own[u.device-at:], sent)
		return false
	}
	if !later {
		sent = slices.Clone(sent)
		t.keep(sent)
	}
	s := t.scratch
	if len(s.parts) == 0 {
		s.parts = append(s.parts, device.Part{}) // own
	}
	s.parts = append(s.parts, device.Part{Host: uintptr(unsafe.Pointer(unsafe.SliceData(sent))), Offset: uint64(u.device - at), Bytes: uint64(u.size)})
	return true
}

// uploadOwn is enqueueUpload of bytes that fillIn has filled in.
func (t *transfers) uploadOwn(q *Queue, u *transfer, name string, own []byte) {
	later := len(t.scratch.parts) > 0
	if later || !q.synchronous() {
		t.keep(own)
	}
	t.enqueueUpload(q, u, name, own, !later && t.function != 0 && len(own) <= mostPart)
}

// enqueueUpload puts the upload of sent onto q, between the events of u, and over it the parts
// in the scratch space. What is a part of a launch, as its argument block is, stands there: to
// measure it on the device would cost more than the copy.
func (t *transfers) enqueueUpload(q *Queue, u *transfer, name string, sent []byte, part bool) {
	ticket := uint64(0)
	if !part && (t.rt.activity.Wanted() || t.concerns(callbacks.EnqueueUploadStart) || t.concerns(callbacks.EnqueueUploadEnd)) {
		ticket = t.correlate(q, activity.Enqueued{})
	}
	var pair eventPair
	t.makeRoom(3)
	t.planData(callbacks.EnqueueUploadStart, &pair, u.size, u.host, u.device, name)
	var err error
	if part || len(t.scratch.parts) > 0 {
		err = t.planOwn(q, u.device, ticket, sent, part)
	} else {
		err = t.put(q, device.Operands{Kind: device.ActivityUpload, Correlation: ticket, Destination: uintptr(u.device), Source: addressOf(unsafe.SliceData(sent)), Bytes: uint64(len(sent))})
	}
	t.planData(callbacks.EnqueueUploadEnd, &pair, u.size, u.host, u.device, name)
	pair.release()
	t.carryOut()
	runtime.KeepAlive(sent)
	if len(t.scratch.kept) > 0 {
		t.forget(q, part)
	}
	t.context.correlation = 0
	if err != nil {
		t.fail(t.fromDevice(err))
	}
}

// planOwn adds that own is stored as a part of a launch, or that it is uploaded with the parts
// in the scratch space over it, the first of which it is.
func (t *transfers) planOwn(q *Queue, to device.Address, ticket uint64, own []byte, part bool) error {
	if part {
		return t.planStore(q, to, own)
	}
	parts, bytes := t.scratch.parts, uint64(len(own))
	parts[0] = device.Part{Host: uintptr(unsafe.Pointer(unsafe.SliceData(own))), Bytes: bytes}
	return t.put(q, device.Operands{Kind: device.ActivityUpload, Correlation: ticket, Destination: uintptr(to), Source: addressOf(&parts[0]), Parts: uint32(len(parts)), Bytes: bytes})
}

// keep keeps memory of ours that the upload in progress reads.
func (t *transfers) keep(memory []byte) { t.scratch.kept = append(t.scratch.kept, memory) }

// forget forgets what the upload in progress reads, which q is still to do unless it was stored.
func (t *transfers) forget(q *Queue, stored bool) {
	s := t.scratch
	if !stored {
		for _, memory := range s.kept {
			q.willRead(memory)
		}
	}
	clear(s.kept)
	s.kept, s.parts = s.kept[:0], s.parts[:0]
}

// bytesOf is what an upload sends: bytes that are known, which may change when it is on the
// queue, or, if that comes later, memory as it is when the queue comes to it.
func (t *transfers) bytesOf(q *Queue, u *transfer) (sent []byte, later bool) {
	sent = u.staged
	switch {
	case sent != nil:
		return sent, false
	case q.synchronous() && u.size <= smallCopy && !q.device.willWrite(u.host, u.size):
		return bytesAt(u.host, u.size), false
	}
	t.followWriters(q, u)
	if sent = bytesAt(u.host, u.size); q.synchronous() || u.size > SnapshotBytes {
		return sent, true
	}
	var chain *hostwrites.Chain
	last, will := q.lastWrite(u.host, u.size)
	switch {
	case !will:
	case last != nil:
		if sent, chain = last.Next(); chain != nil {
			t.keep(sent)
		}
	default:
		return sent, true
	}
	if u.size <= hostwrites.ScalarBytes && t.function != 0 {
		t.scratch.arrived(u.host, sent, chain)
	}
	return sent, chain != nil
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
	ticket := t.correlate(q, activity.Enqueued{})
	correlation := t.context.correlation
	to, writes := u.host, hostwrites.Write{Low: u.host, High: u.host + u.size, Number: correlation}
	if s := t.scratch.scalarFor(u, correlation); s != nil {
		to, writes.Scalar = addressOf(unsafe.SliceData(s.Value())), s
	}
	name := t.nameIn(callbacks.EnqueueDownloadStart, callbacks.EnqueueDownloadEnd, u.host, u.size, u.mapping)
	t.enqueueDownload(q, u, name, device.Operands{Kind: device.ActivityDownload, Correlation: ticket, Destination: to, Source: uintptr(u.device), Bytes: uint64(u.size)}, writes)
}

// downloadTogether puts a group of copies onto q as one, which brings each to its place.
func (t *transfers) downloadTogether(q *Queue, g *group) {
	if len(g.copies) == 1 {
		t.download(q, &g.copies[0])
		return
	}
	ticket := t.correlate(q, activity.Enqueued{})
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
	t.enqueueDownload(q, &whole, name, device.Operands{Kind: device.ActivityDownload, Correlation: ticket, Destination: addressOf(&parts[0]), Parts: uint32(len(parts)),
		Source: uintptr(g.low), Bytes: uint64(g.high - g.low)}, writes...)
	runtime.KeepAlive(parts)
}

// enqueueDownload puts a copy from the device, as operands say it, onto q, between the events
// of u; writes are the host memory that it will come to in the end.
func (t *transfers) enqueueDownload(q *Queue, u *transfer, name string, operands device.Operands, writes ...hostwrites.Write) {
	var pair eventPair
	t.makeRoom(3)
	t.planData(callbacks.EnqueueDownloadStart, &pair, u.size, u.host, u.device, name)
	err := t.put(q, operands)
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
// lies in. What goes with the argument block of the launch stays for that.
func (t *transfers) uploadAll(q *Queue) {
	s := t.scratch
	if n := len(s.uploads) + len(s.stores); n > 1 || n == 1 && t.hasLeading(s.uploads) {
		small := s.small.begin()
		small.gather(func(*transfer) bool { return true }, t.besideOnDevice, &s.uploads, &s.stores)
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
		g.low == memory.address+device.Address(t.scratch.reserved[0].offset)
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
