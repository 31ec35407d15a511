// Package report turns a trace into the tables that a performance engineer
// reads first: where the host's time went, exclusive and inclusive told apart;
// kernels, transfers, synchronisation, memory and errors.
package report
