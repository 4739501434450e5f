// Whether merged top data has the shape of a top file.
import { isList, repr, str, truthy, typeName, type Value } from '../../data/mod.ts'
import type { TopPlaces } from '../../render/mod.ts'
import type { Top } from './merge-tops.ts'
import type { CompileError } from './types.ts'

export function verifyTops(top: Top, places: TopPlaces): CompileError[] {
  const errors: CompileError[] = []
  for (const [saltenv, targets] of top) {
    if (saltenv === 'include') continue
    if (typeof saltenv !== 'string')
      errors.push({ text: `Environment ${str(saltenv)} in top file is not formed as a string` })
    if (saltenv === '') errors.push({ text: 'Empty saltenv statement in top file' })
    for (const [target, names] of targets) {
      const texts = isList(names) ? [...faultsOf(names, saltenv)] : [notAList(target, saltenv, names)]
      errors.push(...texts.map((text) => ({ text, at: places.ofTarget(saltenv, target) })))
    }
  }
  return errors
}

const notAList = (target: Value, saltenv: Value, names: Value): string =>
  `Malformed topfile: state declarations for matcher ${repr(target)} in saltenv ${repr(saltenv)} ` +
  `are not formed as a list (got ${typeName(names).replace('collections.', '')})`

function* faultsOf(names: readonly Value[], saltenv: Value): Generator<string> {
  for (const name of names) {
    if (name instanceof Map) {
      for (const value of name.values()) {
        if (!truthy(value)) yield `Improperly formatted top file matcher in saltenv ${str(name)}: ${str(value)} file`
      }
    } else if (name === '') yield `Environment ${str(saltenv)} contains an empty sls index`
  }
}
