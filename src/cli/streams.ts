// Where a program's text goes. Programs get it from outside, so that a test can read along.

export interface Streams {
  out(text: string): void
  err(text: string): void
  /** Whether a person sees the output as it comes. */
  readonly terminal: boolean
}

export const processStreams: Streams = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  terminal: process.stdout.isTTY === true,
}
