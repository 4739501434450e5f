// Settings of git: of one checkout, or of a user.
import { PyError, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { taken, text } from './arguments.ts'
import { expandPath, failure, type Given, git, misuse, type Outcome, value } from './run.ts'

interface Scope {
  global: boolean
  cwd: string | undefined
}

async function scopeOf(ctx: FunctionContext, args: Given, global: Value): Promise<Scope> {
  const cwd = value(args, 'cwd')
  if (cwd === null) {
    if (!truthy(global)) throw misuse("'cwd' argument required unless global=True")
    return { global: true, cwd: undefined }
  }
  return { global: truthy(global), cwd: await expandPath(ctx, cwd, value(args, 'user')) }
}

const place = ({ global }: Scope): string => (global ? '--global' : '--local')

const inPlace = ({ cwd }: Scope): { cwd?: string } => (cwd === undefined ? {} : { cwd })

async function ask(ctx: FunctionContext, args: Given, option: string, global: Value): Promise<Outcome> {
  const scope = await scopeOf(ctx, args, global)
  const regex = option === '--get-regexp' ? value(args, 'value_regex') : null
  const argv = ['config', place(scope), option, text(args, 'key'), ...(regex === null ? [] : [str(regex)])]
  return git(ctx, argv, args, { ...inPlace(scope), lenient: true })
}

export async function configGet(ctx: FunctionContext, args: Given): Promise<Value> {
  const { all, global } = taken(args, 'all', 'global')
  return held(ctx, args, all!, global!)
}

async function held(ctx: FunctionContext, args: Given, all: Value, global: Value): Promise<Value> {
  const { retcode, stdout } = await ask(ctx, args, '--get-all', global)
  if (retcode === 1) return null
  const values = splitLines(stdout)
  return truthy(all) ? values : (values.at(-1) ?? '')
}

export async function configGetRegexp(ctx: FunctionContext, args: Given): Promise<Value> {
  const { global } = taken(args, 'global')
  const { retcode, stdout } = await ask(ctx, args, '--get-regexp', global!)
  const found = new Map<Value, Value>()
  if (retcode === 1) return found
  for (const line of splitLines(stdout)) {
    const parts = /^\s*(\S+)\s+(.*)$/s.exec(line)
    if (!parts) continue
    const list = (found.get(parts[1]!) ?? []) as Value[]
    list.push(parts[2]!)
    found.set(parts[1]!, list)
  }
  return found
}

export async function configSet(ctx: FunctionContext, args: Given): Promise<Value> {
  const { add, global } = taken(args, 'add', 'global')
  const scope = await scopeOf(ctx, args, global!)
  const one = value(args, 'value')
  const several = value(args, 'multivar')
  if (one !== null && several !== null) throw misuse("Only one of 'value' and 'multivar' is permitted")
  if (one === null && several === null) throw new PyError('TypeError', "'NoneType' object is not iterable")
  const values = one !== null ? [str(one)] : textsOf(several)
  for (const [i, target] of values.entries()) {
    const adding = one !== null ? truthy(add!) : i > 0
    const argv = ['config', ...(scope.global ? ['--global'] : []), adding ? '--add' : '--replace-all']
    await git(ctx, [...argv, text(args, 'key'), target], args, inPlace(scope))
  }
  return held(ctx, args, true, global!)
}

function textsOf(values: Value): string[] {
  return Array.isArray(values) ? (values as Value[]).map((item) => str(item)) : str(values).split(',')
}

export async function configUnset(ctx: FunctionContext, args: Given): Promise<true> {
  const { all, global } = taken(args, 'all', 'global')
  const scope = await scopeOf(ctx, args, global!)
  const key = text(args, 'key')
  const regex = value(args, 'value_regex')
  const argv = ['config', truthy(all!) ? '--unset-all' : '--unset', place(scope), key]
  if (regex !== null) argv.push(str(regex))
  const { retcode, stderr } = await git(ctx, argv, args, { ...inPlace(scope), lenient: true })
  if (retcode === 0) return true
  if (retcode === 1) throw failure('Section or key is invalid')
  if (retcode === 6) throw failure('The value_regex is invalid')
  if (retcode !== 5) {
    const said = stderr === '' ? '' : `; ${stderr}`
    throw failure(`Failed to unset key '${key}', git config returned exit code ${retcode}${said}`)
  }
  if ((await held(ctx, args, false, null)) === null) throw failure(`Key '${key}' does not exist`)
  const why = regex === null ? '' : ' and value_regex matches multiple values'
  throw failure(`Multiple values exist for key '${key}'${why}`)
}
