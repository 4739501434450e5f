// The selections of dpkg: the wanted state of each package: install, hold, deinstall or purge.
import {
  type Dict,
  dictFrom,
  failure,
  isDict,
  iterate,
  misuse,
  PyError,
  repr,
  splitLines,
  splitWords,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { deserialize, type FunctionContext, oneLine, option, runAll, SerializerError } from '../../../../sdk/mod.ts'
import { type HoldCall, holdTargets } from '../../common/holds.ts'

import { callApt } from './call.ts'

const STATES = ['install', 'hold', 'deinstall', 'purge']

function parse(text: string): Map<string, string[]> {
  const selections = new Map<string, string[]>()
  for (const line of splitLines(text)) {
    const [name, state] = splitWords(line)
    if (name === undefined || state === undefined) continue
    selections.set(state, [...(selections.get(state) ?? []), name])
  }
  return selections
}

/** Return package names by state. */
export async function getSelections(
  ctx: FunctionContext,
  pattern: string | null,
  state: string | null,
): Promise<Map<string, string[]>> {
  const cmd = ['dpkg', '--get-selections', pattern ? pattern : '*']
  const selections = parse((await runAll(ctx, cmd, { output_loglevel: 'trace' })).stdout)
  return state ? new Map([[state, selections.get(state) ?? []]]) : selections
}

async function readSelection(ctx: FunctionContext, { path, selection, saltenv }: Selecting): Promise<Value> {
  if (path) {
    const cached = str(await ctx.call('cp.cache_file', [path, saltenv]))
    return new Map(parse(Buffer.from(await ctx.host.read(cached)).toString()))
  }
  const text = textOf(selection)
  if (text === undefined) return selection
  try {
    return await deserialize('yaml', text)
  } catch (error) {
    if (error instanceof SerializerError) throw misuse(`Improperly-formatted selection: ${error.message}`)
    throw error
  }
}

export interface Selecting {
  path: string | null
  selection: Value
  clear: boolean
  saltenv: string
}

/** Set states, and return the old and new states by package. */
export async function setSelections(ctx: FunctionContext, wanted: Selecting): Promise<Dict> {
  const changes: Dict = new Map()
  if (!wanted.path && !truthy(wanted.selection)) return changes
  if (wanted.path && truthy(wanted.selection)) {
    throw misuse(
      "The 'selection' and 'path' arguments to pkg.set_selections are mutually exclusive, and cannot be specified together",
    )
  }
  const selection = await readSelection(ctx, wanted)
  if (!isDict(selection) || selection.size === 0) return changes
  const bad = [...selection.keys()].map(str).filter((state) => !STATES.includes(state))
  if (bad.length > 0) throw misuse(`Invalid state(s): ${bad.join(', ')}`)
  const dryRun = option(ctx.opts, 'test')
  if (wanted.clear && !dryRun) await clearSelections(ctx)
  const current = new Map<string, string>()
  for (const [state, names] of await getSelections(ctx, null, null)) for (const name of names) current.set(name, state)
  for (const [state, names] of selection) {
    for (const name of Array.from(iterate(names), str)) {
      if (current.get(name) === state || dryRun) continue
      const cmd = ['dpkg', '--set-selections']
      const result = await callApt(ctx, cmd, {
        scope: false,
        options: { stdin: oneLine('A selection of dpkg', `${name} ${str(state)}`), stdin_raw_newlines: true },
      })
      if (result.retcode !== 0) ctx.log('error', `failed to set state ${str(state)} for package ${name}`)
      else changes.set(name, dictFrom({ old: current.get(name) ?? null, new: state }))
    }
  }
  return changes
}

async function clearSelections(ctx: FunctionContext): Promise<void> {
  const result = await callApt(ctx, ['dpkg', '--clear-selections'], { scope: false })
  if (result.retcode === 0) return
  throw failure(`Running dpkg --clear-selections failed: ${result.stderr}`)
}

interface Words {
  /** The state to set. */
  selection: 'hold' | 'install'
  planned: string
  done: string
  already: string
}

const HOLD: Words = {
  selection: 'hold',
  planned: 'is set to be held.',
  done: 'is now being held.',
  already: 'is already set to be held.',
}

const UNHOLD: Words = {
  selection: 'install',
  planned: 'is set not to be held.',
  done: 'is no longer being held.',
  already: 'is already set not to be held.',
}

/** Hold or release packages; return a report for each of them in the form of a state. */
async function mark(ctx: FunctionContext, packages: HoldCall, words: Words): Promise<Dict> {
  const reports: Dict = new Map()
  const dryRun = option(ctx.opts, 'test')
  for (const target of holdTargets(packages)) {
    const report = (result: boolean | null, comment: string, changes: Value = new Map()): void => {
      reports.set(target, dictFrom({ name: target, changes, result, comment }))
    }
    const selections = await getSelections(ctx, target, words === HOLD ? 'hold' : null)
    const isHeld = (selections.get('hold') ?? []).length > 0
    if (selections.size === 0) report(false, `Package ${target} does not have a state.`)
    else if (isHeld === (words === HOLD)) report(true, `Package ${target} ${words.already}`)
    else if (dryRun) report(null, `Package ${target} ${words.planned}`)
    else {
      const selection = new Map([[words.selection, [target]]])
      const changes = await setSelections(ctx, { path: null, selection, clear: false, saltenv: 'base' })
      if (!changes.has(target)) throw new PyError('KeyError', repr(target))
      report(true, `Package ${target} ${words.done}`, changes.get(target)!)
    }
  }
  return reports
}

export const hold = (ctx: FunctionContext, packages: HoldCall): Promise<Dict> => mark(ctx, packages, HOLD)
export const unhold = (ctx: FunctionContext, packages: HoldCall): Promise<Dict> => mark(ctx, packages, UNHOLD)
