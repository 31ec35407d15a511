package rewrite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// zero has the device memory of a clause's items be zeroed where it is allocated for them
// (§2.7.4): the clause moves to a data region around the construct, which zeroes what was
// not on the device before.
func (c *construct) zero(clause *directive.Clause) {
	if c.name == "declare" {
		c.zeroDeclared(clause)
		return
	}
	if c.language.fortran() {
		c.zeroFortran(clause)
		return
	}
	when, suffix := "", c.condition()
	if given := c.find("if"); given != nil {
		when = " && (" + given.Arguments + ")"
	}
	var flags, zeroed []string
	for _, item := range split(clause.Arguments, ',') {
		if c.noncontiguous && len(ranges(item)) > 0 && !c.rectangular(item) {
			before, behind, ok := c.zeroRows(item, when)
			if !ok {
				c.refuse("zero", "zero of %s cannot be had with GCC: it is no array of pointers to rows", item)
				return
			}
			flags, zeroed = append(flags, before), append(zeroed, behind)
			continue
		}
		address, bytes, ok := section(item)
		if !ok {
			c.refuse("zero", "zero of %s wants the section's length", item)
			return
		}
		c.flags++
		flag := fmt.Sprintf("accscope_new_%d_%d", c.line, c.flags)
		flags = append(flags, fmt.Sprintf("%s const int %s = !accscope_acc_is_present (%s, %s)%s;", declared("acc_is_present"), flag, address, bytes, when))
		zeroed = append(zeroed, "if ("+flag+") "+zeroes(address, bytes))
	}
	c.say("zero", "the memory is zeroed by a copy where it was not on the device before: GCC knows no zero")
	c.before = append(c.before, flags...)
	if !c.structured() {
		c.after = append(c.after, zeroed...)
		return
	}
	c.around("data " + clause.Name + "(" + clause.Arguments + ")" + suffix)
	c.before = append(c.before, zeroed...)
	clause.Name = "present"
}

// zeroRows are the statements that look which rows of an array of pointers are on the device, and
// that zero those that were not.
func (c *construct) zeroRows(item, when string) (before, behind string, ok bool) {
	base, inside := subscripts(item)
	if len(inside) != 2 {
		return "", "", false
	}
	low, length, ranged := strings.Cut(inside[0], ":")
	from, elements, also := strings.Cut(inside[1], ":")
	if !ranged || !also || strings.TrimSpace(length) == "" || strings.TrimSpace(elements) == "" {
		return "", "", false
	}
	c.flags++
	flag := fmt.Sprintf("accscope_new_%d_%d", c.line, c.flags)
	row := fmt.Sprintf("%s[(%s) + accscope_i][%s]", base, cmp.Or(strings.TrimSpace(low), "0"), cmp.Or(strings.TrimSpace(from), "0"))
	bytes := fmt.Sprintf("sizeof (%s) * (__SIZE_TYPE__) (%s)", row, elements)
	loop := fmt.Sprintf("for (long accscope_i = 0; accscope_i < (long) (%s); accscope_i++)", length)
	before = fmt.Sprintf("char %s[(%s) + 1]; %s { %s %s[accscope_i] = !accscope_acc_is_present ((void *) &(%s), %s)%s; }", flag, length, loop, declared("acc_is_present"), flag, row, bytes, when)
	return before, fmt.Sprintf("%s if (%s[accscope_i]) %s", loop, flag, zeroes("(void *) &("+row+")", bytes)), true
}

// zeroes is a statement that copies zeros to the device memory of what is at an address.
func zeroes(address, bytes string) string {
	return fmt.Sprintf("{ %s %s const __SIZE_TYPE__ accscope_bytes = %s; void *const accscope_zeros = __builtin_calloc (accscope_bytes, 1); "+
		"accscope_acc_memcpy_to_device (accscope_acc_deviceptr (%s), accscope_zeros, accscope_bytes); __builtin_free (accscope_zeros); }",
		declared("acc_deviceptr"), declared("acc_memcpy_to_device"), bytes, address)
}

// zeroDeclared is zero for a declare directive: of a local variable, which is not on the device
// before. One at file scope has zeros there by C's rules where nothing initialises it.
func (c *construct) zeroDeclared(clause *directive.Clause) {
	if c.language.fortran() || c.local == nil {
		c.refuse("zero", "zero of declare cannot be had with GCC")
		return
	}
	for _, item := range split(clause.Arguments, ',') {
		switch local, initialised := c.local(item); {
		case local:
			c.after = append(c.after, fmt.Sprintf("if (({ %s accscope_acc_deviceptr ((void *) &%s); }) != (void *) &%[2]s) { %[3]s void *const accscope_zeros = __builtin_calloc (sizeof %[2]s, 1); "+
				"({ %[1]s accscope_acc_memcpy_to_device (accscope_acc_deviceptr ((void *) &%[2]s), accscope_zeros, sizeof %[2]s); }); __builtin_free (accscope_zeros); }",
				declared("acc_deviceptr"), item, declared("acc_memcpy_to_device")))
		case initialised:
			c.refuse("zero", "zero of %s, which is initialised, cannot be had with GCC", item)
			return
		}
	}
	c.say("zero", "the memory is zeroed by a copy, or is zero at file scope: GCC knows no zero")
}

// zeroFortran is zero for Fortran: a kernel sets to zero what was not on the device before.
func (c *construct) zeroFortran(clause *directive.Clause) {
	l, when, suffix := c.language, "", c.condition()
	if given := c.find("if"); given != nil {
		when = " .and. (" + given.Arguments + ")"
	}
	begin := []string{"block", "use openacc, only: accscope_is_present => acc_is_present"}
	var flags, zeroed []string
	for _, item := range split(clause.Arguments, ',') {
		if slices.Contains(c.arrived, c.variable(item)) && !c.dynamic(item) {
			c.refuse("zero", "zero of %s cannot be had with GCC: name a variable of its own", item)
			return
		}
		c.flags++
		flag := fmt.Sprintf("accscope_new_%d", c.flags)
		begin = append(begin, "logical :: "+flag)
		flags = append(flags, flag+" = .not. accscope_is_present("+item+")"+when)
		// By another name: GCC crashes at components of dummy arguments.
		zeroed = append(zeroed, "if ("+flag+") then", "associate (accscope_zeroed => "+item+")", l.directive("kernels present(accscope_zeroed)"), "accscope_zeroed = 0",
			l.directive("end kernels"), "end associate", "end if")
	}
	c.say("zero", "a kernel sets to zero what was not on the device before: GCC knows no zero")
	c.before = append(append(c.before, begin...), flags...)
	if !c.structured() {
		c.after = append(append(c.after, zeroed...), "end block")
		return
	}
	c.around("data "+clause.Name+"("+clause.Arguments+")"+suffix, "end block")
	c.before = append(c.before, zeroed...)
	clause.Name = "present"
}
