package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"syscall"
)

// browser is a page that the desktop was asked to open.
type browser struct{ file string }

// openBrowser asks the desktop to open an address, where there is a display. It
// may fail: the address has been printed. nil: nothing was asked for.
func openBrowser(address string) *browser {
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	opener, err := exec.LookPath("xdg-open")
	if err != nil {
		return nil
	}
	// Everybody sees the arguments of processes, so the token in the address goes by
	// a file of the user's own.
	file, err := os.CreateTemp("", "accscope-*.html")
	if err != nil {
		return nil
	}
	b := &browser{file.Name()}
	_, err = fmt.Fprintf(file, "<!doctype html><title>accscope</title><meta http-equiv=\"refresh\" content=\"0;url=%s\">\n", html.EscapeString(address))
	if closed := file.Close(); err != nil || closed != nil {
		b.close()
		return nil
	}
	command := exec.Command(opener, file.Name())
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl+C is not for the browser
	if command.Start() != nil {
		b.close()
		return nil
	}
	go command.Wait() //nolint:errcheck // the address has been printed
	return b
}

// close removes the file.
func (b *browser) close() {
	if b != nil {
		os.Remove(b.file) //nolint:errcheck // a small file among temporary ones
	}
}
