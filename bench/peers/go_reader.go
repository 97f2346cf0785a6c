// Reads all events of a trace with the reader of Go's own library, and keeps nothing. bench/run.sh builds it
// where a Go of 1.23 or later is installed: that library is internal to it.
package main

import (
	"fmt"
	"internal/trace"
	"io"
	"os"
)

func read(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	reader, err := trace.NewReader(file)
	if err != nil {
		return err
	}
	for {
		if _, err = reader.ReadEvent(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func main() {
	if err := read(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
