// The process that runs the checks. It gets its request on standard input and writes findings to descriptor 3, each
// line at once, so that its supervisor knows the current file when it must kill the process.
import { writeSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { BrineError, toError } from '../base/mod.ts'
import { type Examination, examine, type SiteCounts } from './examine.ts'
import type { Finding } from './finding.ts'

export type WorkerMessage =
  | { kind: 'found'; finding: Finding }
  | { kind: 'began'; check: number; total: number; name: string }
  | { kind: 'entered'; file: string }
  | { kind: 'counted'; counts: SiteCounts }
  | { kind: 'failed'; text: string }
  | { kind: 'done' }

const CHANNEL = 3
const PAUSE = new Int32Array(new SharedArrayBuffer(4))

function send(message: WorkerMessage): void {
  let bytes = Buffer.from(`${JSON.stringify(message)}\n`)
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(CHANNEL, bytes))
    } catch (error) {
      // the supervisor reads more slowly than this writes
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(PAUSE, 0, 0, 5)
    }
  }
}

/** Run the examination that standard input describes. */
export async function serveExamination(): Promise<void> {
  const work = JSON.parse(await text(process.stdin)) as Examination
  try {
    await examine(work, {
      found: (finding) => send({ kind: 'found', finding }),
      began: (check, total, name) => send({ kind: 'began', check, total, name }),
      entered: (file) => send({ kind: 'entered', file }),
      counted: (counts) => send({ kind: 'counted', counts }),
    })
    send({ kind: 'done' })
  } catch (error) {
    const { message, stack = '' } = toError(error)
    // an error in Brine itself: the stack helps in a bug report
    const text = error instanceof BrineError ? message : stack.split('\n', 2).join(' ').trim()
    send({ kind: 'failed', text: text || message })
  }
}
