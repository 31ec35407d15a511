package model

// Content is the hash of what a transfer moved: the one whose start event has this
// number on its thread.
type Content struct {
	Thread   ThreadID
	Sequence uint64
	Hash     uint64
	// Overwritten is the hash of what the host had there before a download, if that is
	// Known.
	Overwritten uint64
	Known       bool
}
