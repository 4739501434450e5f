// Keys of GnuPG in Vault, and keyrings with them.
import { type Dict, dictFrom, failure, isDict, isList, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensureOrFail,
  failed,
  foreseen,
  orFailed,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'

const name = arg.text('Name of the key')
const mount = arg.text('Mount of the engine', { default: 'gpg' })

const readKey = async (ctx: StateContext, name: string, mount: string): Promise<Dict | null> => {
  const key = await ctx.call('vault_gpg.read_key', [name], { mount })
  return isDict(key) ? key : null
}

const pair = (old: Value, now: Value): Dict => dictFrom({ old, new: now })

/** `Name (comment) <address>` */
const IDENTITY = /^(?<real_name>[^(<]*?)(?:\s*\((?<comment>.*)\))?(?:\s*<(?<email>.*@.*)>)?\s*$/

/** Return the fields of a key that differ from the wanted ones. */
async function differences(ctx: StateContext, key: Dict, wanted: Readonly<Record<string, Value>>): Promise<Dict> {
  const changes: Dict = new Map()
  const read = await ctx.call('gpg.read_key', [], { text: key.get('public_key') ?? null })
  const info = isList(read) ? (read[0] ?? null) : null
  if (!isDict(info)) throw failure('Failed to parse public key returned by server/no keys found in payload')
  const ids = info.get('uids') ?? []
  const groups = isList(ids) && ids.length > 0 ? (IDENTITY.exec(str(ids[0]!))?.groups ?? {}) : {}
  for (const field of ['real_name', 'email', 'comment']) {
    const [is, want] = [groups[field] ?? '', wanted[field] ?? null]
    if (want !== null && is !== want) changes.set(field, pair(is, want))
  }
  const bits = Number(str(info.get('keyLength') ?? ''))
  if (wanted['key_bits'] !== null && bits !== Number(wanted['key_bits'])) {
    changes.set('key_bits', pair(bits, wanted['key_bits'] ?? null))
  }
  const isExportable = key.get('exportable') ?? false
  if (isExportable !== wanted['exportable'])
    changes.set('exportable', pair(isExportable, wanted['exportable'] ?? false))
  return changes
}

interface Gap {
  current: Dict | null
  changes: Dict
}

const fingerprint = (key: Dict | null): Value => key?.get('fingerprint') ?? null

export default defineState({
  name: 'vault_gpg',
  doc: 'Keys of GnuPG that Vault keeps, by the plugin vault-gpg-plugin.',
  functions: {
    key_present: state({
      doc: 'Ensure that a key exists. One that exists stays as it is, unless `regenerate` is set.',
      args: {
        name,
        real_name: arg.text('Name of the owner', { optional: true }),
        email: arg.text('E-mail address of the owner', { optional: true }),
        comment: arg.text('Comment of the identity', { optional: true }),
        key_bits: arg.count('Length of the key in bits', { optional: true }),
        exportable: arg.flag('Whether the private key can be exported', { default: false }),
        regenerate: arg.flag('Delete a key that differs, and make a new one. The old key is lost', { default: false }),
        mount,
      },
      run: (ctx, { name, regenerate, mount, ...wanted }) =>
        ensureOrFail<Gap>(ctx, {
          name,
          look: async () => {
            const current = await readKey(ctx, name, mount)
            const kept = settled('Key is already configured')
            if (current && !regenerate) return kept
            const changes = current
              ? await differences(ctx, current, wanted)
              : new Map<Value, Value>([['created', name]])
            return changes.size === 0 ? kept : { current, changes }
          },
          foresee: ({ current, changes }) => {
            if (current) changes.set('deleted', name)
            changes.set('fingerprint', pair(fingerprint(current), '<TBD>'))
            return foreseen(`Would have ${current ? 'regenerated' : 'created'} the key`, changes)
          },
          act: async ({ current, changes }) => {
            if (current) {
              await ctx.call('vault_gpg.delete_key', [name], { mount })
              changes.set('deleted', name)
            }
            await ctx.call('vault_gpg.create_key', [name], { ...wanted, mount })
            changes.set('fingerprint', pair(fingerprint(current), fingerprint(await readKey(ctx, name, mount))))
            return changed(`${current ? 'Regenerated' : 'Created'} the key`, changes)
          },
        }),
    }),
    key_absent: state({
      doc: 'Ensure that a key does not exist.',
      args: { name, mount },
      run: (ctx, { name, mount }) =>
        ensureOrFail(ctx, {
          name,
          look: async () => ((await readKey(ctx, name, mount)) ? 'there' : settled('Key is already absent')),
          foresee: () => foreseen('Would have deleted the key', { deleted: name }),
          act: async () => {
            await ctx.call('vault_gpg.delete_key', [name], { mount })
            return changed('Deleted the key', { deleted: name })
          },
        }),
    }),
    keychain_present: state({
      doc: 'Ensure that a keyring has the public part of a key of Vault.',
      args: {
        name,
        mount,
        kwargs: arg.open('Arguments of gpg.present but `text`, `source` and `keys`, such as user and trust'),
      },
      run: (ctx, { name, mount, kwargs }) =>
        orFailed(name, async () => {
          const key = await readKey(ctx, name, mount)
          if (key === null) {
            const missing = `Key ${name} does not exist.`
            if (!ctx.test) return failed(missing).on(name)
            const comment = `${missing} Not failing because test mode is active. If the key is created during the same run, you can ignore this message.`
            return { name, changes: new Map(), result: null, comment }
          }
          const id = str(fingerprint(key)).slice(-16).toUpperCase()
          const passed = [...kwargs].filter(
            ([option]) => !option.startsWith('_') && !['text', 'source', 'keys'].includes(option),
          )
          const options = new Map<string, Value>([...passed, ['text', key.get('public_key') ?? null]])
          options.set('test', ctx.test).set('concurrent', true)
          const answer = await ctx.call('state.single', ['gpg.present', id], options)
          const run = isDict(answer) ? ([...answer.values()][0] ?? null) : null
          if (!isDict(run)) throw failure(`Failed running gpg.present: ${str(answer)}`)
          const [changes, result, comment] = ['changes', 'result', 'comment'].map((part) => run.get(part) ?? null)
          return { name, changes: changes!, result: result as boolean | null, comment: str(comment!) }
        }),
    }),
  },
})
