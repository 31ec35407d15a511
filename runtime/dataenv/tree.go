package dataenv

// #include "present.h"
import "C"

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

type node = C.struct_accscope_present_node

// cursor is one entry of a leaf, or none.
type cursor struct {
	leaf  *node
	entry int
}

func (c cursor) ok() bool       { return c.leaf != nil }
func (c cursor) key() uintptr   { return uintptr(c.leaf.key[c.entry]) }
func (c cursor) size() uintptr  { return uintptr(c.leaf.size[c.entry]) }
func (c cursor) index() uintptr { return uintptr(c.leaf.index[c.entry] &^ C.ACCSCOPE_PRESENT_EXPOSED) }

// expose marks the entry for C, which may read it meanwhile.
func (c cursor) expose() {
	word := (*uintptr)(unsafe.Pointer(&c.leaf.index[c.entry]))
	atomic.StoreUintptr(word, *word|C.ACCSCOPE_PRESENT_EXPOSED)
}

// covers says whether address, which is not below the entry's key, is one of
// its bytes.
func (c cursor) covers(address uintptr) bool { return address-c.key() < c.size() }

// root takes a tree apart into its root node and that one's level.
func root(tree *C.uintptr_t) (*node, int) {
	level := int(*tree & C.ACCSCOPE_PRESENT_LEVEL)
	pointer := *(*unsafe.Pointer)(unsafe.Pointer(tree))
	if pointer == nil {
		return nil, 0
	}
	return (*node)(unsafe.Add(pointer, -level)), level
}

func child(n *node, i int) *node {
	return *(**node)(unsafe.Pointer(&n.value[i]))
}

// rank is the number of entries of n whose key is at most key. The loop has no
// branch that depends on the keys, which would be mispredicted half of the time.
func rank(n *node, key uintptr) int {
	base, length := uint(0), uint(n.count)
	for length > 0 {
		half := (length + 1) / 2
		probe := n.key[(base+half-1)%C.ACCSCOPE_PRESENT_FANOUT]
		_, above := bits.Sub64(uint64(key), uint64(probe), 0) // 1 if probe > key
		base += half & (uint(above) - 1)
		length -= half
	}
	return int(base)
}

// before finds the last entry whose key is at most key.
func before(tree *C.uintptr_t, key uintptr) cursor {
	n, level := root(tree)
	for n != nil {
		i := rank(n, key)
		if i == 0 {
			return cursor{}
		}
		if level == 0 {
			return cursor{n, i - 1}
		}
		n, level = child(n, i-1), level-1
	}
	return cursor{}
}

// after finds the first entry whose key is above key.
func after(tree *C.uintptr_t, key uintptr) cursor {
	n, level := root(tree)
	// next is the subtree that begins after the one descended into.
	var next *node
	nextLevel := 0
	for n != nil {
		i := rank(n, key)
		if level == 0 {
			if i < int(n.count) {
				return cursor{n, i}
			}
			break
		}
		if i < int(n.count) {
			next, nextLevel = child(n, i), level-1
		}
		if i == 0 {
			break
		}
		n, level = child(n, i-1), level-1
	}
	return leftmost(next, nextLevel)
}

// from finds the first entry whose key is at least key.
func from(tree *C.uintptr_t, key uintptr) cursor {
	if key == 0 {
		return first(tree)
	}
	return after(tree, key-1)
}

// first finds the entry with the smallest key.
func first(tree *C.uintptr_t) cursor { return leftmost(root(tree)) }

func leftmost(n *node, level int) cursor {
	if n == nil {
		return cursor{}
	}
	for ; level > 0; level-- {
		n = child(n, 0)
	}
	return cursor{n, 0}
}
