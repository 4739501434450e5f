// A key of gpg.present: fetched if it is missing or expired, then trusted.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, failure, isList, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

export interface PresentRequest {
  name: string
  user: string | null
  keyserver: string | null
  gnupghome: string | null
  trust: string | null
  keyring: Value
  source: Value
  skip_keyserver: boolean
  text: Value
  subkey_maxage: number
}

export const TRUST_LEVELS: Readonly<Record<string, string>> = lookup({
  expired: 'Expired',
  unknown: 'Unknown',
  not_trusted: 'Not Trusted',
  marginally: 'Marginally',
  fully: 'Fully Trusted',
  ultimately: 'Ultimately Trusted',
})

export interface Outcome {
  key: string
  /** Owner trust; undefined for a missing key. */
  trust: Value | undefined
  result: boolean | null
  changes: Dict
  notes: string[]
}

type Ring = Pick<PresentRequest, 'user' | 'gnupghome' | 'keyring'>

export const ringArgs = ({ user, gnupghome, keyring }: Ring): Record<string, Value> => ({ user, gnupghome, keyring })

const listOf = (value: Value): Value[] => (isList(value) ? value : [value])
const subkeysOf = (key: Dict | undefined): Dict[] => (key?.get('subkeys') ?? []) as Dict[]
const isExpired = (key: Dict | undefined): boolean => key?.get('expired') === true

/** Return the subkeys that expired recently. */
function staleSubkeys(ctx: StateContext, key: Dict | undefined, maxDays: number): Dict[] {
  if (maxDays === 0) return []
  const today = Math.floor(ctx.host.now() / 86_400)
  return subkeysOf(key).filter((subkey) => {
    const days = today - Date.parse(str(subkey.get('expires') ?? '')) / 86_400_000
    return isExpired(subkey) && days <= maxDays
  })
}

const idsOf = (keys: readonly Dict[]): string[] => keys.map((key) => str(key.get('keyid')!))

/** A key that a source does not have, or only expired. */
class KeyNotContained extends SaltError {
  constructor(message: string) {
    super('CommandExecutionError', message)
  }
}

async function importFrom(
  ctx: StateContext,
  request: PresentRequest,
  key: string,
  refresh: boolean,
  from: Record<string, Value>,
) {
  const { user, gnupghome } = request
  const asked = { text: from['text'] ?? null, path: from['filename'] ?? null, keyid: key, gnupghome, user }
  const [found] = await ctx.call('gpg.read_key', [], asked)
  if (found === undefined) throw new KeyNotContained(`Passed text did not contain the requested key ${key}`)
  if (isExpired(found) && refresh) {
    throw new KeyNotContained(`Passed text contained the key ${key}, but it's expired`)
  }
  return ctx.call('gpg.import_key', [], { ...from, ...ringArgs(request), select: key })
}

async function fromSources(
  ctx: StateContext,
  request: PresentRequest,
  key: string,
  refresh: boolean,
  said: string,
): Promise<Dict> {
  for (const source of listOf(request.source)) {
    const path = await ctx.call('cp.cache_file', [source])
    if (!truthy(path)) continue
    try {
      return await importFrom(ctx, request, key, refresh, { filename: path })
    } catch (error) {
      if (!(error instanceof KeyNotContained)) throw error
      if (error.message.includes('expired')) {
        ctx.log('warning', `Found source ${str(source)} contains key ${key}, but it's expired`)
      }
    }
  }
  throw failure(`${said}none of the specified sources were found or contained the (unexpired) key ${key}.`)
}

/** Fetch the key from the configured place; return the answer. */
async function fetchKey(
  ctx: StateContext,
  request: PresentRequest,
  key: string,
  expired: boolean,
  refresh: boolean,
): Promise<Dict> {
  if (truthy(request.text)) return importFrom(ctx, request, key, refresh, { text: request.text })
  let answer: Dict = new Map()
  if (!request.skip_keyserver) {
    const asked = { keyserver: request.keyserver, keys: key, ...ringArgs(request) }
    answer = await ctx.call('gpg.receive_keys', [], asked)
    const messages = (answer.get('message') as Value[]).map((message) => str(message))
    if (refresh && truthy(answer.get('res')!)) {
      // without new data an expired key is a failure; expired subkeys are not
      const isNew = messages.some((message) => message.includes('updated: new'))
      answer.set('res', isNew ? true : expired ? false : null)
    }
    answer.set('message', messages.join('\n'))
  }
  if (!truthy(answer.get('res') ?? false) && truthy(request.source)) {
    const said = answer.size > 0 ? `${str(answer.get('message')!)}\n` : ''
    return fromSources(ctx, request, key, refresh, said)
  }
  return answer
}

async function provide(
  ctx: StateContext,
  request: PresentRequest,
  key: string,
  held: Dict | undefined,
  outcome: Outcome,
) {
  const { changes, notes } = outcome
  const expired = isExpired(held)
  const stale = staleSubkeys(ctx, held, request.subkey_maxage)
  const refresh = expired || stale.length > 0
  const answer = await fetchKey(ctx, request, key, expired, refresh)
  const said = str(answer.get('message') ?? '')
  if (answer.get('res') === false) throw failure(said)
  const now = await ctx.call('gpg.get_key', [], { keyid: key, ...ringArgs(request) })
  if (!(now instanceof Map)) throw failure(`${said}\nThe new key ${key} could not be retrieved though.`)
  if (!refresh) changes.set('added', true)
  if (isExpired(now)) throw failure(`${said}\nThe new key ${key} is expired though.`)
  if (!refresh) notes.push(`Added ${key} to GPG keychain`)
  else if (expired) {
    notes.push(`Updated ${key} because it was expired`)
    changes.set('refresh', true)
  } else
    noteSubkeys(key, outcome, idsOf(subkeysOf(held)), idsOf(subkeysOf(now)), {
      before: idsOf(stale),
      after: idsOf(staleSubkeys(ctx, now, request.subkey_maxage)),
    })
  return now
}

function noteSubkeys(
  key: string,
  { changes, notes }: Outcome,
  before: readonly string[],
  after: readonly string[],
  stale: { before: readonly string[]; after: readonly string[] },
): void {
  const added = after.filter((id) => !before.includes(id))
  const extended = stale.before.filter((id) => !stale.after.includes(id))
  if (added.length + extended.length === 0) {
    notes.push(`Attempted to update ${key} because it has expired subkeys, but no new signatures or keys were found`)
    return
  }
  notes.push(`Updated ${key} because it had expired subkeys.`)
  const subkeys: Dict = new Map()
  if (added.length > 0) subkeys.set('added', added)
  if (extended.length > 0) subkeys.set('extended', extended)
  changes.set('refresh', true).set('subkeys', subkeys)
}

function foresee(
  ctx: StateContext,
  request: PresentRequest,
  key: string,
  held: Dict | undefined,
  { changes, notes }: Outcome,
): void {
  const stale = staleSubkeys(ctx, held, request.subkey_maxage)
  if (isExpired(held)) notes.push(`Would have attempted to update ${key} because it is expired`)
  else if (stale.length > 0) {
    notes.push(`Would have attempted to update ${key} because it has expired subkeys:`)
    for (const subkey of stale) {
      notes.push(`  - ${str(subkey.get('keyid')!)} (expired on ${str(subkey.get('expires')!)})`)
    }
  } else notes.push(`Would have added ${key} to GPG keychain`)
  changes.set(held ? 'refresh' : 'added', true)
}

/** Set the trust of a key, after all keys were fetched. */
export async function keyTrusted(ctx: StateContext, request: PresentRequest, outcome: Outcome): Promise<void> {
  const { key, notes } = outcome
  const level = request.trust ?? ''
  if (outcome.trust === undefined) return
  if (outcome.trust === TRUST_LEVELS[level]) {
    notes.push(`GPG Public Key ${key} already in correct trust state`)
    return
  }
  if (ctx.test) {
    outcome.result = null
    notes.push(`Would have set trust level for ${key} to ${level}`)
  } else {
    const answer = await ctx.call('gpg.trust_key', [], { keyid: key, trust_level: level, ...ringArgs(request) })
    if (answer.get('res') === false) {
      outcome.result = false
      notes.push(str(answer.get('message')!))
      return
    }
    notes.push(`Set trust level for ${key} to ${level}`)
  }
  outcome.changes.set('trust', level)
}

/** Fetch a key if necessary. */
export async function keyPresent(
  ctx: StateContext,
  request: PresentRequest,
  key: string,
  held: Dict | undefined,
): Promise<Outcome> {
  const outcome: Outcome = { key, trust: held?.get('trust'), result: true, changes: new Map(), notes: [] }
  const expired = isExpired(held)
  const refresh = expired || staleSubkeys(ctx, held, request.subkey_maxage).length > 0
  try {
    if (held && !refresh) outcome.notes.push(`GPG Public Key ${key} already in keychain`)
    else if (ctx.test) {
      outcome.result = null
      foresee(ctx, request, key, held, outcome)
      outcome.trust ??= 'unknown'
    } else outcome.trust = (await provide(ctx, request, key, held, outcome)).get('trust')
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    outcome.result = false
    if (expired) outcome.notes.push('Existing key is expired, tried to fetch updated one')
    else if (refresh) outcome.notes.push('Existing key has expired subkeys, tried to refresh')
    outcome.notes.push(...error.message.split('\n'))
  }
  return outcome
}
