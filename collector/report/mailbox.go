package report

import "slices"

// envelope is what a message is matched by. That of a receive may have anyone's source and
// tag.
type envelope struct{ source, destination, communicator, tag int64 }

// anyone stands for MPI_ANY_SOURCE and MPI_ANY_TAG.
const anyone = -1

// sentAs is the envelope of a message that a call sends, and receivedAs that of what it asks for.
func (m *message) sentAs() envelope { return envelope{m.rank, m.peer, m.communicator, m.tag} }

func (m *message) receivedAs() envelope { return envelope{m.peer, m.rank, m.communicator, m.tag} }

// asked are the ways in which a receive may name a message.
func (e envelope) asked() []envelope {
	as := make([]envelope, 0, 4)
	for _, source := range [...]int64{e.source, anyone} {
		for _, tag := range [...]int64{e.tag, anyone} {
			as = append(as, envelope{source, e.destination, e.communicator, tag})
		}
	}
	return as
}

// mailbox holds calls until somebody takes them, in their order. A call lies in a queue for
// each way in which it may be asked for, so that finding the first one takes as long however
// many there are. The first of a queue is not taken.
type mailbox map[envelope][]*message

// put adds a call behind those that came before.
func (box mailbox) put(m *message, as ...envelope) {
	for _, e := range as {
		queue := box[e]
		if len(queue) == cap(queue) {
			queue = slices.DeleteFunc(queue, func(m *message) bool { return m.taken })
			queue = slices.Grow(queue, len(queue)+1)
		}
		box[e] = append(queue, m)
	}
}

// first is the first call in a queue, nil if there is none.
func (box mailbox) first(e envelope) *message {
	if queue := box[e]; len(queue) > 0 {
		return queue[0]
	}
	return nil
}

// firstOf is the first call in several queues.
func (box mailbox) firstOf(of []envelope) (first *message) {
	for _, e := range of {
		if m := box.first(e); m != nil && (first == nil || m.place < first.place) {
			first = m
		}
	}
	return first
}

// take removes a call from its queues.
func (box mailbox) take(m *message, as ...envelope) {
	m.taken = true
	for _, e := range as {
		queue := box[e]
		for len(queue) > 0 && queue[0].taken {
			queue[0] = nil
			queue = queue[1:]
		}
		if len(queue) == 0 {
			delete(box, e)
		} else {
			box[e] = queue
		}
	}
}
