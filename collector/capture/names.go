package capture

import "sync"

// stringTable holds a process's strings once each, whichever ring or chunk they
// came from.
type stringTable struct {
	mu   sync.RWMutex
	ids  map[string]StringID
	text []string
}

func (t *stringTable) intern(text []byte) StringID {
	t.mu.RLock()
	id, ok := t.ids[string(text)]
	t.mu.RUnlock()
	if ok {
		return id
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if id, ok := t.ids[string(text)]; ok {
		return id
	}
	s := string(text)
	t.text = append(t.text, s)
	id = StringID(len(t.text))
	t.ids[s] = id
	return id
}

// String is the text of an id of this process, "" for 0 and for ids that no
// stream has delivered.
func (p *Process) String(id StringID) string {
	p.names.mu.RLock()
	defer p.names.mu.RUnlock()
	if id == 0 || int(id) > len(p.names.text) {
		return ""
	}
	return p.names.text[id-1]
}
