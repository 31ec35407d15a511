package openacc

import "github.com/accscope/accscope/runtime/attribution"

// A site is a place of the program that calls, with what the thread has found out about it
// and need not find out in the next call. None of it changes what a call does, but values.
// Sites are of one thread, which alone reads and writes them; what they say of a device is
// held against the device's own versions, under its lock (recalled.isOf).
type site struct {
	at attribution.CallSite
	answers
	unsteady bool // its construct was not steady the last time (steady.go)
	values   lastValues
	texts    kept[text]
	events   kept[*siteEvents] // by async value
	launches kept[*recalled]   // by a hash of their variables
}

// answers are what the Attributor and the Namer say of a site, and what follows from it.
type answers struct {
	version uint64 // the Attributor's
	read    bool
	as      construct // what it was written as, where it was read
	named   bool
	names   []string       // of its directive's variables, where all of them are named
	carried *carriedValues // of its argument block, nil before the first
}

// mostCalls is of how many queues a site keeps the events, and of how many sets of variables
// what a launch came to.
const mostCalls = 64

// kept is what a site has of several, as texts, by a number each; the zero value is ready.
type kept[T any] struct {
	entries []keptEntry[T]
	last    int // found last
	oldest  int // the next to give way
}

type keptEntry[T any] struct {
	key   uint64
	value T
}

// of is the value of a key. Where there was none it is zero, or, of most others, the one that
// has been there for longest: whoever asked sees by itself what it is of.
func (k *kept[T]) of(key uint64, most int) *T {
	if k.last < len(k.entries) && k.entries[k.last].key == key {
		return &k.entries[k.last].value
	}
	return k.find(key, most)
}

// find is of for another key than the last one. Calls take turns: the next one is looked at first.
func (k *kept[T]) find(key uint64, most int) *T {
	n := len(k.entries)
	for i := 1; i < n; i++ {
		at := k.last + i
		if at >= n {
			at -= n
		}
		if k.entries[at].key == key {
			k.last = at
			return &k.entries[at].value
		}
	}
	if n < most {
		k.entries, k.last = append(k.entries, keptEntry[T]{key: key}), n
	} else {
		k.last, k.oldest = k.oldest, (k.oldest+1)%most
		k.entries[k.last].key = key
	}
	return &k.entries[k.last].value
}

// siteSets times siteWays is how many sites a thread keeps.
const (
	siteBits = 8
	siteSets = 1 << siteBits
	siteWays = 4
)

// sites are those that a thread keeps, by a hash of where they are: of one hash, the one
// first that was used last.
type sites struct {
	table  *[siteSets][siteWays]*site // nil before the first
	latest *site                      // looked up last
	spares []*siteEvents              // of no site
}

// setOf is where sites are looked for.
func setOf(at attribution.CallSite) uintptr {
	hash := uint64(at.ReturnAddress) * 0xff51afd7ed558ccd
	return uintptr((hash ^ hash>>32) * 0xc4ceb9fe1a85ec53 >> (64 - siteBits))
}

// of is the site of a place. One that has not been used for long gives way to it.
func (s *sites) of(at attribution.CallSite) *site {
	if s.table == nil {
		s.table = new([siteSets][siteWays]*site)
	}
	set := &s.table[setOf(at)]
	n := 0
	for n < siteWays-1 && set[n] != nil && set[n].at != at {
		n++
	}
	found := set[n]
	if found == nil || found.at != at {
		if found != nil {
			s.spare(found)
		}
		found = &site{at: at}
	}
	copy(set[1:n+1], set[:n])
	set[0], s.latest = found, found
	return found
}

// spare has the events of a site serve others.
func (s *sites) spare(of *site) {
	for _, e := range of.events.entries {
		s.spares = append(s.spares, e.value)
	}
}

// forget has the next call find out all of it.
func (s *sites) forget() {
	s.latest = nil
	if s.table == nil {
		return
	}
	for i := range s.table {
		for _, known := range s.table[i] {
			if known != nil {
				s.spare(known)
				*known = site{at: known.at, values: known.values}
			}
		}
	}
}

// here is the site of the call in progress.
func (t *caller) here() *site {
	at := t.site()
	if s := t.latest; s != nil && s.at == at {
		return s
	}
	return t.sites.of(at)
}

// answered is the site of the call in progress, with those of the Attributor's answers that hold.
func (t *namer) answered() *site {
	if !t.versioned {
		t.checkVersion()
	}
	s := t.here()
	if s.version != t.version {
		s.answers = answers{version: t.version}
	}
	return s
}

// lastValues are the values of a launch that maps variables: where they change from launch to
// launch, the argument block goes with the variables; else it is on the device from the launch
// before.
type lastValues struct {
	hash    uint64
	known   bool
	changes bool // the last two launches had other ones
}

// note notes those of another launch.
func (v *lastValues) note(hash uint64) {
	*v = lastValues{hash, true, v.known && v.hash != hash}
}
