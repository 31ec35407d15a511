// Package source resolves machine addresses of a compiled program to what its
// author wrote: file, line, function, compute construct and variable.
//
// It fills what OpenACC 3.3 §5.2.1 and §5.2.2 ask of the runtime in acc_prof_info
// and acc_event_info: src_file, func_name, line_no, end_line_no, func_line_no,
// func_end_line_no, kernel_name and var_name.
//
// An Image is one ELF file with its debug information, wherever that lies. A
// Process is the set of images of a process: of the running one, or of a
// recorded list of modules. Only the units of debug information that hold a
// wanted address are decoded, and few of them are kept.
//
// Nothing here guesses: what cannot be resolved is empty.
package source
