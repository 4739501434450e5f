// The sources of pillar values: every merged piece in order, each with the places of its keys.
import { type Dict, dictGet, int, isList, type Value } from '../data/mod.ts'
import type { PillarOrigin } from '../sdk/mod.ts'
import { positionOf } from '../yaml/mod.ts'

/** One merged piece of pillar: an SLS file, an external pillar, or the command line. */
export interface PillarSource {
  /** `sls web in base`, `ext_pillar cmd_yaml`, `command line`. */
  name: string
  file?: string
  data: Value
  /** The keys it was put under. */
  under: readonly string[]
  /** Map a line of the rendered text to a line of the file. */
  sourceLine?: (line: number) => number
}

/** All sources that say something about the path, first to last: of values that do not merge, the last one stays. */
export function originsOf(sources: readonly PillarSource[], path: readonly string[]): PillarOrigin[] {
  const once = sources.filter(
    // an include counts twice in Salt
    ({ data, under }, i) =>
      !sources.slice(0, i).some((other) => other.data === data && other.under.join() === under.join()),
  )
  return once.flatMap((source) => originIn(source, path) ?? [])
}

function originIn(source: PillarSource, path: readonly string[]): PillarOrigin | undefined {
  const { name, file, data, under, sourceLine } = source
  const shared = Math.min(under.length, path.length)
  if (!under.slice(0, shared).every((key, i) => key === path[i])) return undefined
  let container: Value | undefined
  let key: Value | undefined
  let value = data
  for (const step of path.slice(under.length)) {
    const found = stepInto(value, step)
    if (found === undefined) return undefined
    ;({ container, key, value } = found)
  }
  const at = container === undefined ? positionOf(data) : (positionOf(container, key) ?? positionOf(container))
  const line = at && (sourceLine?.(at.line) ?? at.line)
  return { source: name, ...(file !== undefined && { file }), ...(line !== undefined && { line }), value }
}

interface Step {
  container: Value
  key: Value
  value: Value
}

/** Step into a container as elsewhere in paths: keys as text or as a number, list items by number or within dicts. */
function stepInto(container: Value, step: string): Step | undefined {
  const number = /^-?\d+$/.test(step) ? int(BigInt(step)) : undefined
  if (container instanceof Map) {
    for (const key of number === undefined ? [step] : [step, number]) {
      const value = dictGet(container as Dict, key)
      if (value !== undefined) return { container, key, value }
    }
    return undefined
  }
  if (!isList(container)) return undefined
  if (typeof number === 'number') {
    const value = container[number]
    return value === undefined ? undefined : { container, key: number, value }
  }
  for (const item of container) {
    const found = item instanceof Map ? stepInto(item, step) : undefined
    if (found) return found
  }
  return undefined
}
