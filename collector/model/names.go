package model

import "github.com/accscope/accscope/runtime/source/linkage"

// Readable is a name of an event as people are to see it: what C++ mangled is
// demangled.
func Readable(text string) string { return linkage.Readable(text) }

// Names interns the strings of a trace.
type Names struct {
	ids      map[string]Name
	texts    []string
	readable map[Name]string // of those asked for
}

// NewNames gives an empty table; 0 stands for the null pointer.
func NewNames() *Names {
	return &Names{ids: make(map[string]Name), texts: []string{""}, readable: make(map[Name]string)}
}

// Intern gives the number of a string, a new one if it was not seen before.
func (n *Names) Intern(text string) Name {
	if id, ok := n.ids[text]; ok {
		return id
	}
	id := Name(len(n.texts))
	n.texts = append(n.texts, text)
	n.ids[text] = id
	return id
}

// Text gives back a string; "" for 0 and for numbers not given out.
func (n *Names) Text(id Name) string {
	if int(id) < len(n.texts) {
		return n.texts[id]
	}
	return ""
}

// Readable gives back a string as people are to see it.
func (n *Names) Readable(id Name) string {
	text, known := n.readable[id]
	if !known {
		text = Readable(n.Text(id))
		n.readable[id] = text
	}
	return text
}

// Len is the number of strings, the null pointer included.
func (n *Names) Len() int { return len(n.texts) }
