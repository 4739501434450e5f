// A further process of the same program, which does one thing for the first one and ends with it.
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { PURPOSE_VARIABLE } from '../base/mod.ts'

/** What Node needs to run a program from its source. */
const FROM_SOURCE = ['--import', 'tsx']

/** It hears and says values of all kinds, and prints where the first one prints. */
export function forkFor(purpose: string, program: string, options: ForkOptions = {}): ChildProcess {
  return fork(program, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [PURPOSE_VARIABLE]: purpose },
    execArgv: program.endsWith('.ts') ? FROM_SOURCE : process.execArgv,
    ...options,
  })
}
