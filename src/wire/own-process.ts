// A further process of the same program, which does one thing for the first one and ends with it.
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { PURPOSE_VARIABLE } from '../base/mod.ts'
import { WireError } from './errors.ts'

/** What Node needs to run a program from its source. */
const FROM_SOURCE = ['--import', 'tsx']

/** Start one that hears and says values of all kinds, and prints where the first one prints; throw when that is not possible. */
export function forkFor(purpose: string, program: string, options: ForkOptions = {}): ChildProcess {
  const child = fork(program, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [PURPOSE_VARIABLE]: purpose },
    execArgv: program.endsWith('.ts') ? FROM_SOURCE : process.execArgv,
    ...options,
  })
  if (child.pid === undefined) {
    // its error comes later, and no other event: whoever waits for its end would wait for ever
    child.on('error', () => {})
    throw new WireError('NotStarted', 'the system starts no further process: too many files or processes may be open')
  }
  return child
}
