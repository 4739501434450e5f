// Several top files to one, by `top_file_merging_strategy`.
import type { Log } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, equals, truthy, type Value } from '../../data/mod.ts'
import { RenderError } from '../../render/mod.ts'
import { itemsOf, type Tops } from './top-files.ts'

/** Environment → target → SLS names and options of the match. */
export type Top = Map<Value, Dict>

export function mergeTops(tops: Tops, opts: Dict, log: Log): Top {
  const strategy = option(opts, 'top_file_merging_strategy')
  if (strategy === 'same') return same(tops, option(opts, 'default_top'), log)
  if (strategy === 'merge_all') return mergeAll(tops)
  if (strategy !== 'merge') log('warning', `Invalid top_file_merging_strategy '${strategy}', falling back to 'merge'`)
  return merge(tops)
}

function targetsOf(targets: Value): Dict {
  if (targets instanceof Map) return targets
  if (targets === '' || (Array.isArray(targets) && targets.length === 0)) return new Map()
  throw new RenderError('SaltRenderError', 'Unable to render top file. No targets found.')
}

function section(top: Top, saltenv: Value): Dict {
  let found = top.get(saltenv)
  if (!found) {
    found = new Map()
    top.set(saltenv, found)
  }
  return found
}

function addTargets(top: Top, saltenv: Value, targets: Value): void {
  for (const [target, data] of targetsOf(targets)) section(top, saltenv).set(target, data)
}

/** The top file of base rules all; others speak for their own environment, unless base did. */
function merge(tops: Tops): Top {
  const top: Top = new Map()
  for (const file of tops.get('base') ?? []) {
    for (const [saltenv, targets] of itemsOf(file)) if (saltenv !== 'include') addTargets(top, saltenv, targets)
  }
  for (const [own, files] of tops) {
    if (own === 'base') continue
    for (const file of files) {
      for (const [saltenv, targets] of itemsOf(file)) {
        if (saltenv === own && !top.has(saltenv)) addTargets(top, saltenv, targets)
      }
    }
  }
  return top
}

const isEmpty = (files: readonly Value[]): boolean => files.every((file) => file instanceof Map && file.size === 0)

/** Each environment has its own top file, or else its section in that of `default_top`. */
function same(tops: Tops, defaultTop: string, log: Log): Top {
  const top: Top = new Map()
  for (const [own, files] of tops) {
    const fallback = tops.get(defaultTop) ?? []
    const isFallback = isEmpty(files)
    if (isFallback && isEmpty(fallback)) {
      log(
        'error',
        `The '${own}' saltenv has no top file, and the fallback saltenv specified by default_top (${defaultTop}) also has no top file`,
      )
      continue
    }
    for (const file of isFallback ? fallback : files) {
      for (const [saltenv, targets] of itemsOf(file)) if (saltenv === own) addTargets(top, saltenv, targets)
    }
  }
  return top
}

/** Everything counts; the SLS names of one target are joined. */
function mergeAll(tops: Tops): Top {
  const top: Top = new Map()
  for (const file of [...tops.values()].flat()) {
    for (const [saltenv, targets] of itemsOf(file)) {
      if (saltenv === 'include') continue
      for (const [target, data] of targetsOf(targets)) {
        const all = section(top, saltenv)
        const known = all.get(target)
        all.set(target, known === undefined ? data : joined(known, data))
      }
    }
  }
  return top
}

function joined(first: Value, second: Value): Value[] {
  const [firstMatch, firstNames] = parted(first)
  const [secondMatch, secondNames] = parted(second)
  const match = secondMatch !== undefined && truthy(secondMatch) ? secondMatch : firstMatch
  const result: Value[] = [...(match === undefined ? [] : [match]), ...firstNames]
  const known = [...result]
  result.push(...secondNames.filter((name) => !known.some((other) => equals(other, name))))
  return result
}

function parted(data: Value): [match: Value | undefined, names: Value[]] {
  let match: Value | undefined
  const names: Value[] = []
  for (const item of targetList(data)) {
    if (item instanceof Map) match = item
    else if (typeof item === 'string') names.push(item)
  }
  return [match, names]
}

function targetList(data: Value): Iterable<Value> {
  if (Array.isArray(data)) return data
  if (data instanceof Map) return data.keys()
  if (typeof data === 'string') return data
  throw new RenderError('SaltRenderError', 'Unable to render top file. No targets found.')
}
