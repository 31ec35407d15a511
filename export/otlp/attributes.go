package otlp

import (
	"fmt"
	"unicode/utf8"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// attributes collects attributes within the limits of OTEL_*_LIMIT.
type attributes struct {
	list    []*commonpb.KeyValue
	limits  *limits
	dropped uint32
}

func (a *attributes) add(key string, value *commonpb.AnyValue) {
	if a.limits.attributes >= 0 && len(a.list) >= a.limits.attributes {
		a.dropped++
		return
	}
	a.list = append(a.list, &commonpb.KeyValue{Key: key, Value: value})
}

// text adds a string that is not empty; bytes that are no UTF-8, which OTLP
// cannot hold, are replaced.
func (a *attributes) text(key, value string) {
	if value != "" {
		a.add(key, textValue(cut(value, a.limits.length)))
	}
}

func (a *attributes) number(key string, value int64) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: value}})
}

func (a *attributes) flag(key string, value bool) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: value}})
}

// address adds an address or handle that is not null, in hexadecimal digits:
// OTLP has no unsigned numbers.
func (a *attributes) address(key string, value uint64) {
	if value != 0 {
		a.text(key, fmt.Sprintf("%#x", value))
	}
}

// numbers that are 0 where they say nothing.
func (a *attributes) positive(key string, value int64) {
	if value > 0 {
		a.number(key, value)
	}
}

func (a *attributes) texts(key string, values []string) {
	list := &commonpb.ArrayValue{}
	for _, v := range values {
		list.Values = append(list.Values, textValue(cut(v, a.limits.length)))
	}
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: list}})
}

func textValue(value string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}
}

// cut makes a string valid UTF-8 of at most length characters; -1 is no limit.
func cut(value string, length int) string {
	if !utf8.ValidString(value) {
		value = string([]rune(value))
	}
	if length < 0 || utf8.RuneCountInString(value) <= length {
		return value
	}
	return string([]rune(value)[:length])
}

// site adds what all records of a site share (acc_prof_info, acc_event_info
// and acc_api_info of OpenACC 3.3 §5.2).
func (a *attributes) site(s *store.Site) {
	a.text("accscope.event", s.Kind)
	if s.Own() {
		a.text("accscope.annotation", s.Symbol)
		a.place(s)
		return
	}
	a.text("accscope.construct", s.Construct)
	if s.Construct == "" {
		a.number("accscope.construct.number", int64(s.ParentConstruct))
	}
	a.flag("accscope.implicit", s.Implicit != 0)
	if s.HasName {
		switch s.Kind {
		case "enqueue_launch":
			a.text("accscope.kernel", s.Symbol)
		case "error":
			a.text("accscope.error.message", s.Symbol)
		default:
			a.text("accscope.variable", s.Symbol)
		}
	}
	a.place(s)
	a.positive("accscope.line.end", int64(s.EndLine))
	a.positive("accscope.function.line.first", int64(s.FunctionLine))
	a.positive("accscope.function.line.last", int64(s.FunctionEndLine))
	a.number("accscope.async", s.Async)
	a.number("accscope.async_queue", s.AsyncQueue)
	a.text("accscope.device.type", export.DeviceType(s.DeviceType))
	a.number("accscope.device.number", int64(s.DeviceNumber))
	if s.Kind == "enqueue_launch" {
		a.number("accscope.gangs", int64(s.Gangs))
		a.number("accscope.workers", int64(s.Workers))
		a.number("accscope.vector_length", int64(s.Vector))
		if s.HasDimensions {
			a.text("accscope.gangs_per_dimension", s.Dimensions)
		}
	}
	if s.Kind == "error" {
		a.number("accscope.error.code", int64(s.ErrorCode))
		a.address("accscope.error.runtime_info", s.RuntimeInfo)
	}
	a.number("accscope.version", int64(s.Version))
	a.number("accscope.thread_id", int64(s.ThreadID))
	a.number("accscope.device_api", int64(s.DeviceAPI))
	a.number("accscope.vendor", int64(s.Vendor))
	a.address("accscope.device_handle", s.DeviceHandle)
	a.address("accscope.context_handle", s.ContextHandle)
	a.address("accscope.async_handle", s.AsyncHandle)
}

// place adds where in the source a site is.
func (a *attributes) place(s *store.Site) {
	a.text("code.file.path", s.File)
	a.text("code.function.name", s.Function)
	a.positive("code.line.number", int64(s.Line))
}

// record adds what is a record's own.
func (a *attributes) record(r *store.Record) {
	a.number("accscope.record", r.ID)
	a.number("accscope.sequence", int64(r.Sequence))
	if r.Bytes != 0 {
		a.number("accscope.bytes", int64(r.Bytes))
	}
	if r.Site.Own() {
		for _, n := range r.Numbers() {
			a.number("accscope.annotation."+n.Name, n.Value)
		}
	} else {
		a.address("accscope.host_address", r.Host)
		a.address("accscope.device_address", r.Address)
	}
	if r.Correlation != 0 {
		a.number("accscope.correlation", int64(r.Correlation))
	}
	if r.Opener != 0 {
		a.number("accscope.opener", r.Opener)
	}
	if r.Unended {
		a.flag("accscope.unended", true)
	}
}

// work adds what device activities share.
func (a *attributes) work(w *store.Work) {
	a.text("accscope.activity", w.Kind)
	if w.Kind == "kernel" {
		a.text("accscope.kernel", w.Symbol)
	} else {
		a.text("accscope.variable", w.Symbol)
	}
	a.number("accscope.async", w.Async)
	a.number("accscope.async_queue", w.AsyncQueue)
	a.text("accscope.gangs_by", w.By[0])
	a.text("accscope.workers_by", w.By[1])
	a.text("accscope.vector_by", w.By[2])
	if w.Peer != 0 {
		a.text("accscope.device.peer", w.PeerTitle())
		a.text("code.file.path", w.File)
		a.positive("code.line.number", int64(w.Line))
	}
}

func (a *attributes) activity(x *store.Activity) {
	a.number("accscope.activity.number", x.ID)
	if x.Bytes != 0 {
		a.number("accscope.bytes", int64(x.Bytes))
	}
	if x.Correlation != 0 {
		a.number("accscope.correlation", int64(x.Correlation))
	}
	a.number("accscope.device.clock.start", x.DeviceStart)
	a.number("accscope.device.clock.end", x.DeviceEnd)
}
