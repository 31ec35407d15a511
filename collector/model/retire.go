package model

// Retired is what processes had that have ended, and of which nothing more will come.
type Retired struct {
	Threads map[ThreadID]bool
	Devices map[DeviceID]bool
	Queues  map[QueueID]bool
}

// Retire forgets the state of processes that have ended, and of which no event will come, and
// tells what they had: of thousands few run at a time. What is known of them stays.
func (m *Model) Retire(processes map[ProcessID]bool) Retired {
	gone := Retired{map[ThreadID]bool{}, map[DeviceID]bool{}, map[QueueID]bool{}}
	for i := range m.threads {
		if t := &m.threads[i]; processes[t.Process] {
			gone.Threads[t.ID] = true
			forget(m.states, int(t.ID))
		}
	}
	for i := range m.directory.Devices {
		if d := &m.directory.Devices[i]; processes[d.Process] {
			gone.Devices[d.ID] = true
			forget(m.devices, int(d.ID))
		}
	}
	for i := range m.directory.Queues {
		if q := &m.directory.Queues[i]; gone.Devices[q.Device] {
			gone.Queues[q.ID] = true
			forget(m.queues, int(q.ID))
		}
	}
	return gone
}

func forget[T any](all []*T, i int) {
	if i < len(all) {
		all[i] = nil
	}
}
