// Package source resolves machine addresses of a compiled program to what its
// author wrote: file, line, function, compute construct and variable.
//
// It fills what OpenACC 3.3 §5.2.1 and §5.2.2 ask of the runtime in acc_prof_info
// and acc_event_info: src_file, func_name, line_no, end_line_no, func_line_no,
// func_end_line_no, kernel_name and var_name.
//
// An Image is one ELF file with its debug information, wherever that lies, also in a
// file that several programs share. A
// Process is the set of images of a process: of the running one, or of a
// recorded list of modules. The packages below have what answers are made of:
// elffile the file, units its debug information, cfi its frames, machine what
// its code does, expression where variables are, snapshot what is kept of a call.
//
// Nothing here guesses: what cannot be resolved is empty.
package source
