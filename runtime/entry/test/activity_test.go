package test

import "testing"

// Device activity before anything needs the Go part: subscriptions are noted and
// made when it is opened, the rest answers as a runtime without a device. From
// then on the same table, and the subscriptions' numbers, lead to the Go part.
func TestEarlyActivity(t *testing.T) {
	program := compile(t, "activity.c", "activity", "-fopenacc")
	for _, c := range []struct {
		name, activity string
		output         []string
		errors         string
	}{
		{"taken over", "on", []string{
			"now the Go part",
			"start",
			"lookup",
			"subscribe size whole kinds 1 context kept",
			"subscribe size whole kinds 2 context kept",
			"get_num_devices 2",
			"flush_for",
			"unsubscribe 41",
			"subscribe size whole kinds 16 context kept",
			"flush",
			"clock",
			"mappings",
			"queues",
			"device",
			"learned",
			"kernel",
			"program_end",
		}, ""},
		{"refused", "refuse", []string{
			"now the Go part",
			"start",
			"lookup",
			"subscribe size whole kinds 1 context kept",
			"subscribe size whole kinds 2 context kept",
			"get_num_devices 2",
			"subscribe size whole kinds 16 context kept",
			"flush",
			"clock",
			"mappings",
			"queues",
			"device",
			"learned",
			"kernel",
			"program_end",
		}, lines("libopenacc: a tool's subscription to device activity was refused",
			"libopenacc: a tool's subscription to device activity was refused")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := run(t, []string{preload(t), "STANDIN_ACTIVITY=" + c.activity}, program)
			o.want(t, lines(c.output...), 0)
			if o.errors != c.errors {
				t.Errorf("standard error %q, want %q", o.errors, c.errors)
			}
		})
	}
}
