package advice

import (
	"math"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/structure"
)

// within says whether a piece is one of numbers that the array has.
func (e *coverage) within(s piece) bool {
	return s.from.text == "" && s.to.text == "" && s.from.add >= e.first && s.to.add <= e.first+max(e.total, 1)
}

// shape finds out how the array is mapped by an item, or else declared, and says whether it has.
func (e *coverage) shape(item string) bool {
	tokens := structure.Tokens(lower(item, e.procedure.Fortran))
	if e.procedure.Fortran {
		e.first = 1
		for number := e.procedure.First; number <= e.procedure.Last; number++ {
			e.declared(structure.Tokens(strings.ToLower(e.text.lines[number-1])))
		}
		return true
	}
	if len(tokens) > 1 && tokens[1].Text == "[" {
		e.dimensions = levels(tokens[1:])
		first := tokens[2:structure.Closing(tokens, 1)]
		_, e.size, _ = cutAt(first, ":")
	} else {
		look := func(list []structure.Token) {
			for at := range list {
				if list[at].Text == e.name && at+1 < len(list) && list[at+1].Text == "[" && slices.Contains(structure.Declared(list), e.name) {
					e.dimensions, e.size = levels(list[at+1:structure.Subscripted(list, at)]), list[at+2:structure.Closing(list, at+1)]
				}
			}
		}
		structure.All(e.procedure.Body, func(s *structure.Statement) bool {
			if s.Kind == structure.Simple {
				look(s.Tokens)
			}
			return true
		})
		for _, list := range e.text.fileScope() {
			if e.dimensions == 0 && !declaresName(e.procedure, e.name) {
				look(list)
			}
		}
	}
	if e.dimensions == 0 {
		return false
	}
	e.total, _ = e.constant(e.size, 0)
	return true
}

// declared takes in a line of Fortran that declares the array or allocates it.
func (e *coverage) declared(tokens []structure.Token) {
	typed := slices.IndexFunc(tokens, func(t structure.Token) bool { return t.Text == "::" })
	if typed < 0 && tokens0(tokens) != "allocate" {
		return
	}
	shape := func(at int) {
		parts := structure.Parts(tokens, at+1)
		last := parts[len(parts)-1]
		from, to, ranges := cutAt(last, ":")
		switch {
		case !ranges:
			e.size = last
		case len(from) > 0 && len(to) > 0:
			low, known := e.constant(from, 0)
			high, also := e.constant(to, 0)
			if e.first, e.size, e.total = low, nil, 0; known && also {
				e.total = high - low + 1
			}
			if !known {
				e.first = 1 << 40 // which no index is known to be above
			}
			return
		default:
			return
		}
		e.total, _ = e.constant(e.size, 0)
	}
	for _, at := range structure.Indexes(tokens, e.name) {
		if at+1 < len(tokens) && tokens[at+1].Text == "(" && at > typed {
			shape(at)
			return
		}
		for k := range tokens[:max(typed, 0)] {
			if tokens[k].Text == "dimension" && tokens[k+1].Text == "(" {
				shape(k)
			}
		}
	}
}

// share is how much of an array of so many bytes a length is of its outermost dimension.
func (e *coverage) share(length bound, bytes int64) (float64, bool) {
	all := e.total
	if all <= 0 && e.dimensions == 1 {
		all = bytes / 16
	} else if all <= 0 {
		all = int64(math.Sqrt(float64(bytes / 16)))
	}
	if length.text == "" {
		return float64(length.add) / float64(max(all, 1)), length.add > 0
	}
	// A row of n of n * m elements.
	rest := e.size
	for len(rest) > 0 && length.add == 0 {
		factor, behind, is := cutAt(rest, "*")
		if tokensText(factor) == length.text && len(e.size) > len(factor) {
			return 1 / math.Sqrt(float64(max(all, 1))), !slices.ContainsFunc(e.size, func(t structure.Token) bool { return t.Text == "+" || t.Text == "-" || t.Text == "/" })
		}
		if !is {
			break
		}
		rest = behind
	}
	return 0, false
}
