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
// their order. Nothing of it is kept for the end: what lives through the calls that GCC's
// code makes for its divisions takes registers, of which a few more leave room for fewer
// gangs on a multiprocessor at once.
const stampStart = `
{
.reg .u64 %accscope_at, %accscope_time;
.reg .u32 %accscope_a, %accscope_b;
.reg .pred %accscope_other;
mov.u32 %accscope_b, %ctaid.x;
setp.ne.u32 %accscope_other, %accscope_b, 0;
@%accscope_other bra.uni $accscope_begun;
mov.u32 %accscope_a, %tid.y;
mov.u32 %accscope_b, %tid.x;
or.b32 %accscope_a, %accscope_a, %accscope_b;
ld.param.u64 %accscope_at, [%accscope_stamp];
setp.eq.u64 %accscope_other, %accscope_at, 0;
setp.ne.or.u32 %accscope_other, %accscope_a, 0, %accscope_other;
@%accscope_other bra $accscope_begun;
mov.u64 %accscope_time, %globaltimer;
st.global.u64 [%accscope_at], %accscope_time;
$accscope_begun:
}
`

// The latest of a kernel's words counts. A gang's number says which word is its.
var stampEnd = stampWords.Replace(`
{
.reg .u64 %accscope_at, %accscope_time;
.reg .u32 %accscope_a, %accscope_b, %accscope_c;
.reg .pred %accscope_silent;
ld.param.u64 %accscope_at, [%accscope_stamp];
mov.u32 %accscope_a, %tid.y;
mov.u32 %accscope_b, %ntid.x;
mov.u32 %accscope_c, %tid.x;
mad.lo.u32 %accscope_a, %accscope_a, %accscope_b, %accscope_c;
ld.param.u32 %accscope_c, [%accscope_tellers];
and.b32 %accscope_c, %accscope_a, %accscope_c;
setp.ne.u32 %accscope_silent, %accscope_c, 0;
setp.eq.or.u64 %accscope_silent, %accscope_at, 0, %accscope_silent;
@%accscope_silent ret;
mov.u32 %accscope_b, %ctaid.x;
and.b32 %accscope_b, %accscope_b, LASTEND;
mad.wide.u32 %accscope_at, %accscope_b, STRIDE, %accscope_at;
mov.u64 %accscope_time, %globaltimer;
red.global.max.u64 [%accscope_at+STRIDE], %accscope_time;
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
