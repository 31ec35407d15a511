// Package lookup finds what a map has under a key, and makes what it has not.
package lookup

// New gives what a map has under a key; where that is nothing, a zero value is put there.
func New[K comparable, V any](m map[K]*V, key K) *V {
	return Make(m, key, func() *V { return new(V) })
}

// Make gives what a map has under a key; where that is nothing, what makes a value puts it
// there.
func Make[K comparable, V any](m map[K]V, key K, value func() V) V {
	known, ok := m[key]
	if !ok {
		known = value()
		m[key] = known
	}
	return known
}
