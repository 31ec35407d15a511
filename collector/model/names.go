package model

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/runtime/source/linkage"
)

// Readable is a name of an event as people are to see it: what C++ mangled is
// demangled.
func Readable(text string) string { return linkage.Readable(text) }

// Carried gives the variables of a transfer: those of a list, as the trace has it where
// one transfer carried several, else the name alone. The commas of C++ templates and of
// array elements are parts of names.
func Carried(text string) []string {
	var names []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			depth--
			if c == '>' && i > 0 && text[i-1] == '-' {
				depth++ // an arrow
			}
		case ',':
			if depth <= 0 && strings.HasPrefix(text[i:], separator) {
				names, from = append(names, text[from:i]), i+len(separator)
			}
		}
	}
	return append(names, text[from:])
}

const separator = ", "

// Few is a list of variables for a line: the first three, and how many there are beside.
func Few(text string) string {
	names := Carried(text)
	if len(names) <= 4 {
		return text
	}
	return fmt.Sprintf("%s (+%d)", strings.Join(names[:3], separator), len(names)-3)
}

// KernelTitle is what people know a kernel by: its place, its construct and the function
// around it, as in "live.c:8 parallel loop in main".
func KernelTitle(file string, line int32, construct, function string) string {
	title := fmt.Sprintf("%s:%d", file[strings.LastIndexByte(file, '/')+1:], line)
	if construct != "" {
		title += " " + construct
	}
	if function != "" {
		title += " in " + Readable(function)
	}
	return title
}

// Names interns the strings of a trace.
type Names struct {
	ids   map[string]Name
	texts []string
}

// NewNames gives an empty table; 0 stands for the null pointer.
func NewNames() *Names {
	return &Names{ids: make(map[string]Name), texts: []string{""}}
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

// Len is the number of strings, the null pointer included.
func (n *Names) Len() int { return len(n.texts) }
