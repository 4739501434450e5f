// External pillars: sources beside the SLS files, named in `ext_pillar`. Each entry is a dict of one source and its
// arguments; of several in one entry only the last one's data counts.
import { BrineError, type Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import {
  type BoundArguments,
  bindArguments,
  contains,
  type Dict,
  PyError,
  type Signature,
  str,
  textOf,
  truthy,
  typeError,
  type Value,
} from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { FunctionSource } from '../render/mod.ts'

/** What an external pillar may use. */
export interface ExtPillarContext {
  minionId: string
  opts: Dict
  grains: Dict
  host: Host
  functions?: FunctionSource
  /** Whether this minion is among those that a compound target means to the master. */
  isMember(target: Value): boolean | Promise<boolean>
  /** The pillar that the SLS files of other roots give this minion, without external ones. */
  compileRoots(roots: Dict, saltenv: string): Promise<Dict>
  /** Runs text through a pipe of renderers. */
  render(text: string, options: { renderer: string; opts?: Dict; path?: string }): Promise<Value>
  log: Log
}

export interface ExtPillar {
  /** The parameters after `minion_id` and `pillar`. */
  readonly parameters: readonly string[]
  /** How many of them are required. */
  readonly required: number
  readonly rest?: boolean
  readonly open?: boolean
  /** The data to merge; nothing is merged when it is empty. */
  run(ctx: ExtPillarContext, args: BoundArguments, pillar: Dict): Value | Promise<Value>
}

export type ExtPillars = ReadonlyMap<string, () => Promise<ExtPillar>>

export interface ExtRequest {
  ctx: ExtPillarContext
  sources: ExtPillars
  /** Data of the minion for sources that take it. */
  extraMinionData: Dict
  merge(a: Value, b: Value): Value
  /** Told of all that was merged. */
  merged(name: string, data: Value): void
}

/** The pillar with what the external sources add; problems go to `errors`. */
export async function addExtPillar(start: Dict, errors: string[], request: ExtRequest): Promise<Value> {
  const { ctx, sources, merge } = request
  const configured = ctx.opts.get('ext_pillar')
  let pillar: Value = start
  for (const entry of Array.isArray(configured) ? configured : []) {
    if (!(entry instanceof Map)) {
      errors.push(MALFORMED)
      return new Map()
    }
    const [first] = entry.keys()
    if (first === undefined) throw new PyError('StopIteration', '')
    if (contains(option(ctx.opts, 'exclude_ext_pillar'), first)) continue
    let data: Value = null
    let from = ''
    for (const [key, args] of entry) {
      const name = str(key)
      const source = sources.get(name)
      if (source === undefined) {
        ctx.log('critical', `ext_pillar interface named ${name} is unavailable`)
        continue
      }
      try {
        const began = performance.now()
        data = await callSource(await source(), args, pillar as Dict, request)
        from = name
        ctx.log('debug', `ext_pillar ${name} answered after ${Math.round(performance.now() - began)} ms`)
      } catch (error) {
        if (!(error instanceof BrineError)) throw error
        errors.push(`Failed to load ext_pillar ${name}: ${error.message}`)
        ctx.log('error', errors.at(-1)!)
      }
    }
    if (!truthy(data)) continue
    request.merged(from, data)
    pillar = merge(pillar, data)
  }
  return pillar
}

export const MALFORMED = 'The "ext_pillar" option is malformed'

async function callSource(source: ExtPillar, args: Value, pillar: Dict, request: ExtRequest): Promise<Value> {
  const { ctx, extraMinionData } = request
  const positional = args instanceof Map ? [] : Array.isArray(args) ? args : [args]
  const keywords = new Map<string, Value>()
  if (source.parameters.includes('extra_minion_data') && extraMinionData.size > 0) {
    keywords.set('extra_minion_data', extraMinionData)
  }
  for (const [key, value] of args instanceof Map ? args : []) {
    const name = textOf(key)
    if (name === undefined) throw typeError('keywords must be strings')
    keywords.set(name, value)
  }
  const bound = bindArguments(signatureOf(source), [ctx.minionId, pillar, ...positional], keywords)
  return source.run(ctx, bound, pillar)
}

function signatureOf({ parameters, required, rest = false, open = false }: ExtPillar): Signature {
  return {
    name: 'ext_pillar',
    positional: ['minion_id', 'pillar', ...parameters],
    required: required + 2,
    keywordOnly: [],
    requiredKeywords: [],
    rest,
    open,
  }
}
