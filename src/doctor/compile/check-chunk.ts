// Checks one state of a minion: whether it exists, has its required arguments, and names existing files and functions.
import { BrineError, type Position } from '../../base/mod.ts'
import { isDict, isList, str, textOf, type Value } from '../../data/mod.ts'
import { stateTable } from '../../loader/mod.ts'
import { INTERNAL_KEYWORDS, type StateFunction, signatureOf } from '../../sdk/mod.ts'
import { boundArguments, callData, type LowChunk, slips, UnknownKeyword } from '../../state/mod.ts'
import type { Code, Level } from '../codes.ts'
import { PLACEHOLDER } from '../dry/unevaluated.ts'
import type { FindingDetails } from '../finding.ts'
import { type FunctionKind, isFunctionName, isKnownFunction, nearName } from '../known-functions.ts'
import type { Site } from '../site/site.ts'
import type { PlacedChunk } from './compile-states.ts'

export interface ChunkContext {
  site: Site
  minion: string
  /** The level of findings that depend on data of the minion. */
  level: Level | undefined
  report(code: Code, details: FindingDetails): void
  /** A file that the state renders as Jinja. */
  template(path: string, env: string): void
}

export async function checkChunk(chunk: PlacedChunk, ctx: ChunkContext): Promise<void> {
  const { low } = chunk
  const full = `${str(low.get('state') ?? '')}.${str(low.get('fun') ?? '')}`
  if (!isKnownFunction('state', full, ctx.site)) {
    const details = { message: `There is no state '${full}'`, at: chunk.place(), hint: nearName('state', full) }
    return ctx.report('state-missing', { ...details, minion: ctx.minion })
  }
  await checkArguments(full, chunk, ctx)
  checkSources(full, chunk, ctx)
  for (const { kind, name, argument } of calledBy(full, low)) {
    if (!isFunctionName(name) || isKnownFunction(kind, name, ctx.site)) continue
    const code = kind === 'function' ? 'function-missing' : 'runner-missing'
    const at = chunk.place(argument)
    ctx.report(code, { message: `${full} calls '${name}', which is not there`, at, hint: nearName(kind, name) })
  }
}

const declared = new Map<string, StateFunction[]>()

/** The function in all modules that may serve a minion under that name. */
async function declarations(full: string): Promise<StateFunction[]> {
  const known = declared.get(full)
  if (known) return known
  const [module, fun] = full.split('.') as [string, string]
  const found: StateFunction[] = []
  for (const { load, functions } of Object.hasOwn(stateTable, module) ? stateTable[module]! : []) {
    if (functions.includes(fun)) found.push((await load()).default.functions[fun]!)
  }
  declared.set(full, found)
  return found
}

interface Fault {
  code: Code
  message: string
  argument?: string | undefined
  hint?: string | undefined
}

/** A fault counts when no module of that name takes the arguments. */
async function checkArguments(full: string, { low, place }: PlacedChunk, ctx: ChunkContext): Promise<void> {
  if (ctx.site.own.has('states', str(low.get('state') ?? ''))) return
  const all = (await declarations(full)).map((declaration) => faultOf(full, declaration, low))
  const fault = all.every((one) => one !== undefined) ? all[0] : undefined
  if (!fault) return
  const { code, message, argument, hint } = fault
  const at: Position | undefined = place(argument)
  ctx.report(code, { message, at, hint, minion: ctx.minion, level: ctx.level })
}

function faultOf(full: string, declaration: StateFunction, low: LowChunk): Fault | undefined {
  const { positional, required } = signatureOf(declaration, full)
  const missing = positional.slice(0, required).filter((name) => !low.has(name))
  if (missing.length > 0) {
    return {
      code: 'state-arguments',
      message: `${full} lacks the argument ${missing.map((name) => `'${name}'`).join(', ')}`,
    }
  }
  try {
    const data = callData(full, declaration, low)
    if (!hasPlaceholder(low)) boundArguments(data)
    const [slip] = slips(data)
    if (!slip) return undefined
    const [argument, meant] = slip
    const message = `${full} takes no argument '${argument}'`
    return { code: 'state-unknown-argument', message, argument, hint: `Did you mean '${meant}'?` }
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    const argument = error instanceof UnknownKeyword ? error.keyword : undefined
    return { code: 'state-arguments', message: error.reason, argument, hint: error.hint }
  }
}

const hasPlaceholder = (low: LowChunk): boolean => [...low.values()].some((value) => str(value).includes(PLACEHOLDER))

/** Files of the file server that a state names. */
function checkSources(full: string, { low, place }: PlacedChunk, ctx: ChunkContext): void {
  const { site } = ctx
  const source = low.get('source') ?? null
  const urls = (isList(source) ? source : [source]).map(urlOf)
  const env = textOf(low.get('saltenv') ?? null) ?? textOf(low.get('__env__') ?? null) ?? 'base'
  const own = urls.filter((url) => url !== undefined)
  for (const { path, saltenv = env } of own) {
    if (low.get('template') === 'jinja' && full.startsWith('file.')) ctx.template(path, saltenv)
  }
  const isUnsure =
    own.length !== urls.length || site.states.isPartial || urls.some((url) => url?.path.includes(PLACEHOLDER))
  if (isUnsure || own.some(({ path, saltenv = env }) => site.states.has(path, saltenv))) return
  const message = `${full} names ${own.map(({ path }) => `salt://${path}`).join(', ')}, which is not in the file roots`
  ctx.report('source-missing', { message, at: place('source'), minion: ctx.minion, level: ctx.level })
}

interface TreeUrl {
  path: string
  saltenv?: string | undefined
}

/** Return undefined unless the value is a URL of the file server. */
function urlOf(value: Value): TreeUrl | undefined {
  const text = textOf(isDict(value) ? ([...value.keys()][0] ?? null) : value)
  if (text === undefined || !text.startsWith('salt://')) return undefined
  const [path = '', query = ''] = text.slice('salt://'.length).replace(/^\|/, '').split('?')
  return {
    path: path.replace(/^\/+|\/+$/g, '').replaceAll(/\/+/g, '/'),
    saltenv: /(?:^|&)saltenv=([^&]+)/.exec(query)?.[1],
  }
}

interface Called {
  kind: FunctionKind
  name: string
  argument?: string
}

const CALLERS: Readonly<Record<string, FunctionKind>> = {
  'salt.function': 'function',
  'salt.runner': 'runner',
  'salt.wheel': 'wheel',
}

/** Functions that a state calls by name. */
function* calledBy(full: string, low: LowChunk): Generator<Called> {
  const name = textOf(low.get('name') ?? null) ?? ''
  const kind = CALLERS[full]
  if (kind !== undefined) yield { kind, name, argument: 'name' }
  if (full === 'schedule.present') {
    const job = textOf(low.get('function') ?? null)
    if (job !== undefined) yield { kind: 'function', name: job, argument: 'function' }
  }
  if (full !== 'module.run' && full !== 'module.wait') return
  const written = [...low.keys()].map(str).filter((key) => key.includes('.') && !INTERNAL_KEYWORDS.has(key))
  for (const key of written) yield { kind: 'function', name: key, argument: key }
  const old = textOf(low.get('m_name') ?? null) === undefined ? name : ''
  if (written.length === 0) yield { kind: 'function', name: old, argument: 'name' }
}
