// Changes one place of a nested dict by its path ("a:b:c"): missing dicts on the path are created, even in place of a
// value that is no dict. Every function changes the dict in place and returns it.
import { dictUpdate } from '../dict-update.ts'
import { PyError, SaltError, valueError } from '../errors.ts'
import { contains, iterate } from '../protocol.ts'
import { PySet } from '../set.ts'
import { getItem, setItem } from '../subscript.ts'
import { isList, OrderedDict, textOf, typeName, type Value } from '../value.ts'

export interface KeyPathOptions {
  delimiter?: string
  /** Make OrderedDicts where dicts are missing. */
  ordered?: boolean
}

export function setDictKeyValue(dict: Value, keys: Value, value: Value, options: KeyPathOptions = {}): Value {
  const [parent, last] = parentOf(dict, keys, options)
  setItem(parent, last, value)
  return dict
}

export function updateDictKeyValue(dict: Value, keys: Value, value: Value, options: KeyPathOptions = {}): Value {
  const target = targetOf(dict, keys, options, () => newDict(options))
  if (!(target instanceof Map || target instanceof PySet)) throw cannot('update', target)
  try {
    if (target instanceof Map) dictUpdate(target, value)
    else for (const item of iterate(value)) target.add(item)
  } catch (error) {
    if (!isWrongValue(error)) throw error
    throw new SaltError('SaltInvocationError', `Cannot update ${classOf(target)} with a ${classOf(value)}.`)
  }
  return dict
}

export function appendDictKeyValue(dict: Value, keys: Value, value: Value, options: KeyPathOptions = {}): Value {
  const target = targetOf(dict, keys, options, () => [])
  if (!isList(target)) throw cannot('append', target)
  target.push(value)
  return dict
}

export function extendDictKeyValue(dict: Value, keys: Value, value: Value, options: KeyPathOptions = {}): Value {
  const target = targetOf(dict, keys, options, () => [])
  if (!isList(target)) throw cannot('extend', target)
  try {
    const items = [...iterate(value)]
    for (const item of items) target.push(item)
  } catch (error) {
    if (!isWrongValue(error)) throw error
    throw new SaltError('SaltInvocationError', `Cannot extend ${classOf(target)} with a ${classOf(value)}.`)
  }
  return dict
}

const newDict = (options: KeyPathOptions): Value => (options.ordered ? new OrderedDict() : new Map())

const classOf = (value: Value): string => `<class '${typeName(value)}'>`

const isWrongValue = (error: unknown): boolean =>
  error instanceof PyError && (error.code === 'TypeError' || error.code === 'ValueError')

function cannot(verb: string, target: Value): SaltError {
  return new SaltError('SaltInvocationError', `The last key contains a ${classOf(target)}, which cannot ${verb}.`)
}

/** The value at the path; a missing one, or None, becomes `fresh` first. */
function targetOf(dict: Value, keys: Value, options: KeyPathOptions, fresh: () => Value): Value {
  const [parent, last] = parentOf(dict, keys, options)
  if (!contains(parent, last) || getItem(parent, last) === null) setItem(parent, last, fresh())
  return getItem(parent, last)
}

/** The dict that holds the path's last key, made together with all above it, and that key. */
function parentOf(dict: Value, keys: Value, options: KeyPathOptions): [parent: Value, last: Value] {
  const { delimiter = ':' } = options
  if (!contains(keys, delimiter)) return [dict, keys]
  const path = textOf(keys)
  if (path === undefined) {
    throw new PyError('AttributeError', `'${typeName(keys)}' object has no attribute 'rpartition'`)
  }
  if (delimiter === '') throw valueError('empty separator')
  const cut = path.lastIndexOf(delimiter)
  let parent = dict
  for (const name of path.slice(0, cut).split(delimiter)) {
    if (!contains(parent, name) || !(getItem(parent, name) instanceof Map)) setItem(parent, name, newDict(options))
    parent = getItem(parent, name)
  }
  return [parent, path.slice(cut + delimiter.length)]
}
