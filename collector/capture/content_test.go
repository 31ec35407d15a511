package capture

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// The hashes are those that xxHash's own program gives.
func TestHash(t *testing.T) {
	tests := []struct{ bytes, want string }{
		{"0", "ef46db3751d8e999"},
		{"1", "e934a84adb052768"},
		{"3", "28823e205e353f69"},
		{"4", "91b65bbe720c34cf"},
		{"5", "31fce8da85d2b801"},
		{"8", "521fd2878ea69d17"},
		{"31", "b74baa9042b94dee"},
		{"32", "4e13111ced6f735d"},
		{"33", "f7b9faf20b3bce63"},
		{"63", "35f935e6044a08ad"},
		{"64", "cd91daec2c21766f"},
		{"239", "832a938c3b13127b"},
		{"240", "1fa3ded0daf320b7"},
		{"241", "bc424a2c480dd281"},
		{"255", "155baa5891f7606f"},
		{"256", "2d040b1ab40f0d78"},
		{"257", "d0515fbec69efb50"},
		{"1023", "3071307bafa2f8f4"},
		{"1024", "1fd15e7d36f5e1bc"},
		{"1025", "fe08e5a874d23fd2"},
		{"1087", "31bd71b326693b7f"},
		{"1088", "0ac7cf3a6009bab5"},
		{"1089", "b246626fdf150fcb"},
		{"2048", "81ec4a6a9ee23d55"},
		{"2049", "9156a1fd2d1a8c37"},
		{"65536", "32152aa15c5ff65a"},
		{"1000003", "b6c4165033e2eeee"},
		{"1048576", "e2786b358eab4a67"},
	}
	builds := [][]string{{"-O2"}, {"-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"}}
	if runtime.GOARCH == "amd64" {
		builds = append(builds, []string{"-O2", "-mgeneral-regs-only"}) // as on a processor without SSE2
	}
	var sizes []string
	for _, test := range tests {
		sizes = append(sizes, test.bytes)
	}
	for _, flags := range builds {
		name := strings.Join(flags, " ")
		program := compile(t, "xxh"+strings.ReplaceAll(name, "/", ""), append(flags, "testdata/xxh.c", "../proflib/xxh.c")...)
		got := strings.Fields(run(t, exec.Command(program, sizes...)))
		if len(got) != len(tests) {
			t.Fatalf("%s: %d hashes of %d", name, len(got), len(tests))
		}
		for i, test := range tests {
			if got[i] != test.want {
				t.Errorf("%s: of %s bytes %s, want %s", name, test.bytes, got[i], test.want)
			}
		}
	}
}

// What transfers move is hashed where it is known to be there and readable.
func TestContent(t *testing.T) {
	for _, mode := range []string{"plain", "told"} {
		for _, setting := range []string{"on", "off"} {
			t.Run(mode+" "+setting, func(t *testing.T) {
				session := t.TempDir()
				program := compile(t, "content", "-O1", "testdata/content.c", "../proflib/xxh.c", "-pthread", "-ldl")
				command := exec.Command(program, library(t), mode)
				command.Env = append(command.Environ(), "ACCSCOPE_SESSION="+session, "ACCSCOPE_HASH="+setting)
				want := map[string]string{}
				for line := range strings.Lines(run(t, command)) {
					transfer, hashes, _ := strings.Cut(strings.TrimSpace(line), " ")
					want[transfer] = hashes
				}
				type place struct{ thread, sequence uint64 }
				transfers, contents := map[place]string{}, map[place]string{}
				each(t, openOne(t, session), func(item *Item) {
					switch {
					case item.Type == ItemEvent && (item.Event.Kind == 20 || item.Event.Kind == 22):
						transfers[place{item.Thread.Number, item.Event.Sequence}] = fmt.Sprint(item.Event.Line)
					case item.Type == ItemContent:
						c := &item.Content
						hashes := fmt.Sprintf("%016x -", c.Hash)
						if c.Known {
							hashes = fmt.Sprintf("%016x %016x", c.Hash, c.Overwritten)
						}
						at := place{c.Thread, c.Sequence}
						if contents[at] != "" || transfers[at] == "" && item.Thread.Number == c.Thread || item.Time == 0 {
							t.Errorf("content %+v of %+v", c, at)
						}
						contents[at] = hashes
					}
				})
				if len(transfers) != len(want) {
					t.Errorf("%d transfers, %d expected", len(transfers), len(want))
				}
				for at, transfer := range transfers {
					expected := want[transfer]
					if setting == "off" || expected == "- -" || compilers.Emulator() != "" { // which cannot tell what memory can be read
						expected = ""
					}
					if contents[at] != expected {
						t.Errorf("transfer %s: %q, want %q", transfer, contents[at], expected)
					}
					delete(contents, at)
				}
				if len(contents) > 0 {
					t.Errorf("of no transfer: %v", contents)
				}
			})
		}
	}
}
