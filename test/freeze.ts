// Stops a process as a hang would. A signal takes effect some time after it was sent, in each thread by itself.
import { readdirSync, readFileSync } from 'node:fs'
import { until } from './until.ts'

/** Stop a process with all of its threads; resolves when none of them runs any more. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  await until(`process ${pid} is stopped`, () =>
    readdirSync(`/proc/${pid}/task`).every((thread) => stateOf(`/proc/${pid}/task/${thread}/stat`).startsWith('T')),
  )
}

/** Return what follows the name in a `stat` file of the kernel: the state is its first letter. */
const stateOf = (file: string): string => readFileSync(file, 'utf8').split(') ').at(-1)!
