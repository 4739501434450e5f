// The output of a program. It is a parameter, so that tests can capture it.

export interface Streams {
  out(text: string): void
  /** Write whole lines of UTF-8, which cost less than a string of them. */
  outBytes?(bytes: Uint8Array): void
  err(text: string): void
  /** Whether a person sees the output as it comes. */
  readonly terminal: boolean
  /** Whether a person sees the error output as it comes. */
  readonly errTerminal?: boolean
}

/** Exit status of a program whose reader has closed the pipe. */
const EXIT_NO_READER = 141

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT_NO_READER)
  throw error
})

export const processStreams: Streams = {
  out: (text) => void process.stdout.write(text),
  outBytes: (bytes) => void process.stdout.write(bytes),
  err: (text) => void process.stderr.write(text),
  terminal: process.stdout.isTTY === true,
  errTerminal: process.stderr.isTTY === true,
}
