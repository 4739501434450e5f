// The request to publish a job, and the publication that minions get. Every field that a request may carry is declared in one
// table with its shape and with the right that a limited user needs for it; nothing else of a request reaches minions.
import { isJid } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { returnerNames } from '../daemon/mod.ts'
import { type Dict, dictFrom, isDict, isList, numberOf, textOf, truthy, type Value } from '../data/mod.ts'
import { isValidId } from '../wire/mod.ts'

/** A request to publish that has the right shape. */
export interface JobRequest {
  fun: Value
  arg: Value[]
  tgt: Value
  tgtType: string
  delimiter?: string
  /** The job id that the caller chose. */
  jid?: string
  /** The further fields that are in use, by name; empty values are left out. */
  fields: ReadonlyMap<string, Value>
}

interface Field {
  /** The part of a request that carries it. */
  from: 'load' | 'kwargs'
  /**
   * The name under which `@publish` grants the field, besides its own name. Without one, every user may set the field.
   */
  right?: string
  /** The valid values, for the error message. */
  wanted: string
  isGood(value: Value): boolean
  /** Whether 0 is a value like others, and not an empty one. */
  isSetByZero?: true
}

/** Longest name in a request: of a function, a user, a returner and the like. */
const LONGEST_NAME = 256
/** Most names in a list: each function of a job is judged for each of its minions. */
const MOST_NAMES = 1000

export const isName = (value: Value): boolean => {
  const text = textOf(value)
  return text !== undefined && text.length <= LONGEST_NAME && !/\p{Cc}/u.test(text)
}
const isNames = (value: Value): boolean =>
  isName(value) || (isList(value) && value.length <= MOST_NAMES && value.every(isName))
const anything = (): boolean => true
const isTime = (value: Value): boolean => {
  const number = numberOf(value)
  return number !== undefined && Number.isFinite(number) && number >= 0
}

/** In the order of the publication. */
const FIELDS: Readonly<Record<string, Field>> = {
  ret: { from: 'load', right: 'ret', wanted: 'the name of a returner', isGood: isNames },
  master_id: { from: 'kwargs', right: 'master_id', wanted: 'an id', isGood: isName },
  id: { from: 'kwargs', right: 'id', wanted: 'the id of a minion', isGood: isValidId },
  // Salt's clients send their timeout on a master of masters
  to: { from: 'load', wanted: 'a number of seconds', isGood: isTime },
  ret_config: { from: 'kwargs', right: 'ret', wanted: 'a name', isGood: isName },
  metadata: { from: 'kwargs', right: 'metadata', wanted: 'a value', isGood: anything },
  module_executors: {
    from: 'kwargs',
    right: 'module_executors',
    wanted: 'a name or a list of names',
    isGood: isNames,
  },
  executor_opts: { from: 'kwargs', right: 'module_executors', wanted: 'a mapping', isGood: isDict },
  ret_kwargs: { from: 'kwargs', right: 'ret', wanted: 'a mapping', isGood: isDict },
  start_event: { from: 'kwargs', right: 'start_event', wanted: 'a boolean', isGood: anything },
  traceparent: { from: 'load', wanted: 'a trace context of W3C', isGood: isTraceparent },
  deliver_within: { from: 'kwargs', wanted: 'a number of seconds', isGood: isTime, isSetByZero: true },
  nocache: { from: 'kwargs', right: 'nocache', wanted: 'a boolean', isGood: anything },
}

/** Fields for the master only, which minions do not get. */
const OF_THE_MASTER = new Set(['nocache'])

/** The trace that a job belongs to, as Salt 3008 carries it to minions. */
function isTraceparent(value: Value): boolean {
  return typeof value === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(value)
}

const isEmpty = (value: Value): boolean => !truthy(value)

const isTarget = (value: Value): boolean => isWord(value) || (isList(value) && value.every(isWord))
const isWord = (value: Value): boolean => textOf(value) !== undefined || numberOf(value) !== undefined

/** Return the keyword fields of a request. */
export const extraOf = (load: Dict): Dict => {
  const kwargs = load.get('kwargs')
  return kwargs !== undefined && isDict(kwargs) ? kwargs : new Map()
}

/** Read a request; return a text if it is invalid. */
export function readRequest(load: Dict): JobRequest | string {
  const kwargs = extraOf(load)
  const [fun, arg, tgt] = [load.get('fun') ?? '', load.get('arg') ?? [], load.get('tgt') ?? null]
  const tgtType = load.get('tgt_type') ?? 'glob'
  const isSeveral = isList(fun)
  if (isEmpty(fun) || !isNames(fun)) return wrong('fun', 'the name of a function, or a list of names')
  if (!isList(arg) || (isSeveral && !arg.every(isList)))
    return wrong('arg', isSeveral ? 'a list of arguments for each function' : 'a list')
  if (!isTarget(tgt)) return wrong('tgt', 'text, or a list of texts')
  if (!isName(tgtType)) return wrong('tgt_type', 'the name of a kind of target')
  const request: JobRequest = { fun, arg, tgt, tgtType: textOf(tgtType)!, fields: new Map() }
  const delimiter = kwargs.get('delimiter') ?? null
  if (!isEmpty(delimiter)) {
    if (!isName(delimiter)) return wrong('delimiter', 'a text')
    request.delimiter = textOf(delimiter)!
  }
  const jid = load.get('jid') ?? null
  if (!isEmpty(jid)) {
    if (!isJid(jid)) return wrong('jid', 'a job id of twenty digits')
    request.jid = jid
  }
  return withFields(request, load, kwargs)
}

function withFields(request: JobRequest, load: Dict, kwargs: Dict): JobRequest | string {
  const fields = new Map<string, Value>()
  for (const [name, { from, wanted, isGood, isSetByZero }] of Object.entries(FIELDS)) {
    const value = (from === 'load' ? load : kwargs).get(name) ?? null
    if (isEmpty(value) && !(isSetByZero && value === 0)) continue
    if (!isGood(value)) return wrong(name, wanted)
    fields.set(name, value)
  }
  return { ...request, fields }
}

const wrong = (name: string, wanted: string): string => `The field ${name} of the request must be ${wanted}`

/**
 * Return the fields of a request that a limited user needs a right for, each with the names that grant it. Salt's clients
 * name the external job cache in `ret` by themselves, so this is not counted. A job id is judged apart.
 */
export function fieldsInNeed({ fields }: JobRequest, opts: Dict): Array<[field: string, rights: string[]]> {
  const external = returnerNames(opts.get('ext_job_cache'))
  return [...fields].flatMap(([name, value]): Array<[string, string[]]> => {
    const { right } = FIELDS[name]!
    if (right === undefined) return []
    if (name === 'ret' && returnerNames(value).every((each) => external.includes(each))) return []
    return [[name, [name, right]]]
  })
}

/**
 * Build the publication of a job, which is also stored. The target is unchanged, and the user's name is the only
 * information about the caller.
 */
export function publicationOf(request: JobRequest, jid: string, user: string, opts: Dict, authList?: Value[]): Dict {
  const { fun, arg, tgt, tgtType, delimiter = ':', fields } = request
  const published: Dict = dictFrom({ fun, arg, tgt, jid, ret: withExternalCache(fields.get('ret') ?? '', opts) })
  if (delimiter !== ':') published.set('delimiter', delimiter)
  published.set('tgt_type', tgtType)
  for (const name of Object.keys(FIELDS)) {
    if (fields.has(name) && name !== 'ret' && !OF_THE_MASTER.has(name)) published.set(name, fields.get(name)!)
  }
  if (published.has('start_event')) published.set('start_event', true)
  const ownName = option(opts, 'master_id')
  if (ownName && !published.has('master_id')) published.set('master_id', ownName)
  const ordersMasters = option(opts, 'order_masters')
  if (ordersMasters && !published.has('to')) published.set('to', option(opts, 'timeout'))
  published.set('user', user)
  // the user's rights on minions of the masters below; without them, syndics do not forward the job
  if (ordersMasters && authList) published.set('auth_list', authList)
  return published
}

/** An external job cache is one more returner of every job. */
function withExternalCache(ret: Value, opts: Dict): Value {
  const named = returnerNames(ret)
  const missing = returnerNames(opts.get('ext_job_cache')).filter((name) => !named.includes(name))
  return missing.length === 0 ? ret : [...named, ...missing].join(',')
}

/**
 * Replace the target of a publication by ids. All minions match a list of ids in the same way, and evaluate no
 * expression of a limited user. The original target is added for functions that show it.
 */
export function frozen(publication: Dict, ids: readonly string[]): Dict {
  const written = ['tgt', 'tgt_type', 'delimiter'].filter((name) => publication.has(name))
  // a target that was replaced before goes along as it was written
  const typed = publication.get('typed') ?? new Map(written.map((name) => [name, publication.get(name)!]))
  const wire: Dict = new Map(publication)
    .set('tgt', [...ids])
    .set('tgt_type', 'list')
    .set('typed', typed)
  wire.delete('delimiter')
  return wire
}
