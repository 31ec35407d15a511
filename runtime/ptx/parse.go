package ptx

import (
	"strconv"
	"strings"
)

// Parse reads what stands outside of functions.
func Parse(text string) (*Module, error) {
	m := &Module{Text: text, Files: map[int]string{}, Aliases: map[string]string{}}
	p := parser{scanner{text: text}, m}
	for p.next() != "" {
		if err := p.directive(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

type parser struct {
	scanner
	module *Module
}

// directive reads one directive of the module, of which the first word is read.
func (p *parser) directive() error {
	linkage := Local
	if as, ok := linkages[p.word]; ok {
		linkage = as
		p.next()
	}
	switch p.word {
	case ".version":
		p.module.Version = p.next()
	case ".target":
		p.module.Target = p.next()
		p.module.TargetAt = Span{p.from, p.at}
		for p.peek() == "," {
			p.next()
			p.next()
		}
	case ".address_size":
		if size := p.next(); size != "64" {
			return p.fail("addresses of %s bits, and only those of 64 are known", size)
		}
	case ".file":
		return p.file()
	case ".loc":
		p.line()
	case ".alias":
		return p.alias()
	case ".section": // debug information
		p.next()
		if err := p.expect("{"); err != nil {
			return err
		}
		_, err := p.close()
		return err
	case ".entry", ".func":
		return p.function(linkage)
	case ".global", ".const", ".shared":
		v, err := p.variable(linkage)
		if err != nil {
			return err
		}
		p.module.Variables = append(p.module.Variables, v)
		return p.end()
	default:
		return p.fail("%s where a directive should be", p.said())
	}
	return nil
}

// end reads the semicolon of a directive; a comma is a further variable's, which GCC
// never writes.
func (p *parser) end() error { return p.expect(";") }

func (p *parser) file() error {
	number, err := strconv.Atoi(p.next())
	if err != nil {
		return p.fail("%s where a file's number should be", p.said())
	}
	name := p.next()
	if len(name) < 2 || name[0] != '"' {
		return p.fail("%s where a file's name should be", p.said())
	}
	p.module.Files[number] = name[1 : len(name)-1]
	p.line() // its time and size
	return nil
}

func (p *parser) alias() error {
	name := p.next()
	if err := p.expect(","); err != nil {
		return err
	}
	p.module.Aliases[name] = p.next()
	return p.end()
}

// function reads a .entry or .func up to the end of its body, which it passes.
func (p *parser) function(linkage Linkage) (err error) {
	f := Function{Entry: p.word == ".entry", Linkage: linkage}
	if p.peek() == "(" {
		p.next()
		if f.Results, _, err = p.list(); err != nil {
			return err
		}
	}
	if f.Name = p.next(); !isName(f.Name) {
		return p.fail("%s where a function's name should be", p.said())
	}
	if p.peek() == "(" {
		p.next()
		if f.Parameters, f.List, err = p.list(); err != nil {
			return err
		}
	}
	for p.next() != "{" && p.word != ";" {
		if p.word == "" {
			return p.fail("the text ends in the head of %s", f.Name)
		}
		// .noreturn, and what tunes the driver's compiler
	}
	if p.word == "{" {
		if f.Body, err = p.close(); err != nil {
			return err
		}
	}
	p.module.Functions = append(p.module.Functions, f)
	return nil
}

// list reads parameters, behind their opening parenthesis.
func (p *parser) list() (variables []Variable, list Span, err error) {
	list.Begin = p.at
	for p.next() != ")" {
		if p.word == "," && len(variables) > 0 {
			p.next()
		}
		v, err := p.variable(Local)
		if err != nil {
			return nil, list, err
		}
		variables = append(variables, v)
	}
	list.End = p.from
	return variables, list, nil
}

// variable reads a declaration of one, of which the first directive is read, up to what
// ends it: ".global .align 4 .u32 name[2] = { 1, 2 }", ".param.u64 %in_ar0".
func (s *scanner) variable(linkage Linkage) (Variable, error) {
	v := Variable{Linkage: linkage, Count: 1}
	elements := 1
	for strings.HasPrefix(s.word, ".") {
		if s.word == ".align" {
			align, err := strconv.Atoi(s.next())
			if err != nil || align <= 0 || align&(align-1) != 0 || align > 1<<20 {
				return v, s.fail("%s where an alignment should be", s.said())
			}
			v.Align = align
			s.next()
			continue
		}
		for name := range strings.SplitSeq(s.word[1:], ".") {
			switch name {
			case "global", "const", "shared", "local", "param", "reg":
				v.Space = name
			case "v2":
				elements = 2
			case "v4":
				elements = 4
			case "ptr": // of a kernel's parameter: what it points to, for the compiler
			default:
				if Size(name) == 0 {
					return v, s.fail("%s where a type or a state space should be", s.said())
				}
				v.Type = name
			}
		}
		s.next()
	}
	if v.Type == "" || v.Space == "" {
		return v, s.fail("a variable without a type or a state space")
	}
	if v.Name = s.word; !isName(v.Name) {
		return v, s.fail("%s where a variable's name should be", s.said())
	}
	v.Align = max(v.Align, elements*Size(v.Type))
	v.Count = elements
	for v.Space != "reg" && s.peek() == "[" {
		s.next()
		if s.next() == "]" {
			v.Count = 0
			continue
		}
		count, err := strconv.ParseUint(s.word, 0, 40)
		if err != nil || int(count)*v.Count > 1<<40 {
			return v, s.fail("%s where a number of elements should be", s.said())
		}
		v.Count *= int(count)
		if err := s.expect("]"); err != nil {
			return v, err
		}
	}
	if s.peek() == "=" {
		s.next()
		return v, s.initial(&v)
	}
	return v, nil
}

// initial reads the values of a variable.
func (s *scanner) initial(v *Variable) error {
	depth := 0
	for {
		switch word := s.next(); {
		case word == "{":
			depth++
			continue
		case word == "}":
			depth--
		case word == "," && depth > 0:
			continue
		default:
			value, err := s.element(v.Type)
			if err != nil {
				return err
			}
			v.Initial = append(v.Initial, value)
		}
		if depth == 0 {
			if v.Count == 0 {
				v.Count = len(v.Initial)
			}
			if len(v.Initial) > v.Count {
				return s.fail("%d values for the %d elements of %s", len(v.Initial), v.Count, v.Name)
			}
			return nil
		}
	}
}

// element is a number, or an address: "name", "name+8", "generic(name)+8".
func (s *scanner) element(kind string) (value Initial, err error) {
	if s.word == "-" || s.word != "" && s.word[0] >= '0' && s.word[0] <= '9' {
		value.Value, err = s.number(kind)
		return value, err
	}
	value.Name = s.word
	if s.word == "generic" && s.peek() == "(" {
		s.next()
		value.Generic, value.Name = true, s.next()
		if err := s.expect(")"); err != nil {
			return value, err
		}
	}
	if !isName(value.Name) {
		return value, s.fail("%s where a value should be", s.said())
	}
	if next := s.peek(); next == "+" || next == "-" {
		s.next()
		if next == "+" {
			s.next()
		}
		value.Value, err = s.number("s64")
	}
	return value, err
}

// number reads a constant whose first word is read, as the bits that a type has of it
// (PTX ISA, "Constants"): "12", "-3", "0x1fU", "0f3F800000", "0d3FF0000000000000".
func (s *scanner) number(kind string) (uint64, error) {
	word, negative := s.word, false
	if word == "-" {
		negative, word = true, s.next()
	}
	if len(word) > 2 && word[0] == '0' && strings.ContainsRune("fFdD", rune(word[1])) {
		width := 16
		if word[1] == 'f' || word[1] == 'F' {
			width = 8
		}
		bits, err := strconv.ParseUint(word[2:], 16, 64)
		if err != nil || len(word) != 2+width {
			return 0, s.fail("%.40q is no floating-point number", word)
		}
		if negative {
			bits ^= 1 << (4*width - 1)
		}
		return bits, nil
	}
	value, err := strconv.ParseUint(strings.TrimSuffix(word, "U"), 0, 64)
	if err != nil {
		return 0, s.fail("%s where a number should be", s.said())
	}
	if negative {
		value = -value
	}
	if size := Size(kind); size > 0 && size < 8 && kind != "pred" {
		value &= 1<<(8*size) - 1
	}
	return value, nil
}

// isName tells names of functions, variables, registers and labels from other words.
func isName(word string) bool {
	return word != "" && part[word[0]] && word[0] != '.' && (word[0] < '0' || word[0] > '9') && word != "%"
}
