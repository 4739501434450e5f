// A further process of the same program, which does one thing for the first one and ends with it.
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { PURPOSE_VARIABLE } from '../base/mod.ts'
import { WireError } from './errors.ts'

/** Node's options for running a program from source. */
const FROM_SOURCE = ['--import', 'tsx']

/** Start a child process that exchanges values with this one and shares its output; throw if that fails. */
export function forkFor(purpose: string, program: string, options: ForkOptions = {}): ChildProcess {
  const child = fork(program, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [PURPOSE_VARIABLE]: purpose },
    execArgv: program.endsWith('.ts') ? FROM_SOURCE : process.execArgv,
    ...options,
  })
  if (child.pid === undefined) {
    // the error arrives later, without any other event, so a wait for the exit would never end
    child.on('error', () => {})
    throw new WireError('NotStarted', 'the system starts no further process: too many files or processes may be open')
  }
  return child
}
