// Actions on keys of minions: calls of the wheel functions `key.accept`, `key.reject` and `key.delete` with the rights
// of the caller. A minion may have several keys, such as an accepted one and a denied one. Accepting the denied one
// replaces the accepted one; other actions on one key do not affect the others.
import { dictFrom, isDict, type Value } from '../../data/mod.ts'
import type { PkiKeys } from '../../store/mod.ts'
import { pemFingerprint } from '../../wire/mod.ts'
import type { V1Call } from './call.ts'
import { FOLDERS, KEY_STATES, type KeyStateName } from './minion-facts.ts'

export type KeyAction = 'accept' | 'reject' | 'delete'

/** Limit of keys in one request. Each is one call of a wheel function. */
export const MOST_KEYS = 200

/** Return the arguments by which an action includes keys of further states. */
export function includeOf(action: KeyAction, states: readonly KeyStateName[]): Record<string, Value> {
  const include: Record<string, Value> = {}
  if (action === 'accept' && states.includes('rejected')) include['include_rejected'] = true
  if (action === 'reject' && states.includes('accepted')) include['include_accepted'] = true
  if (action !== 'delete' && states.includes('denied')) include['include_denied'] = true
  return include
}

/** Call a wheel function about keys. Return whether it succeeded. */
export async function wheelDone(call: V1Call, fun: string, kwargs: Record<string, Value>): Promise<boolean> {
  const kwarg = dictFrom(kwargs)
  const done = await call.run({ client: 'wheel', fun, arg: [], kwarg })
  const data = isDict(done) ? done.get('data') : undefined
  return data !== undefined && isDict(data) && data.get('success') !== false
}

export interface ChosenKey {
  id: string
  state: KeyStateName
  /** SHA-256 fingerprint. */
  fingerprint?: string | undefined
}

const plain = (fingerprint: string): string => fingerprint.toLowerCase().replaceAll(':', '')

const missing = (fun: string): string => `This needs the right to call the wheel function ${fun}`

/** Act on one key of a minion. Return why nothing was done; undefined where it was done. */
export async function changeKey(
  call: V1Call,
  keys: PkiKeys,
  action: KeyAction,
  { id, state, fingerprint }: ChosenKey,
): Promise<string | undefined> {
  const isAlone = KEY_STATES.every((each) => each === state || keys.pem(FOLDERS[each], id) === undefined)
  const [fun, kwargs] =
    action === 'delete' && !isAlone
      ? ['key.delete_dict', { match: new Map<Value, Value>([[FOLDERS[state], [id]]]) }]
      : [`key.${action}`, { match: id, ...includeOf(action, [state]) }]
  // a user without the right for the action learns nothing about the keys
  const usual = `key.${action}`
  if (fun !== usual && !(await call.may('wheel', usual, { match: id }))) return missing(usual)
  if (!(await call.may('wheel', fun, kwargs))) return missing(fun)
  const pem = keys.pem(FOLDERS[state], id)
  if (pem === undefined) return `The minion has no ${state} key any more`
  if (fingerprint !== undefined && plain(pemFingerprint(pem)) !== plain(fingerprint))
    return 'The fingerprint of the key is another one'
  if (state === `${action}ed`) return `The key is ${state} already`
  if (action === 'reject' && !isAlone) return 'The minion has another key, which would go as well: delete this one'
  const isDone = await wheelDone(call, fun, kwargs)
  const left = keys.pem(FOLDERS[state], id)
  return isDone && left === undefined ? undefined : `The master did not ${action} the key`
}
