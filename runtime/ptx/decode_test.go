package ptx

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// body decodes instructions that stand in a function with two parameters.
func body(t *testing.T, code string) *Body {
	t.Helper()
	m, err := Parse(".func (.param.u64 %value) f (.param.u64 %in) {\n" + code + "\n}")
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Decode(&m.Functions[0])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// written is an operand as it was found: r2 is the third register, v0 the first variable
// of the function, p1 its second parameter, @4 the fifth instruction.
func (o Operand) written() string {
	list := func(open, between, end string) string {
		var texts []string
		for _, part := range o.List {
			texts = append(texts, part.written())
		}
		return open + strings.Join(texts, between) + end
	}
	text := ""
	switch o.Kind {
	case None:
		return "_"
	case Reg:
		text = fmt.Sprint("r", o.Index)
	case Immediate:
		return fmt.Sprintf("%#x", o.Value)
	case Special, Symbol:
		text = o.Name
	case Own:
		text = fmt.Sprint("v", o.Index)
	case Parameter:
		text = fmt.Sprint("p", o.Index)
	case Label:
		text = fmt.Sprint("@", o.Index)
	case Prototype:
		text = fmt.Sprint("as", o.Index)
	case Address:
		return list("[", "", fmt.Sprintf("%+d]", int64(o.Value)))
	case Vector:
		return list("{", " ", "}")
	case List:
		return list("(", " ", ")")
	case Either:
		return list("", "|", "")
	}
	if o.Not {
		text = "!" + text
	}
	if o.Value != 0 {
		text += fmt.Sprintf("%+d", int64(o.Value))
	}
	return text
}

// TestDecode: an instruction, and what its operands are.
func TestDecode(t *testing.T) {
	const registers = ".reg .u32 %a, %b; .reg.u64 %c; .reg .pred %p<2>; .local .align 16 .b8 %frame[16]; .reg.v2.u32 %v;\n"
	for code, want := range map[string]string{
		"mov.u32 %a, %tid.x;":                            "mov.u32 r0 %tid.x",
		"add.u32 %a, %b, -1;":                            "add.u32 r0 r1 0xffffffff",
		"add.u64 %c, %c, -8;":                            "add.u64 r2 r2 0xfffffffffffffff8",
		"setp.lt.f32 %p0, %a, 0f80000000;":               "setp.lt.f32 r3 r0 0x80000000",
		"@!%p1\tbra.uni\t$L1; ret; $L1: ret;":            "@!r4 bra.uni @2",
		"ld.v2.u32 {%a, _}, [%c+-16];":                   "ld.v2.u32 {r0 _} [r2-16]",
		"st.v2.u32 [%frame+8], %v;":                      "st.v2.u32 [v0+8] {r5 r6}",
		"mov.u32 %a, %v.y;":                              "mov.u32 r0 r6",
		"ld.param.u64 %c, [%in];":                        "ld.param.u64 r2 [p1+0]",
		"st.param.u64 [%value], %c;":                     "st.param.u64 [p0+0] r2",
		"ld.global.u32 %a, [table+4];":                   "ld.global.u32 r0 [table+4]",
		"ld.u32 %a, [4096];":                             "ld.u32 r0 [+4096]",
		"cvta.shared.u64 %c, __bcast;":                   "cvta.shared.u64 r2 __bcast",
		"mov.u64 %c, table+16;":                          "mov.u64 r2 table+16",
		"and.pred %p0, %p0, !%p1;":                       "and.pred r3 r3 !r4",
		"shfl.sync.idx.b32 %a|%p0, %b, 0, 31, -1;":       "shfl.sync.idx.b32 r0|r3 r1 0x0 0x1f 0xffffffff",
		"{ .reg .u32 %a; mov.u32 %a, 1; } // another":    "mov.u32 r7 0x1",
		"call (%value), sin, (%in, 0d3FF0000000000000);": "call (p0) sin (p1 0x3ff0000000000000)",
		"$C: .callprototype (.param .u32 %r) _ (.param .u64 %x); call (%value), %c, (%in), $C;": "call (p0) r2 (p1) as0",
		"mov.u64 %undeclared, 1;": "mov.u64 r7 0x1",
		"bar.sync 0, 64;":         "bar.sync 0x0 0x40",
		"exit;":                   "exit",
	} {
		in := body(t, registers+code).Instructions[0]
		got := in.Opcode
		if in.Guard.Register >= 0 {
			guard := Operand{Kind: Reg, Index: in.Guard.Register, Not: in.Guard.Not}
			got = "@" + guard.written() + " " + got
		}
		for _, operand := range in.Operands {
			got += " " + operand.written()
		}
		if got != want {
			t.Errorf("%s\n is %s\nwant %s", code, got, want)
		}
	}
}

// TestLines: .loc holds for what stands behind it.
func TestLines(t *testing.T) {
	b := body(t, "bar.sync 0;\n.loc 2 40 24\nbar.sync 1;\nbar.sync 2;\n.loc 1 7 0, function_name $x, inlined_at 2 3 4\nret;")
	var got []Line
	for _, i := range b.Instructions {
		got = append(got, i.Line)
	}
	if want := []Line{{}, {2, 40, 24}, {2, 40, 24}, {1, 7, 0}}; !slices.Equal(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
}

// TestMeet: where the lanes that part at each guarded branch come together again.
func TestMeet(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want map[int]int
	}{
		"no branch":           {"add.u32 %a, %a, 1; ret;", nil},
		"one side":            {"@%p bra $1; add.u32 %a, %a, 1; $1: ret;", map[int]int{0: 2}},
		"two sides":           {"@%p bra $1; add.u32 %a, %a, 1; bra $2; $1: sub.u32 %a, %a, 1; $2: ret;", map[int]int{0: 4}},
		"a loop":              {"$1: add.u32 %a, %a, 1; @%p bra $1; ret;", map[int]int{1: 2}},
		"a loop with an exit": {"$1: @%q bra $2; add.u32 %a, %a, 1; @%p bra $1; mov.u32 %a, 1; $2: ret;", map[int]int{0: 4, 2: 4}},
		"within":              {"@%p bra $1; @%q bra $2; add.u32 %a, %a, 1; $2: sub.u32 %a, %a, 1; $1: ret;", map[int]int{0: 4, 1: 3}},
		"a side returns":      {"@%p bra $1; ret; $1: add.u32 %a, %a, 1; ret;", map[int]int{0: 4}},
		"some return":         {"@%p bra $1; @%q ret; $1: ret;", map[int]int{0: 3}},
		"for ever":            {"@%p bra $1; $2: bra $2; $1: ret;", map[int]int{0: 2}},
		"to the end":          {"@%p bra $1; ret; $1:", map[int]int{0: 2}},
		"two returns":         {"@%p bra $1; add.u32 %a, %a, 1; $1: ret; $2: ret;", map[int]int{0: 2}},
	} {
		b := body(t, c.code)
		got := map[int]int{}
		for i, at := range b.Flow().Meet {
			if at >= 0 {
				got[i] = at
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
