package cuda

/*
#include <stdlib.h>
#include "cuda.h"
#include "stamps.h"
*/
import "C"

import (
	"regexp"
	"strconv"
	"strings"
	"unsafe"

	"github.com/accscope/accscope/runtime/goacc"
)

// The parameters that a kernel gets: where it writes its times (stamps.h), 0 for
// nowhere, and which bits of a thread's number in its gang are 0 for those that tell
// when they end.
const stampParameter = ", .param .u64 %accscope_stamp, .param .u32 %accscope_tellers"

// stampWords puts into PTX where the words of stamps.h are.
var stampWords = strings.NewReplacer(
	"LASTEND", strconv.Itoa(C.ACCSCOPE_CUDA_STAMP_ENDS-1),
	"STRIDE", strconv.Itoa(C.ACCSCOPE_CUDA_STAMP_STRIDE),
)

// The first thread of the first gang tells when the kernel begins: gangs begin in
// their order. Which threads tell when they end, and where, is found here, while the
// gang waits for its first loads anyway; the word is the same for all of a gang's
// threads, and takes none of their registers.
var stampStart = stampWords.Replace(`
.reg .pred %accscope_silent;
.reg .u64 %accscope_end;
{
.reg .u64 %accscope_at, %accscope_time;
.reg .u32 %accscope_a, %accscope_b, %accscope_c;
.reg .pred %accscope_other;
ld.param.u64 %accscope_at, [%accscope_stamp];
mov.u32 %accscope_a, %tid.y;
mov.u32 %accscope_b, %ntid.x;
mov.u32 %accscope_c, %tid.x;
mad.lo.u32 %accscope_a, %accscope_a, %accscope_b, %accscope_c;
ld.param.u32 %accscope_c, [%accscope_tellers];
and.b32 %accscope_c, %accscope_a, %accscope_c;
setp.ne.u32 %accscope_silent, %accscope_c, 0;
setp.eq.or.u64 %accscope_silent, %accscope_at, 0, %accscope_silent;
mov.u32 %accscope_b, %ctaid.x;
and.b32 %accscope_c, %accscope_b, LASTEND;
mad.wide.u32 %accscope_end, %accscope_c, STRIDE, %accscope_at;
setp.ne.u32 %accscope_other, %accscope_b, 0;
@%accscope_other bra.uni $accscope_begun;
setp.ne.or.u32 %accscope_other, %accscope_a, 0, %accscope_silent;
@%accscope_other bra $accscope_begun;
mov.u64 %accscope_time, %globaltimer;
st.global.u64 [%accscope_at], %accscope_time;
$accscope_begun:
}
`)

// The latest of a kernel's words counts. All gangs come here at the same time, and the
// kernel ends when the last has done so: what stands here is to fit into the lines of
// code that were fetched with the instructions before it.
var stampEnd = stampWords.Replace(`
@%accscope_silent ret;
{
.reg .u64 %accscope_time;
mov.u64 %accscope_time, %globaltimer;
red.global.max.u64 [%accscope_end+STRIDE], %accscope_time;
}
`)

var (
	entry     = regexp.MustCompile(`(?m)^[ \t]*(?:\.(?:visible|weak)[ \t]+)?\.entry[ \t]+([\w$%.]+)[ \t]*\(([^()]*)\)`)
	oneOnly   = regexp.MustCompile(`^\s*\.param\s*\.u64\s+[\w$%.]+\s*$`)
	returning = regexp.MustCompile(`\bret\b`)
)

// stamped gives the kernels of an image the instructions that take their times, and
// tells which have them; free gives the new text back. There are none where the
// image has no kernel, or one that is not as GCC makes them.
func stamped(code goacc.PTX) (with goacc.PTX, kernels map[string]bool, free func()) {
	objects := unsafe.Slice((*C.struct_accscope_cuda_object)(code.Objects), code.Count)
	array := (*C.struct_accscope_cuda_object)(C.calloc(C.size_t(max(1, code.Count)), C.sizeof_struct_accscope_cuda_object))
	rewritten := unsafe.Slice(array, code.Count)
	var texts []*C.char
	free = func() {
		for _, text := range texts {
			C.free(unsafe.Pointer(text))
		}
		C.free(unsafe.Pointer(array))
	}
	kernels = map[string]bool{}
	for i, object := range objects {
		rewritten[i] = object
		if object.code == nil || object.size == 0 {
			continue
		}
		text, names, ok := stampText(C.GoStringN(object.code, C.int(object.size-1)))
		if !ok {
			free()
			return code, nil, func() {}
		}
		if len(names) == 0 {
			continue
		}
		for _, name := range names {
			kernels[name] = true
		}
		c := C.CString(text)
		texts = append(texts, c)
		rewritten[i].code, rewritten[i].size = c, C.size_t(len(text)+1)
	}
	with = code
	with.Objects = unsafe.Pointer(array)
	return with, kernels, free
}

// stampText rewrites the OpenACC kernels of one PTX text (PTX ISA, "Kernel Function
// Parameters", "Special Registers") and names them. Those of OpenMP have other
// parameters and are left as they are. It is false if the text is not as GCC writes
// it.
func stampText(text string) (result string, kernels []string, ok bool) {
	if !strings.Contains(text, ".entry") {
		return text, nil, true
	}
	if strings.Contains(text, "%accscope_") {
		return text, nil, false
	}
	var b strings.Builder
	at := 0
	for _, match := range entry.FindAllStringSubmatchIndex(text, -1) {
		if match[0] < at {
			return text, nil, false
		}
		if !oneOnly.MatchString(text[match[4]:match[5]]) {
			continue
		}
		b.WriteString(text[at:match[5]])
		b.WriteString(stampParameter)
		at = match[5]
		body := strings.IndexAny(text[at:], "{;")
		if body < 0 {
			return text, nil, false
		}
		body += at
		if text[body] == ';' {
			continue // a declaration
		}
		end := closing(text, body)
		if end < 0 {
			return text, nil, false
		}
		b.WriteString(text[at : body+1])
		b.WriteString(stampStart)
		if !stampReturns(&b, text[body+1:end]) {
			return text, nil, false
		}
		at = end
		kernels = append(kernels, text[match[2]:match[3]])
	}
	b.WriteString(text[at:])
	return b.String(), kernels, true
}

// closing finds the brace that closes the one at begin, -1 if none does.
func closing(text string, begin int) int {
	depth := 0
	for i := begin; i < len(text); i++ {
		switch text[i] {
		case '/':
			if strings.HasPrefix(text[i:], "//") {
				line := strings.IndexByte(text[i:], '\n')
				if line < 0 {
					return -1
				}
				i += line
			} else if strings.HasPrefix(text[i:], "/*") {
				return -1 // GCC writes none
			}
		case '"':
			return -1 // nor texts in code
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// stampReturns copies a kernel's instructions, with those that take the time before
// each return. The return is a line of its own in GCC's code.
func stampReturns(b *strings.Builder, body string) bool {
	any := false
	for line := range strings.Lines(body) {
		code, _, _ := strings.Cut(line, "//")
		if returning.MatchString(code) {
			if strings.TrimSpace(code) != "ret;" {
				return false
			}
			b.WriteString(stampEnd)
			any = true
		}
		b.WriteString(line)
	}
	return any
}
