package errortable

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// program holds every condition's code as one numbered case. Its error
// callback prints what it was given and asks for a property, as §5.1.11
// allows, then returns: the default handler must end the program, unless the
// condition is one that is only reported.
const program = `
#include <openacc.h>
#include <acc_callback.h>
#include <stdio.h>
#include <stdlib.h>
%s
%s
int
main (int argc, char **argv)
{
  (void) absent; (void) argc;
  if (!getenv ("UNWATCHED"))
    acc_callback_register (acc_ev_error, on_error, acc_reg);
  switch (atoi (argv[1]))
    {
%s    default:
      return 2;
    }
  printf ("no error\n");
  return 0;
}
`

// onError is the callback of all programs.
const onError = `
static void
on_error (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) api;
  const char *name = acc_get_property_string (0, acc_device_host, acc_property_name);
  printf ("error %d parent %d implicit %d event %d property %s message %s\n",
          (int) event->error_event.error_code, (int) event->error_event.parent_construct,
          event->error_event.implicit, (int) info->event_type, name ? "ok" : "missing",
          event->error_event.error_message ? event->error_event.error_message : "(none)");
  fflush (stdout);
}
`

// The numbers of the names that conditions use; the header test of package
// callbacks proves the names equal to these.
var (
	errorCodes = map[string]int{
		"other": 1, "system": 2, "execution": 3, "device_init": 4, "device_shutdown": 5,
		"device_unavailable": 6, "device_type_unavailable": 7, "wrong_device_type": 8,
		"out_of_memory": 9, "not_present": 10, "partly_present": 11, "present": 12,
		"invalid_argument": 13, "invalid_async": 14, "invalid_null_pointer": 15,
		"invalid_data_section": 16,
	}
	constructs = map[string]int{
		"parallel": 0, "kernels": 1, "data": 3, "enter_data": 4, "exit_data": 5,
		"host_data": 6, "declare": 8, "update": 12, "wait": 14, "runtime_api": 15, "serial": 16,
	}
)

// library is the runtime under test.
func library(t *testing.T) string {
	t.Helper()
	file, err := filepath.Abs("../../lib/libopenacc.so")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("%v: run make first", err)
	}
	return file
}

func TestConditions(t *testing.T) {
	source := filepath.Join(t.TempDir(), "conditions.c")
	if err := os.WriteFile(source, []byte(programInC()), 0o644); err != nil {
		t.Fatal(err)
	}
	binary := compile(t, compilers.C(), "-O0", "-I", "../include", source)
	run(t, binary, conditions)
}

// conditions are those of programs in C.
var conditions = append(append([]condition{}, routineConditions...), directiveConditions...)

// programInC is the program with the cases of conditions.
func programInC() string {
	var cases strings.Builder
	for number, c := range conditions {
		fmt.Fprintf(&cases, "    case %d: {%s\n    break; }\n", number, c.code)
	}
	return fmt.Sprintf(program, prelude, onError, cases.String())
}

// compile links a program with the runtime library.
func compile(t *testing.T, compiler string, arguments ...string) string {
	t.Helper()
	folder := filepath.Dir(library(t))
	binary := filepath.Join(t.TempDir(), "conditions")
	arguments = append([]string{"-fopenacc", "-foffload=disable", "-g", "-o", binary}, arguments...)
	arguments = append(arguments, "-L"+folder, "-lopenacc", "-Wl,-rpath,"+folder)
	if output, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, output)
	}
	return binary
}

// run runs the case of each condition in a process of its own.
func run(t *testing.T, binary string, conditions []condition) {
	for number, c := range conditions {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check(t, c, execute(t, binary, number, c))
			if c.goesOn {
				check(t, condition{}, execute(t, binary, number, c, "UNWATCHED=1"))
			}
		})
	}
}

// A result is what one case wrote and how it ended.
type result struct {
	output, errors string
	status         int
}

// execute runs one case.
func execute(t *testing.T, binary string, number int, c condition, settings ...string) result {
	t.Helper()
	command := exec.Command(binary, fmt.Sprint(number))
	command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE=sim")
	if c.faults != "" {
		command.Env = append(command.Env, "ACCSCOPE_SIM_FAULT="+c.faults)
	}
	if c.memory != "" {
		command.Env = append(command.Env, "ACCSCOPE_SIM_MEMORY="+c.memory)
	}
	if c.setting != "" {
		command.Env = append(command.Env, c.setting)
	}
	command.Env = append(command.Env, settings...)
	var stderr strings.Builder
	command.Stderr = &stderr
	text, err := command.Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return result{string(text), stderr.String(), command.ProcessState.ExitCode()}
}

func check(t *testing.T, c condition, r result) {
	t.Helper()
	output, errors := r.output, r.errors
	if c.error == "" {
		if r.status != 0 || output != "no error\n" || errors != "" {
			t.Errorf("want no error, got status %d\n%s%s", r.status, output, errors)
		}
		return
	}
	if !c.goesOn && r.status != 1 {
		t.Fatalf("want exit status 1, got %d\n%s%s", r.status, output, errors)
	}
	var code, parent, implicit, event int
	var property string
	if _, err := fmt.Sscanf(output, "error %d parent %d implicit %d event %d property %s message", &code, &parent, &implicit, &event, &property); err != nil {
		t.Fatalf("no error event: %v\n%s%s", err, output, errors)
	}
	if code != errorCodes[c.error] || parent != constructs[c.parent] || implicit != 1 || event != 100 || property != "ok" {
		t.Errorf("got code %d, parent %d, implicit %d, event %d, property %s; want %s (%d), %s (%d), 1, 100, ok\n%s",
			code, parent, implicit, event, property, c.error, errorCodes[c.error], c.parent, constructs[c.parent], output)
	}
	_, message, _ := strings.Cut(output, "message ")
	message, rest, _ := strings.Cut(message, "\n")
	after := ""
	if c.goesOn {
		after = "no error\n"
	}
	if where, what, _ := strings.Cut(message, ": "); strings.HasPrefix(what, where) || strings.Contains(message, "  ") || strings.Contains(message, "%!") {
		t.Errorf("message %q is not one sentence after the name of its routine or construct", message)
	}
	if !strings.Contains(message, c.message) || rest != after {
		t.Errorf("message %q, then %q; want one message with %q, then %q", message, rest, c.message, after)
	}
	if c.goesOn {
		if r.status != 0 || errors != "" {
			t.Errorf("want a program that goes on, got status %d and %q from the default handler", r.status, errors)
		}
		return
	}
	if strings.Count(strings.TrimSpace(errors), "\n") != 0 || !strings.Contains(errors, message) {
		t.Errorf("the default handler wrote %q; want one line with the message", errors)
	}
}
