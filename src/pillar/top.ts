// Pillar top files: which SLS files of which environments a minion gets. Every environment has a top file, which may
// contain all environments. If two contain the same target in one environment, the later one replaces the earlier.
import { BrineError, type Log, recover } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import {
  add,
  contains,
  type Dict,
  dictGet,
  dictSet,
  getItem,
  intFromText,
  isInt,
  iterate,
  numberOf,
  PyError,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../data/mod.ts'
import { type MatchSubject, match } from '../match/mod.ts'
import { ownMatch } from '../pybridge/mod.ts'
import type { PillarTree } from './pillar-tree.ts'

export interface TopContext {
  opts: Dict
  tree: PillarTree
  log: Log
  /** Render a top file, or a file that it includes. */
  render(file: { file: string; text: string }, saltenv: string): Promise<Value>
}

/** By environment and target: dicts with the kind of target, then the names of SLS files. */
export type PillarTop = Map<Value, Map<Value, Value[]>>

export interface ReadTop {
  top: PillarTop
  /** SLS names that may be missing, by environment. */
  optional: Map<Value, Set<string>>
  errors: string[]
}

export async function readTop(ctx: TopContext, saltenv: Value): Promise<ReadTop> {
  const errors: string[] = []
  const tops = await topFiles(ctx, saltenv, errors)
  const optional = new Map<Value, Set<string>>()
  try {
    return { top: mergeTops([...tops.values()].flat(), optional), optional, errors }
  } catch (error) {
    if (!(error instanceof PyError) || error.code !== 'TypeError') throw error
    ctx.log('error', `A pillar top file is malformed: ${error.message}`)
    errors.push('Error encountered while rendering pillar top file.')
    return { top: new Map(), optional, errors }
  }
}

function topEnvironments({ opts, tree, log }: TopContext, saltenv: Value): Value[] {
  const pillarenv = option(opts, 'pillarenv')
  const all = tree.environments()
  if (truthy(pillarenv)) {
    const roots = opts.get('pillar_roots')
    if (roots instanceof Map && dictGet(roots, pillarenv) !== undefined) return [pillarenv]
    log('debug', `pillarenv '${String(pillarenv)}' is not among the pillar environments (${all.join(', ')})`)
    return []
  }
  if (opts.get('pillar_source_merging_strategy') !== 'none') return all
  const only = truthy(saltenv) ? saltenv : 'base'
  return contains(all, only) ? [only] : []
}

async function topFiles(ctx: TopContext, saltenv: Value, errors: string[]): Promise<Map<Value, Value[]>> {
  const tops = new Map<Value, Value[]>()
  const path = String(ctx.opts.get('state_top')).slice('salt://'.length).replace(/^\/+/, '')
  try {
    for (const env of topEnvironments(ctx, saltenv)) {
      const found = await ctx.tree.read(path, String(env))
      if (found) tops.set(env, [await ctx.render(found, String(env))])
    }
  } catch (error) {
    errors.push(`Rendering Primary Top file failed, render error:\n${problem(error, ctx.log)}`)
  }
  const included: Array<[env: Value, sls: Value]> = []
  for (const [env, [top]] of tops) {
    if (!contains(top!, 'include')) continue
    for (const sls of iterate(getItem(top!, 'include'))) included.push([env, sls])
    if (top instanceof Map) top.delete('include')
  }
  await addIncluded(ctx, tops, included, errors)
  return tops
}

/** Includes of included files count for nothing. */
async function addIncluded(
  ctx: TopContext,
  tops: Map<Value, Value[]>,
  included: ReadonlyArray<[env: Value, sls: Value]>,
  errors: string[],
): Promise<void> {
  const done = new Map<Value, Value[]>()
  for (const [env, sls] of included) {
    const known = done.get(env) ?? []
    if (contains(known, sls)) continue
    done.set(env, [...known, sls])
    try {
      const name = textOf(sls)
      if (name === undefined) throw typeError(`argument of type '${typeName(sls)}' is not iterable`)
      const found = await ctx.tree.sls(name, String(env))
      if (!found) ctx.log('error', `Template was specified incorrectly: ${name}`)
      tops.get(env)!.push(found ? await ctx.render(found, String(env)) : new Map())
    } catch (error) {
      errors.push(`Rendering Top file ${String(sls)} failed, render error:\n${problem(error, ctx.log)}`)
    }
  }
}

/** The text Salt shows, with the place of the mistake in the log. */
function problem(error: unknown, log: Log): string {
  if (!(error instanceof BrineError)) throw error
  const { at } = error
  log('error', at?.file === undefined ? error.message : `${error.message}\nat ${at.file}, line ${at.line}`)
  return error.message
}

function mergeTops(tops: readonly Value[], optional: Map<Value, Set<string>>): PillarTop {
  const merged = new Map<Value, Map<Value, TargetBody>>()
  for (const top of tops) {
    if (!(top instanceof Map)) throw new PyError('AttributeError', `'${typeName(top)}' object has no attribute 'items'`)
    for (const [env, targets] of top) {
      if (env === 'include') continue
      for (const target of iterate(targets)) {
        const body = readTarget(getItem(targets, target))
        if (body.mayMiss) optional.set(env, new Set([...(optional.get(env) ?? []), ...body.states]))
        const known = merged.get(env) ?? new Map<Value, TargetBody>()
        merged.set(env, known)
        dictSet(known as Map<Value, never>, target, body as never)
      }
    }
  }
  return new Map([...merged].map(([env, targets]) => [env, inOrder(targets)]))
}

function inOrder(targets: ReadonlyMap<Value, TargetBody>): Map<Value, Value[]> {
  const sorted = [...targets].sort(([, a], [, b]) => a.order - b.order)
  return new Map(sorted.map(([target, { matches, states }]) => [target, [...matches, ...states]]))
}

interface TargetBody {
  matches: Dict[]
  states: Set<string>
  order: number
  mayMiss: boolean
}

function readTarget(components: Value): TargetBody {
  const body: TargetBody = { matches: [], states: new Set(), order: 0, mayMiss: false }
  for (const component of iterate(components)) {
    if (component instanceof Map) {
      if (component.has('match')) body.matches.push(component)
      if (component.has('order')) body.order = orderOf(component.get('order')!)
      if (truthy(component.get('ignore_missing') ?? false)) body.mayMiss = true
    }
    const name = textOf(component)
    if (name !== undefined) body.states.add(name)
  }
  return body
}

function orderOf(value: Value): number {
  if (isInt(value)) return Number(value)
  const text = textOf(value)
  if (text !== undefined) {
    return recover(
      (error) => error instanceof PyError && error.code === 'ValueError',
      0,
      () => Number(intFromText(text)),
    )
  }
  const number = numberOf(value)
  if (number !== undefined) return Math.trunc(Number(number))
  throw typeError(`int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`)
}

/** Return the SLS names (or globs) for this minion, by environment. */
export async function matchingStates(top: PillarTop, subject: MatchSubject): Promise<Map<Value, string[]>> {
  const matching = new Map<Value, string[]>()
  const pillarenv = option(subject.opts, 'pillarenv')
  for (const [env, targets] of top) {
    if (truthy(pillarenv) && env !== pillarenv) continue
    for (const [target, body] of targets) {
      const kind = matcherOf(body)
      const own = ownMatch(kind, target, subject)
      // range servers have a known kind, but cannot be queried
      if (!own && kind === 'range') continue
      if (!truthy(own ? await own : match(kind, target, subject))) continue
      const names = matching.get(env) ?? []
      matching.set(env, names)
      for (const item of body) {
        const name = textOf(item)
        if (name !== undefined && !names.includes(name)) names.push(name)
      }
    }
  }
  return matching
}

function matcherOf(body: readonly Value[]): string {
  let kind: Value = 'compound'
  for (const item of body) if (item instanceof Map && item.has('match')) kind = item.get('match')!
  const name = textOf(kind)
  // Salt joins the name with text, which only text allows
  if (name === undefined) add(kind, '_match.match')
  return name ?? ''
}
