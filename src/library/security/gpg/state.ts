// Keys in keychains of GnuPG.
import { type Dict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { keyPresent, keyTrusted, type Outcome, type PresentWish, ringArgs, TRUST_LEVELS } from './state/present.ts'

/** One key, several, or the name of the state. */
const keysOf = (keys: Value, name: string): string[] => {
  const given = truthy(keys) ? keys : name
  return (Array.isArray(given) ? (given as Value[]) : [given]).map((key) => str(key))
}

const isSaltError = (error: unknown): error is SaltError => error instanceof SaltError

async function present(ctx: StateContext, wish: PresentWish & { keys: Value }): Promise<StateReturn> {
  const { name, trust } = wish
  const failed = (comment: string): StateReturn => ({ name, result: false, changes: {}, comment })
  if (!truthy(wish.text) && truthy(wish.skip_keyserver) && !truthy(wish.source)) {
    return failed('When skipping keyservers, you must provide at least one source')
  }
  if (truthy(trust) && TRUST_LEVELS[str(trust)] === undefined) return failed(`Invalid trust level ${str(trust)}`)
  let held: Dict[]
  try {
    held = await ctx.call('gpg.list_keys', [], ringArgs(wish))
  } catch (error) {
    if (isSaltError(error)) return failed(error.message)
    throw error
  }
  const outcomes: Outcome[] = []
  for (const key of keysOf(wish.keys, name)) {
    outcomes.push(
      await keyPresent(
        ctx,
        wish,
        key,
        held.find((entry) => entry.get('keyid') === key),
      ),
    )
  }
  const changes: Dict = new Map()
  const note = ({ key, changes: made }: Outcome): unknown => made.size > 0 && changes.set(key, made)
  outcomes.forEach(note)
  if (truthy(trust)) for (const outcome of outcomes) await keyTrusted(ctx, wish, outcome)
  outcomes.forEach(note)
  const results = outcomes.map(({ result }) => result)
  const comment = outcomes
    .map(({ key, notes }) => `Key ${key}:${notes.map((text) => `\n  * ${text}`).join('')}`)
    .join('\n')
  return { name, result: results.includes(false) ? false : results.includes(null) ? null : true, changes, comment }
}

interface Removal {
  name: string
  keys: Value
  user: Value
  gnupghome: Value
  keyring: Value
  keyring_absent_if_empty: Value
}

async function absent(ctx: StateContext, wish: Removal): Promise<StateReturn> {
  const { name, keyring } = wish
  const keys = keysOf(wish.keys, name)
  const ids = async (): Promise<string[]> =>
    (await ctx.call('gpg.list_keys', [], ringArgs(wish))).map((key) => str(key.get('keyid')!))
  const held = await ids()
  const comments: string[] = []
  const deleted: string[] = []
  const changes: Dict = new Map()
  let result: boolean | null = true
  for (const key of keys) {
    if (!held.includes(key)) comments.push(`${key} not found in GPG keychain`)
    else if (ctx.test) {
      result = null
      comments.push(`Would have deleted ${key} from GPG keychain`)
      deleted.push(key)
    } else {
      const answer = await ctx.call('gpg.delete_key', [], { keyid: key, ...ringArgs(wish) })
      const gone = answer.get('res') !== false
      comments.push(gone ? `Deleted ${key} from GPG keychain` : str(answer.get('message')!))
      if (gone) deleted.push(key)
      else result = false
    }
  }
  if (deleted.length > 0) changes.set('deleted', deleted)
  // Salt leaves these two as a list of comments
  if (ctx.test || result === false) return { name, result, changes, comment: comments }
  const left = await ids()
  const remaining = keys.filter((key) => left.includes(key))
  if (remaining.length > 0) {
    result = false
    comments.push(`State check revealed the following keys could not be deleted: ${remaining.join(', ')}`)
    changes.set(
      'deleted',
      deleted.filter((key) => !left.includes(key)),
    )
  } else if (left.length === 0 && truthy(keyring) && truthy(wish.keyring_absent_if_empty)) {
    if (truthy(await ctx.call('file.file_exists', [keyring]))) {
      await ctx.call('file.remove', [keyring])
      comments.push(`Removed empty keyring file ${str(keyring)}`)
      changes.set('removed', keyring)
    }
  }
  return { name, result, changes, comment: comments.join('\n') }
}

const name = arg.string('The id of the key')
const optional = (doc: string) => arg.any(doc, { optional: true })
const keys = optional('Several ids, instead of the name')
const ring = {
  user: optional('Whose keychain; salt for that of the minion'),
  gnupghome: optional('The directory of the keychain'),
  keyring: optional('The file of the keychain'),
}
const kwargs = arg.ignored()

export default defineState({
  name: 'gpg',
  doc: 'Keep keys in keychains of GnuPG.',
  functions: {
    present: state({
      doc: 'Keys are in a keychain, are not over, and are trusted as they should be.',
      args: {
        name,
        keys,
        user: ring.user,
        keyserver: optional('The server they come from'),
        gnupghome: ring.gnupghome,
        trust: optional('How far their owners are trusted'),
        keyring: ring.keyring,
        source: optional('Files they come from when the server does not have them'),
        skip_keyserver: arg.any('Do not ask a server', { default: false }),
        text: optional('The keys themselves'),
        subkey_maxage: arg.any('Renew subkeys that are over for no more days than this', { default: 100 }),
        kwargs,
      },
      run: (ctx, wish) => present(ctx, wish),
    }),
    absent: state({
      doc: 'Keys are not in a keychain.',
      args: {
        ...{ name, keys, ...ring },
        keyring_absent_if_empty: arg.flag('Remove the file of an empty keychain', { default: false }),
        kwargs,
      },
      run: (ctx, wish) => absent(ctx, wish),
    }),
  },
})
