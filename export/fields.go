package export

import "github.com/accscope/accscope/collector/store"

// Address is a number that is shown as an address.
type Address uint64

// Field is a named value of an event.
type Field struct {
	Name   string
	Value  any  // a string, bool, int64, uint64, float64 or Address
	Detail bool // hardly ever read: formats that state it each time may leave it out
}

// Fields are what a site's records share, with the names of acc_prof_info,
// acc_event_info and acc_api_info (OpenACC 3.3 §5.2). What says nothing for the
// kind of event is left out; the place in the source is not among them.
func Fields(s *store.Site) []Field {
	launch, failure := s.Kind == "enqueue_launch", s.Kind == "error"
	var list []Field
	add := func(name string, value any, given bool) {
		if given {
			list = append(list, Field{Name: name, Value: value})
		}
	}
	detail := func(name string, value any, given bool) {
		if given {
			list = append(list, Field{name, value, true})
		}
	}
	if s.Own() {
		add("event", s.Kind, true)
		add("name", s.Symbol, s.HasName)
		return list
	}
	add("event", "acc_ev_"+s.Kind, true)
	add("construct", s.Construct, s.Construct != "")
	detail("parent_construct", int64(s.ParentConstruct), true)
	add("implicit", s.Implicit != 0, true)
	add("async", s.Async, true)
	add("async_queue", s.AsyncQueue, true)
	add("device_type", DeviceType(s.DeviceType), true)
	add("device_number", int64(s.DeviceNumber), true)
	add("thread_id", int64(s.ThreadID), true)
	detail("version", int64(s.Version), true)
	name := "variable"
	if launch {
		name = "kernel"
	} else if failure {
		name = "message"
	}
	add(name, s.Symbol, s.HasName) // what the event said; its title is readable
	detail("end_line", int64(s.EndLine), s.EndLine > 0)
	detail("function_line", int64(s.FunctionLine), s.FunctionLine > 0)
	detail("function_end_line", int64(s.FunctionEndLine), s.FunctionEndLine > 0)
	add("gangs", s.Gangs, launch)
	add("workers", s.Workers, launch)
	add("vector_length", s.Vector, launch)
	add("gangs_per_dimension", s.Dimensions, s.HasDimensions)
	add("error_code", int64(s.ErrorCode), failure)
	add("runtime_info", Address(s.RuntimeInfo), failure)
	detail("device_api", int64(s.DeviceAPI), true)
	detail("vendor", int64(s.Vendor), true)
	detail("device_handle", Address(s.DeviceHandle), s.DeviceHandle != 0)
	detail("context_handle", Address(s.ContextHandle), s.ContextHandle != 0)
	detail("async_handle", Address(s.AsyncHandle), s.AsyncHandle != 0)
	detail("valid_bytes", int64(s.ProfileBytes), true)
	detail("event_valid_bytes", int64(s.EventBytes), true)
	detail("api_valid_bytes", int64(s.APIBytes), true)
	return list
}
