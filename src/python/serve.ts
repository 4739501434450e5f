// The host's side for a Python process that started us, and asks over our standard streams.
import type { Readable, Writable } from 'node:stream'
import type { Value } from '../data/mod.ts'
import { failureOf } from './errors.ts'
import { frame, PythonFrameReader } from './frames.ts'
import type { ScopeFunction } from './scope.ts'

const REPLY = 1
const FAIL = 2

/** Answers until the input ends. */
export async function serveFrames(
  input: Readable,
  output: Writable,
  answers: ReadonlyMap<string, ScopeFunction>,
): Promise<void> {
  const answer = async ([, number, , method, params]: Value[]): Promise<void> => {
    try {
      const known = answers.get(String(method))
      if (!known) throw new Error(`Nothing here answers '${String(method)}'`)
      output.write(frame([REPLY, number, await known(params as Value[], { onTarget: false })]))
    } catch (error) {
      output.write(frame([FAIL, number, failureOf(error)]))
    }
  }
  const reader = new PythonFrameReader((message) => void answer(message))
  for await (const piece of input) reader.push(piece as Buffer)
}
