// Calls of Lambda: JSON documents by method and path.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dict, dumpJson, failure, isDict, isList, type Value } from '../../../data/mod.ts'
import { awsEscaped, type FunctionContext } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { isFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import type { AwsLogin } from '../common/login.ts'

const ROOT = '/2015-03-31'
const MOST_PAGES = 10_000

export const NOT_FOUND = 'ResourceNotFoundException'

export type Reply = Record<string, Value>

export const lambdaOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'lambda', login)

/** Return the path of a function, or of something that belongs to it. */
export const functionPath = (name: string, ...parts: string[]): string =>
  ['/functions', ...[name, ...parts].map(awsEscaped)].join('/')

interface LambdaRequest {
  action: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query?: Parameters
  /** Null values are left out. */
  content?: Record<string, Value>
}

export async function send(
  lambda: AwsCaller,
  { action, method, path, query = {}, content }: LambdaRequest,
): Promise<Dict> {
  const given = content && new Map<Value, Value>(Object.entries(content).filter(([, value]) => value !== null))
  const body = given === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: dumpJson(given) }
  const answer = lambda.jsonOf(action, await lambda.rest({ action, method, path: `${ROOT}${path}`, query, ...body }))
  return isDict(answer) ? answer : new Map()
}

/** Return all entries of a list over its pages. */
export async function listed(
  lambda: AwsCaller,
  { action, path, query = {}, list }: { action: string; path: string; query?: Parameters; list: string },
): Promise<Dict[]> {
  const all: Dict[] = []
  let marker: Value = null
  for (let page = 0; page < MOST_PAGES; page++) {
    const next = typeof marker === 'string' ? { Marker: marker } : {}
    const answer = await send(lambda, { action, method: 'GET', path, query: { ...query, ...next } })
    const rows = answer.get(list) ?? []
    if (isList(rows)) all.push(...rows.filter(isDict))
    marker = answer.get('NextMarker') ?? null
    if (typeof marker !== 'string' || marker === '') return all
  }
  throw failure(`lambda ${action} does not come to an end after ${MOST_PAGES} pages`)
}

/** Return some fields of an entry; missing ones are None. */
export const fieldsOf = (entry: Dict, fields: readonly string[]): Dict =>
  new Map(fields.map((field): [Value, Value] => [field, entry.get(field) ?? null]))

const ATTEMPTS_WHILE_CHANGING = 6

/**
 * Call again while a function is still being changed, and, at most so many times, while its role cannot be taken on yet: a new role takes
 * some seconds to be known everywhere.
 */
export async function patiently<T>(ctx: FunctionContext, roleAttempts: number, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      const isChanging = isFault(error, 'ResourceConflictException') && /progress|pending/i.test(error.fault.text)
      const isRole = isFault(error, 'InvalidParameterValueException') && /\brole\b/i.test(error.fault.text)
      const most = isChanging ? ATTEMPTS_WHILE_CHANGING : isRole ? roleAttempts : 1
      if (attempt >= most) throw error
      ctx.log('info', `Lambda is not ready, and is asked again: ${error instanceof Error ? error.message : ''}`)
      await sleep((2 ** (attempt - 1) + Math.random()) * 1000)
    }
  }
}
