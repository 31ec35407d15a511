package ptx

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

const module = `// BEGIN PREAMBLE
	.version	7.0
	.target	sm_80, debug
	.address_size 64
.file 1 "a.c", 12, 30
.file 2	"/src/b c.h"
.extern .shared .align 8 .u8 __oacc_bcast[]; /* as large
 as any wants */
.visible .global .align 4 .u32 table[4] = { 1, -2, 0x10, 0f3F800000 };
.weak .global .u64 pointers[2] = { generic(table)+8, f };
.const .f64 half = 0d3FE0000000000000;
.visible .global .align 8 .b8 grid[3][4];
.extern .func (.param.u32 %value_out) f (.param.u64 %in_ar0, .param.f64 %in_ar1);
.alias g,f;
.entry main$_omp_fn$0 (.param.u64 %in_ar0);
.visible .entry main$_omp_fn$0 (.param.u64 %in_ar0) .maxntid 128
{ // }
	ret;
}
.func (.param.u32 %value_out) f (.param.u64 %in_ar0, .param.f64 %in_ar1) .noreturn
{
	{ exit; }
}
`

// TestParse: what stands outside of functions, and where bodies lie.
func TestParse(t *testing.T) {
	m, err := Parse(module)
	if err != nil {
		t.Fatal(err)
	}
	if m.Version != "7.0" || m.Target != "sm_80" || m.Aliases["g"] != "f" {
		t.Errorf("version %s, target %s, aliases %v", m.Version, m.Target, m.Aliases)
	}
	if want := map[int]string{1: "a.c", 2: "/src/b c.h"}; !reflect.DeepEqual(m.Files, want) {
		t.Errorf("files %v, want %v", m.Files, want)
	}
	for i, want := range []Variable{
		{Name: "__oacc_bcast", Space: "shared", Linkage: Extern, Type: "u8", Align: 8},
		{Name: "table", Space: "global", Linkage: Visible, Type: "u32", Align: 4, Count: 4,
			Initial: []Initial{{Value: 1}, {Value: 0xfffffffe}, {Value: 16}, {Value: 0x3f800000}}},
		{Name: "pointers", Space: "global", Linkage: Weak, Type: "u64", Align: 8, Count: 2,
			Initial: []Initial{{Name: "table", Generic: true, Value: 8}, {Name: "f"}}},
		{Name: "half", Space: "const", Type: "f64", Align: 8, Count: 1, Initial: []Initial{{Value: 0x3fe0000000000000}}},
		{Name: "grid", Space: "global", Linkage: Visible, Type: "b8", Align: 8, Count: 12},
	} {
		if i >= len(m.Variables) || !reflect.DeepEqual(m.Variables[i], want) {
			t.Errorf("variables %+v, want at %d %+v", m.Variables, i, want)
		}
	}
	var heads []string
	for _, f := range m.Functions {
		head := f.Name
		if f.Entry {
			head = "entry " + head
		}
		for _, v := range append(f.Results, f.Parameters...) {
			head += " " + v.Space + "." + v.Type + " " + v.Name
		}
		heads = append(heads, head+": "+strings.TrimSpace(module[f.Body.Begin:f.Body.End]))
	}
	want := []string{
		"f param.u32 %value_out param.u64 %in_ar0 param.f64 %in_ar1: ",
		"entry main$_omp_fn$0 param.u64 %in_ar0: ",
		"entry main$_omp_fn$0 param.u64 %in_ar0: // }\n\tret;",
		"f param.u32 %value_out param.u64 %in_ar0 param.f64 %in_ar1: { exit; }",
	}
	if !reflect.DeepEqual(heads, want) {
		t.Errorf("functions %q, want %q", heads, want)
	}
	if f := m.Find("f"); f != &m.Functions[3] || m.Find("g") != nil {
		t.Errorf("f is found as %+v", f)
	}
}

// TestNotPTX: each text is refused, with the line and the word that is wrong.
func TestNotPTX(t *testing.T) {
	for text, want := range map[string]string{
		"hello":                                      `PTX, line 1 (byte 0): there is "hello" where a directive should be`,
		".version 7.0\n.address_size 32":             `PTX, line 2 (byte 27): addresses of 32 bits, and only those of 64 are known`,
		"\n.global .u33 a;":                          `PTX, line 2 (byte 9): there is ".u33" where a type or a state space should be`,
		".global .u32 a":                             `PTX, line 1 (byte 14): the text ends where there should be ";"`,
		".global .u32 a[2] = {1, 2, 3};":             `PTX, line 1 (byte 28): 3 values for the 2 elements of a`,
		".global .u32 a = 0f12;":                     `PTX, line 1 (byte 17): "0f12" is no floating-point number`,
		".entry k (.param .u64 %a)\n{\n{ ret; }\n":   `a brace is never closed`,
		".entry k () { @%p }":                        `where an instruction should be`,
		".entry k () { bra $L1; }":                   `there is no label $L1`,
		".entry k () { $L1: $L1: ret; }":             `there are two labels $L1`,
		".entry k () { add.u32 %a, [%b; }":           `there is ";" where there should be "]"`,
		".entry k () { ret; }\n.file 1 a":            `there is "a" where a file's name should be`,
		".entry k () { t: .branchtargets $L1; ret;}": `.branchtargets is not known`,
	} {
		m, err := Parse(text)
		if err == nil {
			_, err = m.Decode(&m.Functions[0])
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzDecode: whatever a text holds, its places lie in it and its numbers in their tables.
func FuzzDecode(f *testing.F) {
	f.Add(module)
	for _, file := range []string{"../nvidia/testdata/arguments.ptx", "../cuda/testdata/kernels.ptx"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			return
		}
		for i := range m.Functions {
			b, err := m.Decode(&m.Functions[i])
			if err != nil {
				continue
			}
			for at, meet := range b.Flow().Meet {
				if in := &b.Instructions[at]; !strings.HasPrefix(text[in.Offset:], "@") && !strings.HasPrefix(text[in.Offset:], in.Opcode) || in.Guard.Register >= len(b.Registers) {
					t.Fatalf("instruction %d is %+v", at, in)
				}
				if meet < -1 || meet > len(b.Instructions) {
					t.Fatalf("lanes of %d meet at %d of %d", at, meet, len(b.Instructions))
				}
			}
		}
	})
}
