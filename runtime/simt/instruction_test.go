package simt

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// asked is an instruction that a card was asked about.
type asked struct {
	opcode string
	rows   []string // "operands -> result"
}

func readAsked(t testing.TB) (all []asked) {
	t.Helper()
	file, err := os.Open("testdata/h200.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		switch line := s.Text(); {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "  "):
			last := &all[len(all)-1]
			last.rows = append(last.rows, strings.TrimSpace(line))
		default:
			all = append(all, asked{opcode: line})
		}
	}
	return all
}

// unknownHere are instructions that neither GCC nor its libraries write.
var unknownHere = []string{"mad.hi.s32", "abs.b", "add.sat.s32", "bfe.u32", "bfe.s32", "bfind.u32", "bfind.s32", "prmt.b32", "shf.l.wrap", "shf.l.clamp", "shf.r.clamp",
	"set.f32.lt.s32", "vadd.s32.s32.s32.add", "min.NaN.f32",
	"cvt.rzi.s8.f32", "cvt.rzi.s8.f64", "cvt.rzi.u8.f32", "cvt.rzi.u8.f64", "cvt.rzi.s16.f32", "cvt.rzi.s16.f64", "cvt.rzi.u16.f32", "cvt.rzi.u16.f64",
	"cvt.rni.s8.f32", "cvt.rni.s8.f64", "cvt.rni.u8.f32", "cvt.rni.u8.f64", "cvt.rni.s16.f32", "cvt.rni.s16.f64", "cvt.rni.u16.f32", "cvt.rni.u16.f64"}

// program is PTX that reads an instruction's operands for each lane and stores the result:
// the kernel's parameter is the address of rows of 8 bytes an operand, the result first.
func (a *asked) program() string {
	in, out, _ := strings.Cut(a.rows[0], " -> ")
	operands := strings.Fields(in)
	var text strings.Builder
	text.WriteString(".version 7.0\n.target sm_80\n.address_size 64\n.entry k (.param .u64 %in)\n{\n.reg .u64 %row;\n.reg .u32 %lane, %flag;\n.reg .pred %p;\n")
	declare := func(name, digits string) {
		fmt.Fprintf(&text, ".reg .b%d %s;\n", 4*len(digits), name)
	}
	declare("%out", out)
	names := []string{"%out"}
	predicate := strings.HasPrefix(a.opcode, "setp") || strings.HasPrefix(a.opcode, "testp")
	if predicate {
		names[0] = "%p"
	}
	for i, digits := range operands {
		names = append(names, fmt.Sprintf("%%a%d", i))
		declare(names[i+1], digits)
	}
	fmt.Fprintf(&text, "ld.param.u64 %%row,[%%in];\nmov.u32 %%lane,%%tid.x;\nmad.wide.u32 %%row,%%lane,%d,%%row;\n", 8*(len(operands)+1))
	for i, digits := range operands {
		fmt.Fprintf(&text, "ld.global.b%d %s,[%%row+%d];\n", 4*len(digits), names[i+1], 8*(i+1))
	}
	fmt.Fprintf(&text, "%s %s;\n", a.opcode, strings.Join(names, ","))
	if predicate {
		text.WriteString("selp.u32 %out,1,0,%p;\n")
	}
	fmt.Fprintf(&text, "st.global.b%d [%%row],%%out;\nret;\n}\n", 4*len(out))
	return text.String()
}

// TestInstructions: every instruction gives what a card gives, bit by bit, or is refused by
// name.
func TestInstructions(t *testing.T) {
	for _, a := range readAsked(t) {
		device := newDevice(t)
		p, err := Link([]string{a.program()}, []string{"k"}, Needs{}, device.allocate)
		if slices.Contains(unknownHere, a.opcode) {
			if err == nil || !strings.Contains(err.Error(), a.opcode) {
				t.Errorf("%s: error %v, want one that names it", a.opcode, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", a.opcode, err)
			continue
		}
		for first := 0; first < len(a.rows); first += lanes {
			rows := a.rows[first:min(first+lanes, len(a.rows))]
			width := 1 + strings.Count(rows[0], " ") - 1
			values := device.words(lanes * width)
			for i, row := range rows {
				for n, text := range strings.Fields(row)[:width-1] {
					if _, err := fmt.Sscanf(text, "%x", &values[i*width+n+1]); err != nil {
						t.Fatal(err)
					}
				}
			}
			if fault := device.run(p, "k", 1, 1, lanes, address(values)); fault != nil {
				t.Errorf("%s: %s", a.opcode, fault.Words())
				break
			}
			for i, row := range rows {
				want := row[strings.LastIndex(row, " ")+1:]
				if got := fmt.Sprintf("%016x", values[i*width]); got[16-len(want):] != want {
					t.Errorf("%s %s: %s", a.opcode, row, got[16-len(want):])
				}
			}
		}
		p.Forget()
	}
}
