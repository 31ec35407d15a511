package goacc

// Clause is what map kinds tell of whether the program names a variable in a data clause
// of its compute construct, or the compiler has added it (OpenACC 3.3 §5.1.4).
type Clause uint8

// The clauses.
const (
	// ClauseNone: the compiler's own, as descriptors, pointers and a procedure's frame.
	ClauseNone Clause = iota
	// ClauseOpen: the kind is that of a clause and of what the compiler adds.
	ClauseOpen
	// ClauseStated: only a clause gives this kind.
	ClauseStated
)

// markClauses finds the clauses of a compute construct's variables.
func markClauses(items []Item, a Arguments) {
	members := 0 // of a structure, still to come: only clauses name members
	attaches := a.attaches()
	for i := range items {
		item := &items[i]
		switch k := a.kind(item.Entry); {
		case item.Frame || attaches && pointerCell(items, item):
		case k == Alloc, k == From, k <= ToFrom && members > 0, k == To && item.Size > ValueBytes:
			item.Clause = ClauseStated
		case k == To, k == ToFrom:
			item.Clause = ClauseOpen
		}
		if members > 0 {
			members--
		}
		if item.Action == ActionStruct {
			members = item.Members
		}
	}
}

// attaches says whether some pointer is attached.
func (a *Arguments) attaches() bool {
	for i := range a.Kinds {
		if a.kind(i) == Attach {
			return true
		}
	}
	return false
}

// pointerCell says whether an item is the pointer that another one attaches.
func pointerCell(items []Item, item *Item) bool {
	for i := range items {
		if other := &items[i]; other.Action == ActionAttach && other.Host == item.Host && item.Size == pointerBytes {
			return true
		}
	}
	return false
}

// Kernels says whether map kinds show a kernels construct, the only one whose scalars
// have the kind force_tofrom.
func (a *Arguments) Kernels() bool {
	for i := range a.Kinds {
		if a.kind(i) == ForceToFrom {
			return true
		}
	}
	return false
}
