package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/patch"
	"github.com/accscope/accscope/collector/structure"
)

// insertion is an edit that puts lines before another one.
func insertion(file string, line int, lines []string) patch.Edit {
	return patch.Edit{File: file, First: line, Last: line - 1, Text: lines}
}

// outOfBounds has a section reach as far as the kernel's loop goes over the variable, where the host's
// code says that there is as much of it.
func (m *mender) outOfBounds() {
	s := m.spot(m.of.Instance.File, m.of.Instance.Line)
	if s == nil {
		return
	}
	if s.compute() < 0 {
		m.f.refuse(fmt.Sprintf("line %d is in no compute construct", s.line))
		return
	}
	found := m.mapping(s)
	if found == nil {
		m.f.refuse(fmt.Sprintf("no directive of %s is seen that maps %s", s.procedure.Name, m.of.Variable))
		return
	}
	first, length := extent(found.item, s.fortran)
	bound := m.bound(s)
	switch {
	case bound == nil:
		m.f.refuse(fmt.Sprintf("the index is not a loop's variable alone: whether there is as much of %s is not seen", m.of.Variable))
		return
	case first == "" || !s.fortran && first != "0":
		m.f.refuse(fmt.Sprintf("the section %s does not begin at the first element", found.item))
		return
	case slices.Equal(spelled(bound), spelled(structure.Tokens(length))):
		m.f.refuse("the section is as long as the loop")
		return
	case !m.has(s, bound):
		m.f.refuse(fmt.Sprintf("nothing in %s says that %s has %s elements", s.procedure.Name, m.of.Variable, strings.Join(spelled(bound), "")))
		return
	}
	end := ""
	for i, t := range bound {
		if i > 0 && structure.IsName(t.Text) && structure.IsName(bound[i-1].Text) {
			end += " "
		}
		end += t.Text
	}
	item := fmt.Sprintf("%s[0:%s]", baseName(found.item), end)
	if s.fortran {
		item = fmt.Sprintf("%s(%s:%s)", baseName(found.item), first, end)
	}
	m.become(found.written, found.clause, item, found.clause)
}

// extent takes an item apart: where it begins, and its length, of Fortran its last index; "" where it has
// not one dimension.
func extent(item string, fortran bool) (first, length string) {
	open, end := "[", "]"
	if fortran {
		open, end = "(", ")"
	}
	_, inside, has := strings.Cut(item, open)
	inside, closes := strings.CutSuffix(strings.TrimSpace(inside), end)
	first, length, is := strings.Cut(inside, ":")
	if !has || !closes || !is || strings.Contains(length, "[") || strings.Contains(inside, ",") {
		return "", ""
	}
	return strings.TrimSpace(first), strings.TrimSpace(length)
}

func spelled(tokens []structure.Token) (words []string) {
	for _, t := range tokens {
		words = append(words, strings.ToLower(t.Text))
	}
	return words
}

// bound is how far the loop goes whose variable is the index of the variable, in all its uses at the
// spot; nil where that is not so, or not in its head.
func (m *mender) bound(s *spot) (bound []structure.Token) {
	tokens := s.last().Tokens
	for _, at := range structure.Indexes(tokens, m.of.Variable) {
		parts := structure.Parts(tokens, at+1)
		if len(parts) != 1 || len(parts[0]) != 1 {
			return nil
		}
		var found []structure.Token
		for _, of := range s.path[s.compute():] {
			if of.Kind == structure.Loop {
				if b := end(of, parts[0][0].Text, s.fortran); b != nil {
					found = b
				}
			}
		}
		if found == nil || bound != nil && !slices.Equal(spelled(bound), spelled(found)) {
			return nil
		}
		bound = found
	}
	return bound
}

// end is what a loop's variable stays below, in C, or goes to, in Fortran; nil where its head does not
// say it.
func end(loop *structure.Statement, variable string, fortran bool) []structure.Token {
	tokens := loop.Tokens
	if fortran {
		at := slices.IndexFunc(tokens, func(t structure.Token) bool { return t.Text == "=" })
		if at < 1 || tokens[at-1].Text != variable {
			return nil
		}
		if parts := structure.Commas(tokens[at+1:]); len(parts) == 2 {
			return parts[1]
		}
		return nil
	}
	from := slices.IndexFunc(tokens, func(t structure.Token) bool { return t.Text == ";" }) + 1
	if from+2 >= len(tokens) || tokens[from].Text != variable || tokens[from+1].Text != "<" {
		return nil
	}
	rest := tokens[from+2:]
	to := slices.IndexFunc(rest, func(t structure.Token) bool { return t.Text == ";" })
	if to < 1 || slices.ContainsFunc(rest[:to], func(t structure.Token) bool { return t.Text == "&&" || t.Text == "||" || t.Text == "," }) {
		return nil
	}
	return rest[:to]
}

// has says whether a statement of the host's, or a loop of it that uses the variable, has the length.
func (m *mender) has(s *spot, length []structure.Token) (is bool) {
	holds := func(tokens []structure.Token) bool {
		for at := range tokens {
			if rest := tokens[at:]; len(rest) >= len(length) && slices.Equal(spelled(rest[:len(length)]), spelled(length)) {
				return true
			}
		}
		return false
	}
	structure.All(s.procedure.Body, func(of *structure.Statement) bool {
		switch {
		case of.Kind == structure.Construct && of.ACC.Compute():
			return false
		case of.Kind == structure.Simple && structure.Mentions(of.Tokens, m.of.Variable):
			is = is || holds(of.Tokens)
		case of.Kind == structure.Loop:
			is = is || holds(of.Tokens) && len(mentions(of.Body, m.of.Variable)) > 0
		}
		return true
	})
	return is
}
