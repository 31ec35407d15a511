package model

// logged is an event as the log of recent events keeps it.
type logged struct {
	time, duration int64
	record         int64
	bytes          uint64
	host, device   uint64
	kind           int32
	thread         ThreadID
	process        ProcessID
	deviceID       DeviceID
	queue          QueueID
	name, file     Name
	function       Name
	line           int32
	implicit       bool
	code           int32
}

func loggedOf(e *Event, step *Step) logged {
	l := logged{time: e.Time, record: step.ID, bytes: e.Bytes, host: e.Host, device: e.Device, kind: e.Kind,
		thread: e.Thread, process: e.Process, deviceID: step.Device, queue: step.Queue, name: e.Name,
		file: e.SourceFile, function: e.Function, line: e.Line, implicit: e.Implicit == 1, code: e.ErrorCode}
	if step.Phase == Ended {
		l.duration = max(e.Time-step.Span.Start.Time, 0)
	}
	return l
}

// eventLog keeps the newest events.
type eventLog struct {
	ring [1024]logged
	next int64
}

func (l *eventLog) add(e *Event, step *Step) {
	l.ring[l.next%int64(len(l.ring))] = loggedOf(e, step)
	l.next++
}

// newest gives up to n events, oldest first.
func (l *eventLog) newest(n int) []logged {
	n = min(n, len(l.ring), int(min(l.next, int64(len(l.ring)))))
	out := make([]logged, 0, n)
	for i := l.next - int64(n); i < l.next; i++ {
		out = append(out, l.ring[i%int64(len(l.ring))])
	}
	return out
}

// errorLog keeps the first errors, which mostly tell most, and counts the rest.
type errorLog struct {
	first []logged
	count int64
}

const maxErrors = 1000

func (l *errorLog) add(e *Event, step *Step) {
	l.count++
	if len(l.first) < maxErrors {
		l.first = append(l.first, loggedOf(e, step))
	}
}
