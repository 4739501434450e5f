// One rendered SLS made regular: `mod.fun` keys are parted into state and function, each ID learns its SLS and
// environment, and `extend` and `exclude` are put aside for the whole run.
import { type Dict, isList, PyError, str, typeName, type Value } from '../../data/mod.ts'
import type { Places, SlsSource } from './places.ts'
import { mayRepeat } from './several-per-id.ts'
import { textKey } from './text-key.ts'
import type { CompileError } from './types.ts'

export interface SlsOrigin {
  sls: string
  saltenv: string
  source: SlsSource
  places: Places
  errors: CompileError[]
}

export function regulate(state: Dict, origin: SlsOrigin): void {
  takeExtend(state, origin)
  takeExclude(state, origin)
  regulateIds(state, origin)
}

/** Moves `mod.fun: […]` to `mod: […, fun]`. */
function partKey(body: Dict, key: string, args: Value[]): void {
  const parts = key.split('.')
  body.delete(key)
  body.set(parts[0]!, args)
  args.push(parts[1]!)
}

function takeExtend(state: Dict, { sls, saltenv, errors, places, source }: SlsOrigin): void {
  const extend = state.get('extend')
  if (extend === undefined) return
  const at = places.of(state, 'extend')
  state.delete('extend')
  if (!(extend instanceof Map)) {
    errors.push({ text: `Extension value in SLS '${sls}' is not a dictionary`, at })
    return
  }
  for (const [name, body] of extend) {
    if (!(body instanceof Map)) {
      errors.push({ text: `Extension name '${str(name)}' in SLS '${sls}' is not a dictionary`, at })
      continue
    }
    places.remember(body, source)
    if (!body.has('__sls__')) body.set('__sls__', sls)
    if (!body.has('__env__')) body.set('__env__', saltenv)
    for (const key of [...body.keys()].map(textKey)) {
      const args = body.get(key)!
      if (!key.startsWith('_') && Array.isArray(args) && key.includes('.')) partKey(body, key, args)
    }
  }
  listOf(state, '__extend__').push(extend)
}

function takeExclude(state: Dict, { sls, errors, places }: SlsOrigin): void {
  const exclude = state.get('exclude')
  if (exclude === undefined) return
  const at = places.of(state, 'exclude')
  state.delete('exclude')
  if (!isList(exclude)) errors.push({ text: `Exclude Declaration in SLS ${sls} is not formed as a list`, at })
  listOf(state, '__exclude__').push(...extension(exclude))
}

/** Return the items that Python's `list.extend` would take from a value. */
function extension(value: Value): Iterable<Value> {
  if (Array.isArray(value)) return value
  if (value instanceof Map) return value.keys()
  if (typeof value === 'string') return value
  throw new PyError('TypeError', `'${typeName(value)}' object is not iterable`)
}

export function listOf(dict: Dict, key: string): Value[] {
  let list = dict.get(key)
  if (!Array.isArray(list)) {
    list = []
    dict.set(key, list)
  }
  return list
}

function regulateIds(state: Dict, origin: SlsOrigin): void {
  const { sls, saltenv, errors, places, source } = origin
  state.forEach((body, name) => {
    if (body instanceof Map) {
      places.remember(body, source)
      regulateBody(name, body, origin)
      if (!body.has('__sls__')) body.set('__sls__', sls)
      if (!body.has('__env__')) body.set('__env__', saltenv)
    } else if (typeof body === 'string' && body.includes('.')) {
      const [module, fun] = body.split('.') as [string, string]
      const padded = new Map<Value, Value>([
        ['__sls__', sls],
        ['__env__', saltenv],
        [module, [fun]],
      ])
      places.standIn(padded, state, name)
      state.set(name, padded)
    } else if (name !== '__extend__' && name !== '__exclude__') {
      errors.push({ text: `ID ${str(name)} in SLS ${sls} is not a dictionary`, at: places.of(state, name) })
    }
  })
}

function regulateBody(name: Value, body: Dict, { sls, errors, places }: SlsOrigin): void {
  const seen: string[] = []
  for (const written of [...body.keys()]) {
    const key = textKey(written)
    const args = body.get(key)
    if (key.startsWith('_') || !Array.isArray(args)) continue
    if (!key.includes('.')) {
      seen.push(key)
      continue
    }
    const state = key.slice(0, key.indexOf('.'))
    if (mayRepeat(state)) continue
    if (seen.includes(state)) {
      const text = `ID '${str(name)}' in SLS '${sls}' contains multiple state declarations of the same type`
      errors.push({ text, at: places.of(body, key) })
      continue
    }
    partKey(body, key, args)
    seen.push(state)
  }
}
