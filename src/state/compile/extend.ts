// Merges `extend` and the result of `_in` requisites into states that are declared elsewhere. Requisites are appended
// to existing ones, other arguments replace them.
import { didYouMean } from '../../base/mod.ts'
import { type Dict, isIterable, iterate, PyError, str, typeName, type Value } from '../../data/mod.ts'
import { REQUISITE_KEYWORDS } from './keywords.ts'
import { NameIndex } from './name-index.ts'
import type { Places } from './places.ts'
import { firstKey, isDunder, textKey } from './text-key.ts'
import type { CompileError, High } from './types.ts'

/** Applies `__extend__`, which is gone afterwards. `strict` wants the state module, too, when an ID is looked up. */
export function reconcileExtend(high: High, places: Places, options: { strict: boolean }): CompileError[] {
  const errors: CompileError[] = []
  const extensions = high.get('__extend__')
  if (!Array.isArray(extensions)) return errors
  high.delete('__extend__')
  const index = new NameIndex(high)
  const excluded = excludedSls(high)
  for (const extension of extensions) {
    if (!(extension instanceof Map)) continue
    for (const [name, body] of extension) {
      if (!(body instanceof Map)) continue
      const id = extendedId(high, index, name, body, options.strict)
      if (id === undefined) {
        const hint = didYouMean(
          str(name),
          [...high.keys()].map(str).filter((other) => !isDunder(other)),
        )
        errors.push({ text: notThere(name, body), at: places.of(extension, name) ?? places.of(body), hint })
      } else if (!excluded.has(body.get('__sls__') ?? null)) extendId(high.get(id) as Dict, body, id, index)
    }
  }
  return errors
}

function extendedId(high: High, index: NameIndex, name: Value, body: Dict, strict: boolean): Value | undefined {
  const state = [...body.keys()].find((key) => !isDunder(key))
  if (state === undefined) return undefined
  const target = high.get(name)
  if (target instanceof Map && target.has(state)) return name
  const found = index.find(name, textKey(state), strict)
  return found.length === 1 ? found[0]!.id : undefined
}

function notThere(name: Value, body: Dict): string {
  const id = str(name)
  const env = str(body.get('__env__') ?? 'base')
  const sls = str(body.get('__sls__') ?? 'base')
  return (
    `Cannot extend ID '${id}' in '${env}:${sls}'. It is not part of the high state.\n` +
    'This is likely due to a missing include statement or an incorrectly typed ID.\n' +
    `Ensure that a state with an ID of '${id}' is available\nin environment '${env}' and to SLS '${sls}'`
  )
}

/** Extensions made by an excluded SLS are left out; here an exclusion is a name, not a glob. */
function excludedSls(high: High): Set<Value> {
  const excluded = new Set<Value>()
  const entries = high.get('__exclude__')
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (typeof entry === 'string') excluded.add(entry)
    else if (!(entry instanceof Map)) {
      throw new PyError('AttributeError', `'${typeName(entry)}' object has no attribute 'get'`)
    } else if (entry.has('sls')) excluded.add(entry.get('sls')!)
  }
  return excluded
}

function extendId(target: Dict, body: Dict, id: Value, index: NameIndex): void {
  for (const [key, run] of body) {
    const state = textKey(key)
    if (state.startsWith('__')) continue
    const args = target.get(state)
    if (args === undefined) target.set(state, run)
    else if (Array.isArray(args) && isIterable(run)) {
      // as in Python, iterating a dict yields its keys, which then look like function names
      for (const arg of iterate(run)) if (!replace(args, arg)) args.push(arg)
    }
    if (Array.isArray(run)) for (const arg of run) index.added(id, state, arg)
  }
}

/** Replace an argument of the same name; return whether there was one. */
function replace(args: Value[], arg: Value): boolean {
  let replaced = false
  for (const [at, present] of args.entries()) {
    if (typeof arg === 'string' && typeof present === 'string') {
      args[at] = arg
      replaced = true
    } else if (arg instanceof Map && present instanceof Map) {
      const key = firstKey(arg)
      const presentKey = firstKey(present)
      if (key === presentKey && key !== undefined) {
        if (REQUISITE_KEYWORDS.has(key as string)) addRequisites(present, arg, key)
        else args[at] = arg
        replaced = true
      }
      if (key === 'name' && presentKey === 'names') args[at] = arg
    }
  }
  return replaced
}

function addRequisites(present: Dict, arg: Dict, key: Value): void {
  const there = present.get(key)
  const more = arg.get(key)
  // `use` shares arguments between states, so both may be one list
  if (Array.isArray(there) && Array.isArray(more)) for (const requisite of [...more]) there.push(requisite)
}
