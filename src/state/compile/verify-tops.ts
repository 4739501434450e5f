// Whether merged top data has the shape of a top file.
import { isList, repr, str, truthy, typeName, type Value } from '../../data/mod.ts'
import type { Top } from './merge-tops.ts'
import type { CompileError } from './types.ts'

export function verifyTops(top: Top): CompileError[] {
  const texts: string[] = []
  for (const [saltenv, targets] of top) {
    if (saltenv === 'include') continue
    if (typeof saltenv !== 'string') texts.push(`Environment ${str(saltenv)} in top file is not formed as a string`)
    if (saltenv === '') texts.push('Empty saltenv statement in top file')
    for (const [target, names] of targets) {
      if (isList(names)) texts.push(...faultsOf(names, saltenv))
      else {
        texts.push(
          `Malformed topfile: state declarations for matcher ${repr(target)} in saltenv ${repr(saltenv)} ` +
            `are not formed as a list (got ${typeName(names).replace('collections.', '')})`,
        )
      }
    }
  }
  return texts.map((text) => ({ text }))
}

function* faultsOf(names: readonly Value[], saltenv: Value): Generator<string> {
  for (const name of names) {
    if (name instanceof Map) {
      for (const value of name.values()) {
        if (!truthy(value)) yield `Improperly formatted top file matcher in saltenv ${str(name)}: ${str(value)} file`
      }
    } else if (name === '') yield `Environment ${str(saltenv)} contains an empty sls index`
  }
}
