// Reads a call from the chunk of a reaction: the new form (`args`), the old ones (`arg` and `kwarg`, or parameters as
// keywords of the reaction), and Salt's messages for chunks that it cannot read.
import { type Log, lookup } from '../base/mod.ts'
import { type Dict, isDict, isList, repr, SaltError, str, type Value } from '../data/mod.ts'
import { type MasterFunction, signatureOf } from '../sdk/mod.ts'

export type ReactionKind = 'local' | 'runner' | 'wheel' | 'caller'

export const KINDS: ReadonlySet<string> = new Set<ReactionKind>(['local', 'runner', 'wheel', 'caller'])

export interface ReactionCall {
  kind: ReactionKind
  id: string
  fun: string
  args: Value[]
  kwargs: Map<string, Value>
  /** For `local`. */
  tgt?: Value
  tgtType?: string
  ret?: string
  options?: Dict
}

/** Return the declaration of a function of the master. */
export type DeclaredFunctions = (kind: 'runner' | 'wheel', fun: string) => Promise<DeclaredFunction | undefined>

export interface DeclaredFunction {
  declaration: MasterFunction
  /** Whether the function is built in, not a user's own. */
  isBuiltIn: boolean
}

/** The old name of `local`. */
const ALIASES: Readonly<Record<string, string>> = lookup({ cmd: 'local' })

export const kindOf = (chunk: Dict): string => {
  const kind = str(chunk.get('state') ?? '')
  return ALIASES[kind] ?? kind
}

/** Keys of a chunk that are never arguments. */
const INTERNAL = new Set(['__id__', '__sls__', '__env__', 'name', 'order', 'fun', 'key', 'state', 'name_order'])
const REQUISITES = new Set(['require', 'require_any', 'watch', 'onchanges', 'onfail', 'require_in', 'onfail_any'])

const OPTIONS = ['ret_config', 'ret_kwargs', 'metadata', 'delimiter', 'module_executors', 'executor_opts']

const fullName = (chunk: Dict): string => str(chunk.get('fun') ?? '')

/** The call, or undefined when the reaction cannot be read, which is logged. */
export async function reactionCall(
  chunk: Dict,
  declared: DeclaredFunctions,
  log: Log,
): Promise<ReactionCall | undefined> {
  const kind = kindOf(chunk) as ReactionKind
  const id = str(chunk.get('__id__') ?? '')
  const fun = fullName(chunk)
  if (kind === 'local' && !chunk.has('tgt')) {
    throw new SaltError('SaltInvocationError', 'local takes at least 2 arguments (1 given)')
  }
  const given = chunk.has('args') ? newForm(chunk, kind, id, log) : await oldForm(chunk, kind, declared)
  if (typeof given === 'string') {
    log('error', `Reactor '${id}' failed to execute ${kind} '${fun}': ${given}`)
    return undefined
  }
  const call: ReactionCall = { kind, id, fun, ...given }
  return kind === 'local' ? { ...call, ...targetOf(chunk) } : call
}

function targetOf(chunk: Dict): Partial<ReactionCall> {
  const options = new Map(
    OPTIONS.filter((name) => chunk.has(name)).map((name): [Value, Value] => [name, chunk.get(name)!]),
  )
  return {
    tgt: chunk.get('tgt')!,
    tgtType: str(chunk.get('tgt_type') ?? 'glob'),
    ret: str(chunk.get('ret') ?? ''),
    ...(options.size > 0 && { options }),
  }
}

interface Given {
  args: Value[]
  kwargs: Map<string, Value>
}

const WRONG_FORM = 'Incorrect argument format, check the Reactor System documentation for the correct format.'

function newForm(chunk: Dict, kind: ReactionKind, id: string, log: Log): Given | string {
  for (const name of ['arg', 'kwarg']) {
    const ignored = chunk.get(name)
    if (ignored === undefined) continue
    log(
      'warning',
      `Reactor '${id}' is ignoring '${name}' param ${repr(ignored)} due to presence of 'args' param. ` +
        'Check the Reactor System documentation for the correct argument format.',
    )
  }
  const args = chunk.get('args')!
  const isKeyed = isList(args) && args.every((item) => isDict(item) && item.size === 1)
  if (kind === 'caller' && isList(args) && !isKeyed) return { args: [...args], kwargs: new Map() }
  const kwargs = isDict(args) ? entriesOf(args) : repacked(args)
  return kwargs.size > 0 || isDict(args) ? { args: [], kwargs } : WRONG_FORM
}

const entriesOf = (dict: Dict): Map<string, Value> => new Map([...dict].map(([key, value]) => [str(key), value]))

/**
 * Merge a list of one-key dicts into one dict; a plain word becomes a key without a value. Empty if the list contains
 * anything else.
 */
function repacked(list: Value): Map<string, Value> {
  const found = new Map<string, Value>()
  for (const item of isList(list) ? list : []) {
    if (isDict(item) && item.size === 1) for (const [key, value] of item) found.set(str(key), value)
    else if (typeof item === 'string' || typeof item === 'number') found.set(str(item), null)
    else return new Map()
  }
  return found
}

async function oldForm(chunk: Dict, kind: ReactionKind, declared: DeclaredFunctions): Promise<Given | string> {
  const [arg, kwarg] = [chunk.get('arg'), chunk.get('kwarg')]
  const given: Given = {
    args: isList(arg ?? null) ? [...(arg as Value[])] : arg === undefined ? [] : [arg],
    kwargs: new Map(),
  }
  if (isDict(kwarg ?? null)) given.kwargs = entriesOf(kwarg as Dict)
  if (kind === 'local' || kind === 'caller' || (arg !== undefined && kwarg !== undefined)) return given
  const fun = fullName(chunk)
  const found = await declared(kind, fun)
  if (!found) return 'function not available'
  const loaded = `salt.loaded.${found.isBuiltIn ? 'int' : 'ext'}.${kind === 'runner' ? 'runners' : 'wheel'}.${fun}`
  const bound = bySignature(chunk, fun, loaded, found.declaration)
  return {
    args: arg === undefined ? bound.args : given.args,
    kwargs: kwarg === undefined ? bound.kwargs : given.kwargs,
  }
}

/**
 * Take the arguments from the keywords of the reaction when it has no `arg` or `kwarg`: parameters without a default by
 * position, the others by name.
 */
function bySignature(chunk: Dict, fun: string, loaded: string, declaration: MasterFunction): Given {
  const signature = signatureOf(declaration, fun.slice(fun.lastIndexOf('.') + 1))
  const left = new Map(chunk)
  const args: Value[] = []
  let missing = 0
  for (const name of signature.positional.slice(0, signature.required)) {
    if (left.has(name)) args.push(left.get(name)!)
    else missing++
    left.delete(name)
  }
  if (missing > 0) {
    const count = args.length + missing
    const text = `${signature.name} takes at least ${count} argument${count > 1 ? 's' : ''} (${args.length} given)`
    throw new SaltError('SaltInvocationError', text)
  }
  const kwargs = new Map<string, Value>()
  for (const name of [...signature.positional.slice(signature.required), ...signature.keywordOnly]) {
    // events show all parameters that Salt has; parameters that only Brine has appear only when the reaction sets them
    if (declaration.args[name]?.beyond && !left.has(name)) continue
    kwargs.set(name, left.get(name) ?? declaration.args[name]?.default ?? null)
    left.delete(name)
  }
  const extra = [...left].map(([key, value]): [string, Value] => [str(key), value])
  const further = extra.filter(([key]) => !INTERNAL.has(key) && !REQUISITES.has(key))
  if (signature.open) for (const [key, value] of further) kwargs.set(key, value)
  else if (further.length > 0)
    throw new SaltError(
      'SaltInvocationError',
      invalid(
        further.map(([key]) => key),
        loaded,
      ),
    )
  return { args, kwargs }
}

function invalid(keys: string[], name: string): string {
  if (keys.length === 1) return `'${keys[0]}' is an invalid keyword argument for '${name}'`
  const first = keys.slice(0, -1).map((key) => `'${key}'`)
  return `${first.join(', ')} and '${keys.at(-1)}' are invalid keyword arguments for '${name}'`
}

/** The requisites of a reaction: kind and ID of other chunks. */
export function requirements(chunk: Dict): string[] {
  const listed = ['require', 'watch', 'onchanges'].flatMap((name) => {
    const value = chunk.get(name)
    return value !== undefined && isList(value) ? value : []
  })
  return listed.flatMap((one) => {
    if (!isDict(one)) return [str(one)]
    return [...one].map(([kind, id]) => `${ALIASES[str(kind)] ?? str(kind)}/${str(id)}`)
  })
}
