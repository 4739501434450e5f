// Evaluates an access list. Entries are regular expressions for function names, matched from the beginning; dicts from
// a target, or from `@runner` and the like, to functions; functions with conditions on their arguments; and `@publish`,
// which grants fields of a publication other than function, arguments and target.
import { type Dict, isDict, isList, str, textOf, type Value } from '../../data/mod.ts'
import { publishedCalls } from '../../sdk/mod.ts'
import { begins } from '../configured-pattern.ts'

/** A call to be judged; keywords are apart from the other arguments. */
export interface JudgedCall {
  fun: string
  args: readonly Value[]
  kwargs: ReadonlyMap<Value, Value>
}

/** Whether all minions that a command reaches are among the minions of a target. */
export type Covers = (target: string) => boolean

/** Always allowed: clients ask it of minions that have not returned. */
const HARMLESS = 'saltutil.find_job'

/** The entry for fields of a publication. */
const FIELDS = '@publish'

/** The entry that allows nothing, for lists that must not be empty. */
export const NOTHING = '@none'

const listOf = (value: Value): Value[] => (isList(value) ? [...value] : [value])

/** The only key of a dict, and its value. */
function single(dict: Dict): [key: Value, value: Value] | undefined {
  const [first] = dict
  return dict.size === 1 ? first : undefined
}

/** Whether every function of a command is allowed on all the minions it reaches. */
export function mayPublish(list: readonly Value[], calls: readonly JudgedCall[], covers: Covers): boolean {
  return calls.length > 0 && calls.every((call) => isHarmless(call) || publishRule(list, call, covers) !== undefined)
}

/** Return the first entry that allows a function on all minions of a command; undefined if there is none. */
export const publishRule = (list: readonly Value[], call: JudgedCall, covers: Covers): Value | undefined =>
  list.find((entry) => allows(entry, call, covers))

export const isHarmless = ({ fun }: JudgedCall): boolean => fun === HARMLESS

/** Whether every function of a command is allowed on every minion, also on minions that this master does not know. */
export function mayPublishAnywhere(list: readonly Value[], calls: readonly JudgedCall[]): boolean {
  const isEverybody: Covers = (target) => target === '*'
  return calls.length > 0 && calls.every((call) => publishRule(list, call, isEverybody) !== undefined)
}

/** A group of minions has another meaning on each master. */
const NODEGROUP = /(?:^|[\s(])N@/

/**
 * Return the part of a list that allows these calls and nothing else, for masters below, which evaluate it on the
 * minions that they know. These masters compare only function names: a function that is called twice must be allowed on
 * a target with the arguments of both calls.
 */
export function rightsFor(list: readonly Value[], calls: readonly JudgedCall[]): Value[] {
  const judged = calls.filter((call) => !isHarmless(call))
  const targetsOf = (call: JudgedCall): string[] =>
    list
      .filter((entry) => allows(entry, call, () => true))
      .map((entry) => (isDict(entry) ? str(single(entry)![0]) : '*'))
      .filter((target) => !NODEGROUP.test(target))
  const rights = [...new Set(judged.map(({ fun }) => fun))].flatMap((fun) => {
    const each = judged.filter((call) => call.fun === fun).map((call) => new Set(targetsOf(call)))
    const targets = new Set(each.flatMap((own) => [...own]))
    return [...targets]
      .filter((target) => each.every((own) => own.has(target) || own.has('*')))
      .map((target) => new Map<Value, Value>([[target, [`${fun.replace(/[^\w]/g, '\\$&')}$`]]]))
  })
  // an empty list would allow everything
  return rights.length > 0 || judged.length === 0 ? rights : [NOTHING]
}

/**
 * Whether a list grants a field of a publication: `@publish` grants all fields, `{'@publish': [name, …]}` the named
 * ones.
 */
export function maySetField(list: readonly Value[], names: readonly string[]): boolean {
  return list.some((entry) => {
    if (textOf(entry) === FIELDS) return true
    const [right, granted] = (isDict(entry) ? single(entry) : undefined) ?? []
    return right === FIELDS && listOf(granted!).some((name) => names.includes(str(name)))
  })
}

function allows(entry: Value, call: JudgedCall, covers: Covers): boolean {
  const text = textOf(entry)
  if (text !== undefined) return !text.startsWith('@') && begins(text, call.fun)
  if (!isDict(entry)) return false
  const [target, functions] = single(entry) ?? []
  if (target === undefined || str(target).startsWith('@')) return false
  return covers(str(target)) && allowsFunction(functions!, call)
}

function allowsFunction(functions: Value, call: JudgedCall): boolean {
  return listOf(functions).some((entry) => {
    const text = textOf(entry)
    if (text !== undefined) return begins(text, call.fun)
    const [name, conditions] = (isDict(entry) ? single(entry) : undefined) ?? []
    return name !== undefined && begins(name, call.fun) && allowsArguments(conditions!, call)
  })
}

/**
 * The listed positions and keywords must be given and match; further arguments are allowed. A parameter that is given
 * by position and by keyword fails on the minion, so a condition on a keyword cannot be evaded by a position.
 */
function allowsArguments(conditions: Value, { args, kwargs }: JudgedCall): boolean {
  const meets = (wanted: Value, given: Value | undefined): boolean =>
    given !== undefined && (wanted === null || begins(wanted, str(given)))
  return listOf(conditions).some((condition) => {
    if (!isDict(condition)) return false
    const positional = condition.get('args') ?? []
    const keywords = condition.get('kwargs') ?? new Map<Value, Value>()
    if (!isList(positional) || !isDict(keywords)) return false
    const inOrder = positional.every((wanted, index) => meets(wanted, args[index]))
    return inOrder && [...keywords].every(([name, wanted]) => meets(wanted, kwargs.get(name)))
  })
}

/** Whether a function of the master may be called. */
export const mayCall = (list: readonly Value[], family: 'runner' | 'wheel', call: JudgedCall): boolean =>
  callRule(list, family, call) !== undefined

/** Return the first entry that allows a function of the master: `@runner`, `@wheel`, `@<module>`, or a dict of these. */
export function callRule(list: readonly Value[], family: 'runner' | 'wheel', call: JudgedCall): Value | undefined {
  const [module, name, ...rest] = call.fun.split('.')
  if (name === undefined || rest.length > 0) return undefined
  const families = [`@${family}`, `@${family}s`]
  return list.find((entry) => {
    const text = textOf(entry)
    if (text !== undefined) return (text === `@${module}` && text !== FIELDS) || families.includes(text)
    const [right, functions] = (isDict(entry) ? single(entry) : undefined) ?? []
    if (right === undefined) return false
    if (str(right) === `@${module}` && allowsFunction(functions!, { ...call, fun: name })) return true
    return families.includes(str(right)) && allowsFunction(functions!, call)
  })
}

/** Return the calls of a publication in the form in which minions run them. */
export function judgedCalls(fun: Value, arg: Value): JudgedCall[] {
  return publishedCalls(fun, arg).map(({ keywords, ...call }) => ({ ...call, kwargs: new Map<Value, Value>(keywords) }))
}
