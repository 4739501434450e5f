// `decrypt_pillar`: the keys whose values are decrypted after the pillar is complete, each with its renderer.
import { BrineError, isAskedByTarget, type Log } from '../base/mod.ts'
import { option, rawOption } from '../config/mod.ts'
import {
  contains,
  type Dict,
  isIterable,
  isNumeric,
  PyError,
  PyFrozenSet,
  PySet,
  SaltError,
  setItem,
  str,
  textOf,
  traverseDict,
  truthy,
  typeName,
  type Value,
} from '../data/mod.ts'
import { decrypt, type FunctionSource, openBoxes } from '../render/mod.ts'
import { load } from '../yaml/mod.ts'

export interface DecryptContext {
  opts: Dict
  functions?: FunctionSource
  log: Log
}

/** Decrypt in place; return the errors. */
export async function decryptPillar(pillar: Dict, ctx: DecryptContext): Promise<string[]> {
  const configured = rawOption(ctx.opts, 'decrypt_pillar')
  if (!truthy(configured)) return []
  const wanted = configured instanceof Map ? configured : repacked(configured)
  const errors = wanted.size === 0 ? ['decrypt_pillar config option is malformed'] : []
  for (const [key, renderer] of wanted) {
    const path = textOf(key)
    if (path === undefined) throw new PyError('AttributeError', `'${typeName(key)}' object has no attribute 'split'`)
    try {
      await decryptKey(pillar, path, renderer, ctx)
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
      const problem = `Failed to decrypt pillar key '${path}': ${error.message}`
      ctx.log('error', problem)
      errors.push(problem)
    }
  }
  return errors
}

async function decryptKey(pillar: Dict, key: string, renderer: Value, ctx: DecryptContext): Promise<void> {
  const delimiter = option(ctx.opts, 'decrypt_pillar_delimiter')
  const value = traverseDict(pillar, key, { default: null, delimiter })
  if (value === null) return
  const wanted = truthy(renderer) ? renderer : option(ctx.opts, 'decrypt_pillar_default')
  const decrypted = await decryptValue(value, wanted, ctx)
  if (isChangedInPlace(value)) return
  const cut = key.lastIndexOf(delimiter)
  const parent = cut <= 0 ? pillar : traverseDict(pillar, key.slice(0, cut), { default: null, delimiter })
  if (parent !== null) setItem(parent, cut < 0 ? key : key.slice(cut + delimiter.length), decrypted)
}

const isChangedInPlace = (value: Value): boolean =>
  value instanceof Map || Array.isArray(value) || (value instanceof PySet && !(value instanceof PyFrozenSet))

/** Decrypts with a renderer that `decrypt_pillar_renderers` allows. */
async function decryptValue(value: Value, renderer: Value, ctx: DecryptContext): Promise<Value> {
  const allowed = option(ctx.opts, 'decrypt_pillar_renderers')
  if (truthy(allowed) && isIterable(allowed) && !contains(allowed, renderer)) {
    const choices = Array.isArray(allowed) ? allowed.map(str).join(', ') : str(allowed)
    throw new SaltError(
      'SaltInvocationError',
      `'${str(renderer)}' is not a valid decryption renderer. Valid choices are: ${choices}`,
    )
  }
  const { opts, functions, log } = ctx
  const known = { opts, log, ...(functions && { functions }) }
  if (renderer === 'gpg') return decrypt(value, known)
  if (renderer === 'nacl') return openBoxes(value, known)
  throw new SaltError('SaltInvocationError', `Decryption renderer '${str(renderer)}' is not available`)
}

/**
 * Decrypt the values of a pillar override in place, with the keys of the machine that got the request. A master never
 * does this for a minion: the minion could have it decrypt values of others.
 */
export async function decryptOverride(override: Dict, renderer: string, ctx: DecryptContext): Promise<void> {
  const failed = (why: string, cause?: unknown): SaltError =>
    new SaltError('CommandExecutionError', `Failed to decrypt pillar override: ${why}`, { cause })
  if (isAskedByTarget()) throw failed('a module on a target asks for it, and the keys are not those of the target')
  try {
    await decryptValue(override, renderer, ctx)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw failed(error.message, error)
  }
}

/** Merge a list of keys and of single-item dicts (or its YAML) into one dict; any other value gives an empty dict. */
function repacked(option: Value): Dict {
  const text = textOf(option)
  const items = text === undefined ? option : load(text)
  const dict: Dict = new Map()
  if (!Array.isArray(items)) return dict
  for (const item of items) {
    if (textOf(item) !== undefined || isNumeric(item)) dict.set(item, null)
    else if (item instanceof Map && item.size === 1) for (const [key, value] of item) dict.set(key, value)
    else return new Map()
  }
  return dict
}
