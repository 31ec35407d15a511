package cuda

// #include "stamps.h"
import "C"

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/nvidia"
	"github.com/accscope/accscope/runtime/ptx"
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

var returning = regexp.MustCompile(`\bret\b`)

// stamps gives the OpenACC kernels of a text the instructions that take their times (PTX
// ISA, "Kernel Function Parameters", "Special Registers"), and names those that have
// them. Those of OpenMP have other parameters and are left as they are. It is false if a
// kernel is not as GCC writes it.
func stamps(m *ptx.Module) (edits []nvidia.Edit, kernels []string, ok bool) {
	if strings.Contains(m.Text, "%accscope_") {
		return nil, nil, false
	}
	for i := range m.Functions {
		f := &m.Functions[i]
		if !f.Entry || !nvidia.TakesOnlyBlock(f) {
			continue
		}
		edits = append(edits, nvidia.Edit{Span: ptx.Span{Begin: f.List.End, End: f.List.End}, Text: stampParameter})
		if !f.Defined() {
			continue
		}
		returns := returnsOf(m.Text, f.Body)
		if len(returns) == 0 {
			return nil, nil, false
		}
		edits = append(edits, nvidia.Edit{Span: ptx.Span{Begin: f.Body.Begin, End: f.Body.Begin}, Text: stampStart})
		for _, at := range returns {
			edits = append(edits, nvidia.Edit{Span: ptx.Span{Begin: at, End: at}, Text: stampEnd})
		}
		kernels = append(kernels, strings.Clone(f.Name))
	}
	return edits, kernels, true
}

// returnsOf gives where the lines of a kernel's returns begin; none where one does not
// have its line to itself, as it has in GCC's code.
func returnsOf(text string, body ptx.Span) (returns []int) {
	at := body.Begin
	for line := range strings.Lines(text[body.Begin:body.End]) {
		code, _, _ := strings.Cut(line, "//")
		if returning.MatchString(code) {
			if strings.TrimSpace(code) != "ret;" {
				return nil
			}
			returns = append(returns, at)
		}
		at += len(line)
	}
	return returns
}
