// Runs commands through the functions of `cmd`, like Salt's modules: logs, environment and the return code of a job
// depend on it. A shell is used only if requested.
import { recover } from '../base/mod.ts'
import { failure, str, type Value } from '../data/mod.ts'
import { type Host, isHostError } from '../host/mod.ts'
import type { FunctionContext } from './context.ts'

/** A line, or the program and its arguments. */
export type CommandWords = string | readonly Value[]

export interface CommandOutcome {
  readonly pid: Value
  readonly retcode: number
  readonly stdout: string
  readonly stderr: string
}

type Options = Readonly<Record<string, Value>>

const given = (cmd: CommandWords): Value[] => [typeof cmd === 'string' ? cmd : [...cmd]]

/** Return the result of `cmd.run_all`. */
export async function runAll(ctx: FunctionContext, cmd: CommandWords, options: Options = {}): Promise<CommandOutcome> {
  const answer = await ctx.call('cmd.run_all', given(cmd), { python_shell: false, ...options })
  return {
    pid: answer.get('pid') ?? null,
    retcode: Number(answer.get('retcode') ?? 0),
    stdout: str(answer.get('stdout') ?? ''),
    stderr: str(answer.get('stderr') ?? ''),
  }
}

/** Output and errors together. */
export async function outputOf(ctx: FunctionContext, cmd: CommandWords, options: Options = {}): Promise<string> {
  return ctx.call('cmd.run', given(cmd), { python_shell: false, ...options })
}

/** The return code. */
export async function retcodeOf(ctx: FunctionContext, cmd: CommandWords, options: Options = {}): Promise<number> {
  return Number(await ctx.call('cmd.retcode', given(cmd), { python_shell: false, ...options }))
}

/** Whether it ends with 0. */
export async function succeeds(ctx: FunctionContext, cmd: CommandWords, options: Options = {}): Promise<boolean> {
  return (await retcodeOf(ctx, cmd, options)) === 0
}

/** Return the path of a program; fail if it is missing. */
export async function requiredProgram({ host }: Pick<FunctionContext, 'host'>, name: string): Promise<string> {
  const path = await host.which(name)
  if (path === undefined) throw failure(`Command '${name}' cannot be found`)
  return path
}

/** The text of a file, or undefined where it cannot be read. */
export async function textAt(host: Host, path: string): Promise<string | undefined> {
  return recover(isHostError, undefined, async () => Buffer.from(await host.read(path)).toString())
}

/** Return the sorted names in a directory; empty if it does not exist. */
export async function namesIn(host: Host, path: string): Promise<string[]> {
  return recover(isHostError, [], async () => (await host.list(path)).sort())
}
