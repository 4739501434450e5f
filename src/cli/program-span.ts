// The span of a whole program, below the span in the environment variable TRACEPARENT, if set.
import type { Log } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import { readTraceparent, Tracer } from '../telemetry/mod.ts'

export interface ProgramSpan {
  opts: Dict
  log: Log
  name: string
  attributes: Readonly<Record<string, string>>
  /** The name of the service, unless the options name it. */
  service?: string
}

/** Run the work of a program in a span; the program waits until its spans are sent. */
export async function inProgramSpan(
  { opts, log, name, attributes, service = 'salt' }: ProgramSpan,
  run: () => Promise<number>,
): Promise<number> {
  const tracer = Tracer.of(opts, service, log)
  if (!tracer) return run()
  const failure = (status: number): string | undefined => (status === 0 ? undefined : `exit status ${status}`)
  const parent = readTraceparent(process.env['TRACEPARENT'])
  try {
    return await tracer.span({ name, attributes, parent, failure }, run)
  } finally {
    await tracer.close()
  }
}
