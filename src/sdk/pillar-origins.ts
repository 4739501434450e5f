// The sources of pillar values, in the form for output and in the form between master and minion.
import { type Dict, dictFrom, isDict, isList, numberOf, textOf, type Value } from '../data/mod.ts'
import type { PillarOrigin } from './context.ts'

/** One place as `pillar.explain` shows it. */
export function shownOrigin({ source, file, line }: PillarOrigin, value: Value): Dict {
  const place = file === undefined ? source : `${file}${line === undefined ? '' : `:${line}`}`
  const shown: Dict = new Map<Value, Value>([['at', place]])
  if (file !== undefined) shown.set('source', source)
  return shown.set('value', value) as Dict
}

export function packOrigins(origins: readonly PillarOrigin[]): Dict {
  return new Map([['origins', origins.map((origin) => dictFrom(origin))]])
}

export function readOrigins(packed: Value): PillarOrigin[] {
  const origins = isDict(packed) ? packed.get('origins') : undefined
  if (origins === undefined || !isList(origins)) return []
  return origins.filter(isDict).map((origin) => {
    const [file, line] = [textOf(origin.get('file') ?? null), numberOf(origin.get('line') ?? null)]
    return {
      source: textOf(origin.get('source') ?? null) ?? '',
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line: Number(line) }),
      value: origin.get('value') ?? null,
    }
  })
}
