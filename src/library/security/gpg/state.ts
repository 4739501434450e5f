// States of keys in keychains of GnuPG.
import { type Dict, SaltError, str, truthy } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  optionalText,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'
import { keyPresent, keyTrusted, type Outcome, type PresentRequest, ringArgs, TRUST_LEVELS } from './state/present.ts'

/** Return the key ids, by default the name of the state. */
const keysOf = (keys: string[] | null, name: string): string[] => keys ?? [name]

const isSaltError = (error: unknown): error is SaltError => error instanceof SaltError

async function present(ctx: StateContext, request: PresentRequest & { keys: string[] | null }): Promise<StateReturn> {
  const { name, trust } = request
  const failed = (comment: string): StateReturn => ({ name, result: false, changes: {}, comment })
  if (!truthy(request.text) && request.skip_keyserver && !truthy(request.source)) {
    return failed('When skipping keyservers, you must provide at least one source')
  }
  if (trust && TRUST_LEVELS[trust] === undefined) return failed(`Invalid trust level ${trust}`)
  let held: Dict[]
  try {
    held = await ctx.call('gpg.list_keys', [], ringArgs(request))
  } catch (error) {
    if (isSaltError(error)) return failed(error.message)
    throw error
  }
  const outcomes: Outcome[] = []
  for (const key of keysOf(request.keys, name)) {
    outcomes.push(
      await keyPresent(
        ctx,
        request,
        key,
        held.find((entry) => entry.get('keyid') === key),
      ),
    )
  }
  const changes: Dict = new Map()
  const note = ({ key, changes: made }: Outcome): unknown => made.size > 0 && changes.set(key, made)
  outcomes.forEach(note)
  if (trust) for (const outcome of outcomes) await keyTrusted(ctx, request, outcome)
  outcomes.forEach(note)
  const results = outcomes.map(({ result }) => result)
  const comment = outcomes
    .map(({ key, notes }) => `Key ${key}:${notes.map((text) => `\n  * ${text}`).join('')}`)
    .join('\n')
  return { name, result: results.includes(false) ? false : results.includes(null) ? null : true, changes, comment }
}

type Removal = Bound<typeof absentArgs>

async function absent(ctx: StateContext, request: Removal): Promise<StateReturn> {
  const { name, keyring } = request
  const keys = keysOf(request.keys, name)
  const ids = async (): Promise<string[]> =>
    (await ctx.call('gpg.list_keys', [], ringArgs(request))).map((key) => str(key.get('keyid')!))
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
      const answer = await ctx.call('gpg.delete_key', [], { keyid: key, ...ringArgs(request) })
      const gone = answer.get('res') !== false
      comments.push(gone ? `Deleted ${key} from GPG keychain` : str(answer.get('message')!))
      if (gone) deleted.push(key)
      else result = false
    }
  }
  if (deleted.length > 0) changes.set('deleted', deleted)
  // as in Salt, these comments stay a list
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
  } else if (left.length === 0 && truthy(keyring) && request.keyring_absent_if_empty) {
    if (truthy(await ctx.call('file.file_exists', [keyring]))) {
      await ctx.call('file.remove', [keyring])
      comments.push(`Removed empty keyring file ${str(keyring)}`)
      changes.set('removed', keyring)
    }
  }
  return { name, result, changes, comment: comments.join('\n') }
}

const name = arg.string('Key id')
const keys = arg.words('Key ids, as a list or with commas, used instead of the name', { optional: true })
const ring = {
  user: arg.text('User whose keychain is used; `salt` for that of the minion', { optional: true }),
  gnupghome: arg.text('Directory of the keychain', { optional: true }),
  keyring: arg.any('Path of the keyring file, as text; other types are refused', { optional: true }),
}
const kwargs = arg.ignored()

const absentArgs = {
  ...{ name, keys, ...ring },
  keyring_absent_if_empty: arg.flag('Whether to remove the file of an empty keyring', { default: false }),
  kwargs,
}

export default defineState({
  name: 'gpg',
  doc: 'Manage keys in keychains of GnuPG.',
  functions: {
    present: state({
      doc: 'Ensure that keys are in a keychain, not expired, and trusted.',
      args: {
        name,
        keys,
        user: ring.user,
        keyserver: arg.text('Key server', { optional: true }),
        gnupghome: ring.gnupghome,
        trust: optionalText('Owner trust: expired, unknown, not_trusted, marginally, fully or ultimately'),
        keyring: ring.keyring,
        source: arg.any('Path or URL of a key file, or a list, used when the key server does not have the key', {
          optional: true,
        }),
        skip_keyserver: arg.flag('Whether to skip the key server', { default: false }),
        text: arg.any('Text with the keys', { optional: true }),
        subkey_maxage: arg.count('Maximum days since expiration of subkeys to refresh; 0 for none', { default: 100 }),
        kwargs,
      },
      run: present,
    }),
    absent: state({ doc: 'Ensure that keys are not in a keychain.', args: absentArgs, run: absent }),
  },
})
