// Recorded commands for tests of modules: stand-ins for the functions of `cmd` that return the results of a real
// machine.
import { type Dict, dictFrom, str, type Value } from '../data/mod.ts'
import type { Trial } from './trial.ts'

/** Text alone is the output of a command that succeeded. */
export type Recorded = string | { retcode?: number; stdout?: string; stderr?: string }

export interface Script {
  others: NonNullable<Trial['others']>
  /** The command lines that were run, oldest first. */
  ran: string[]
}

/**
 * Results by command line. A line that ends with `*` matches all lines with that beginning. Of a list of results, each
 * is returned once, and the last one repeatedly.
 */
export function scripted(recorded: Readonly<Record<string, Recorded | readonly Recorded[]>>): Script {
  const ran: string[] = []
  const used = new Map<string, number>()
  const find = (line: string): string | undefined =>
    line in recorded
      ? line
      : Object.keys(recorded).find((key) => key.endsWith('*') && line.startsWith(key.slice(0, -1)))
  const answer = (cmd: Value): Required<Exclude<Recorded, string>> => {
    const line = Array.isArray(cmd) ? (cmd as Value[]).map((word) => str(word)).join(' ') : str(cmd)
    ran.push(line)
    const key = find(line)
    if (key === undefined) throw new Error(`Nothing is recorded for '${line}'`)
    const entry = recorded[key]!
    const answers = Array.isArray(entry) ? (entry as readonly Recorded[]) : [entry as Recorded]
    const turn = used.get(key) ?? 0
    used.set(key, turn + 1)
    const given = answers[Math.min(turn, answers.length - 1)]!
    return { retcode: 0, stdout: '', stderr: '', ...(typeof given === 'string' ? { stdout: given } : given) }
  }
  const together = ([cmd]: readonly Value[]): string => {
    const { stdout, stderr } = answer(cmd!)
    return [stdout, stderr].filter((text) => text !== '').join('\n')
  }
  const all = ([cmd]: readonly Value[]): Dict => dictFrom({ pid: 1, ...answer(cmd!) })
  const others: Script['others'] = {
    'cmd.run_all': all,
    'cmd.run': together,
    'cmd.shell': together,
    'cmd.run_stdout': ([cmd]) => answer(cmd!).stdout,
    'cmd.run_stderr': ([cmd]) => answer(cmd!).stderr,
    'cmd.retcode': ([cmd]) => answer(cmd!).retcode,
  }
  return { others, ran }
}
