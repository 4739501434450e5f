// External pillars: sources beside the SLS files, named in `ext_pillar`. Each entry is a dict of one source and its
// arguments; of several in one entry only the last one's data counts.
import { BrineError, didYouMean, toError, withHint } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { contains, type Dict, PyError, str, truthy, type Value } from '../data/mod.ts'
import { callExtPillar, type ExtPillar, type ExtPillarContext } from '../sdk/mod.ts'
import type { PillarFolders } from './pillar-tree.ts'

/** The extra context of external pillars in this room: they may compile roots that are not directories. */
export interface OwnPillarContext extends ExtPillarContext {
  compileRoots(roots: Dict, saltenv: string, folders?: PillarFolders): Promise<Dict>
}

export type ExtPillars = ReadonlyMap<string, () => Promise<ExtPillar>>

export interface ExtRequest {
  ctx: OwnPillarContext
  sources: ExtPillars
  /** Data of the minion for sources that take it. */
  extraMinionData: Dict
  merge(a: Value, b: Value): Value
  /** Called with each merged piece. */
  merged(name: string, data: Value): void
}

/** The options make a source unusable: it is treated as missing. */
export class ExtPillarUnavailable extends BrineError<'ExtPillarUnavailable'> {
  constructor(name: string) {
    super('ExtPillarUnavailable', unavailable(name))
  }
}

const EXTENSIONS = 'https://docs.saltstack.com/en/latest/ref/configuration/master.html#extension-modules'

const unavailable = (name: string): string =>
  `ext_pillar interface named ${name} is unavailable. Make sure it is placed in the correct directory/location. Check ${EXTENSIONS} for details.`

/** Return the pillar merged with the external sources; errors are appended to `errors`. */
export async function addExtPillar(start: Dict, errors: string[], request: ExtRequest): Promise<Value> {
  const { ctx, sources, extraMinionData, merge } = request
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
        ctx.log('critical', withHint(unavailable(name), didYouMean(name, sources.keys())))
        continue
      }
      try {
        const began = performance.now()
        data = await callExtPillar(await source(), ctx, { setting: args, pillar: pillar as Dict, extraMinionData })
        from = name
        ctx.log('debug', `ext_pillar ${name} answered after ${Math.round(performance.now() - began)} ms`)
      } catch (error) {
        if (error instanceof ExtPillarUnavailable) {
          ctx.log('critical', error.message)
          continue
        }
        const { message, stack } = toError(error)
        errors.push(`Failed to load ext_pillar ${name}: ${message}`)
        ctx.log('error', `Exception caught loading ext_pillar '${name}':\n${message}`)
        if (!(error instanceof BrineError)) ctx.log('debug', stack ?? '')
      }
    }
    if (!truthy(data)) continue
    request.merged(from, data)
    pillar = merge(pillar, data)
  }
  return pillar
}

export const MALFORMED = 'The "ext_pillar" option is malformed'
