// Wheel functions for the keys of minions: list, accept, reject, delete and create.
import { type Dict, numberOf, PyError, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineWheel,
  generateRsaKeys,
  type KeyFolder,
  type MasterContext,
  masterFn,
  option,
  pemFingerprint,
} from '../../../sdk/mod.ts'
import {
  allKeys,
  FOLDERS,
  fromDict,
  type Matches,
  matcher,
  matching,
  move,
  nowOf,
  remove,
  toDict,
} from './wheel/keys.ts'
import { localKeys, masterName } from './wheel/local-keys.ts'
import { makeKeys, makeSignature } from './wheel/making.ts'

const LISTS: ReadonlyArray<readonly [start: string, folder: KeyFolder]> = [
  ['acc', 'minions'],
  ['pre', 'minions_pre'],
  ['un', 'minions_pre'],
  ['rej', 'minions_rejected'],
  ['den', 'minions_denied'],
]

/** Return the keys in a state, given by the start of its name. */
function listed(ctx: MasterContext, name: string): Dict {
  if (name.startsWith('all')) return toDict(allKeys(ctx))
  const folder = LISTS.find(([start]) => name.startsWith(start))?.[1]
  return folder === undefined ? new Map() : new Map([[folder, ctx.keys.list(folder)]])
}

/** Describe each matching key, by state. */
function describe(ctx: MasterContext, match: readonly string[], describeKey: (pem: string) => string): Dict {
  const found: Dict = new Map()
  for (const [folder, ids] of matching(ctx, match)) {
    found.set(folder, new Map(ids.map((id) => [id, describeKey(ctx.keys.pem(folder, id) ?? '')])))
  }
  return found
}

async function publicPem(ctx: MasterContext): Promise<string> {
  return Buffer.from(await ctx.host.read(`${option(ctx.opts, 'pki_dir')}/master.pub`)).toString()
}

async function fingerprints(ctx: MasterContext, match: readonly string[], hashType: string | null): Promise<Dict> {
  const hash = hashType || option(ctx.opts, 'hash_type')
  const found = describe(ctx, match, (pem) => pemFingerprint(pem, hash))
  const isMatch = matcher(match)
  const local: Dict = new Map()
  for (const [name, file] of await localKeys(ctx)) {
    if (isMatch(name)) local.set(name, pemFingerprint(Buffer.from(await ctx.host.read(file)).toString(), hash))
  }
  return local.size > 0 ? found.set('local', local) : found
}

/** Return the states from which keys are taken. */
function sources(start: KeyFolder, more: Readonly<Partial<Record<KeyFolder, boolean>>>): KeyFolder[] {
  return [start, ...FOLDERS.filter((folder) => folder !== start && more[folder] === true)]
}

async function accept(ctx: MasterContext, matches: Matches, rejected: boolean, denied: boolean): Promise<Dict> {
  const from = sources('minions_pre', { minions_rejected: rejected, minions_denied: denied })
  await move(ctx, matches, from, 'minions')
  return toDict(nowOf(ctx, matches))
}

async function reject(ctx: MasterContext, matches: Matches, accepted: boolean, denied: boolean): Promise<Dict> {
  const from = sources('minions_pre', { minions: accepted, minions_denied: denied })
  await move(ctx, matches, from, 'minions_rejected')
  await rotate(ctx)
  return toDict(nowOf(ctx, matches))
}

async function erase(ctx: MasterContext, matches: Matches): Promise<Dict> {
  await remove(ctx, matches)
  await clearCache(ctx, matches)
  await rotate(ctx)
  return toDict(nowOf(ctx, matches))
}

/** Remove the cached data of minions that have no key any more. */
async function clearCache(ctx: MasterContext, matches: Matches): Promise<void> {
  if (ctx.opts.get('preserve_minion_cache') === true || ctx.opts.get('preserve_minions') === true) return
  const known = new Set(ctx.keys.list('minions'))
  for (const id of [...matches.values()].flat()) {
    if (known.has(id)) continue
    for (const bank of ['grains', 'pillar', 'mine', 'minion_resources']) ctx.cache.bank(bank).flush(id)
  }
}

/** Ask the master for a new session key, so that removed minions cannot read further publications. */
async function rotate(ctx: MasterContext): Promise<void> {
  if (!option(ctx.opts, 'rotate_aes_key')) return
  await ctx.host.write(`${option(ctx.opts, 'cachedir')}/.dfn`, option(ctx.opts, 'id'), { mode: 0o400 })
}

const match = arg.words('Globs of minion ids: a list, or text with commas')
const byState = arg.dict('Minion ids by state, such as `minions_pre`')
const also = (what: string) => arg.flag(`Include ${what} keys`, { default: false })
const hash_type = arg.text('Hash algorithm of the fingerprint. Default: the option `hash_type`', { optional: true })

const reading = {
  list: masterFn({
    doc: 'Return the keys in a state.',
    args: { match: arg.text('State by the start of its name: accepted, pre, un, rejected, denied or all') },
    calledAs: 'list_',
    run: (ctx, { match }) => listed(ctx, match),
  }),
  list_all: masterFn({
    doc: 'Return all keys by state, with the keys of the master.',
    run: async (ctx) => new Map<Value, Value>([...allKeys(ctx), ['local', [...(await localKeys(ctx)).keys()]]]),
  }),
  name_match: masterFn({
    doc: 'Return the matching keys by state.',
    args: { match },
    run: (ctx, { match }) => toDict(matching(ctx, match)),
  }),
  glob_match: masterFn({
    doc: 'Return the matching keys by state.',
    args: { match },
    run: (ctx, { match }) => toDict(matching(ctx, match)),
  }),
  print: masterFn({
    doc: 'Return the PEM text of keys.',
    args: { match },
    calledAs: 'key_str',
    run: (ctx, { match }) => describe(ctx, match, (pem) => pem),
  }),
  master_key_str: masterFn({
    doc: 'Return the PEM text of the public key of the master.',
    run: async (ctx) => ({ local: { [`${masterName(ctx)}.pub`]: await publicPem(ctx) } }),
  }),
  finger: masterFn({
    doc: 'Return the fingerprints of keys.',
    args: { match, hash_type },
    run: (ctx, { match, hash_type }) => fingerprints(ctx, match, hash_type),
  }),
  finger_all: masterFn({
    doc: 'Return the fingerprints of all keys, with the keys of the master.',
    args: { hash_type },
    run: (ctx, { hash_type }) => fingerprints(ctx, ['*'], hash_type),
  }),
  finger_master: masterFn({
    doc: 'Return the fingerprint of the key of the master.',
    args: { hash_type },
    run: async (ctx, { hash_type }) => {
      const hash = hash_type || option(ctx.opts, 'hash_type')
      return { local: { 'master.pub': pemFingerprint(await publicPem(ctx), hash) } }
    },
  }),
}

const changing = {
  accept: masterFn({
    doc: 'Accept keys.',
    args: { match, include_rejected: also('rejected'), include_denied: also('denied') },
    run: (ctx, { match, include_rejected, include_denied }) =>
      accept(ctx, matching(ctx, match), include_rejected, include_denied),
  }),
  accept_dict: masterFn({
    doc: 'Accept the keys in a dict.',
    args: { match: byState, include_rejected: also('rejected'), include_denied: also('denied') },
    run: (ctx, { match, include_rejected, include_denied }) =>
      accept(ctx, fromDict(match), include_rejected, include_denied),
  }),
  reject: masterFn({
    doc: 'Reject keys.',
    args: { match, include_accepted: also('accepted'), include_denied: also('denied') },
    run: (ctx, { match, include_accepted, include_denied }) =>
      reject(ctx, matching(ctx, match), include_accepted, include_denied),
  }),
  reject_dict: masterFn({
    doc: 'Reject the keys in a dict.',
    args: { match: byState, include_accepted: also('accepted'), include_denied: also('denied') },
    run: (ctx, { match, include_accepted, include_denied }) =>
      reject(ctx, fromDict(match), include_accepted, include_denied),
  }),
  delete: masterFn({ doc: 'Delete keys.', args: { match }, run: (ctx, { match }) => erase(ctx, matching(ctx, match)) }),
  delete_dict: masterFn({
    doc: 'Delete the keys in a dict.',
    args: { match: byState },
    run: (ctx, { match }) => erase(ctx, fromDict(match)),
  }),
}

const id_ = arg.text('Ignored', { optional: true })
const keysize = arg.count('Size of the key in bits', { default: 2048 })
const optionalKeysize = arg.count('Size of the key in bits. Default: the option `keysize`', { optional: true })

const pairArgs = {
  keydir: arg.text('Directory of the files', { optional: true }),
  keyname: arg.text('Name of the files without their extension', { optional: true }),
  keysize: optionalKeysize,
  user: arg.text('Ignored', { optional: true }),
}

const signatureArgs = {
  priv: arg.text('Path of the key to sign with. Default: the signing key of the master'),
  pub: arg.text('Path of the key to sign. Default: the public key of the master'),
  signature_path: arg.text('Directory of the signature'),
  auto_create: arg.flag('Create a missing signing key', { default: false }),
  keysize: optionalKeysize,
}

const making = {
  gen: masterFn({
    doc: 'Create a key pair and return it, without storing it.',
    args: { id_, keysize },
    run: async (_ctx, { keysize }) => {
      const { privatePem, publicPem } = await generateRsaKeys(keysize)
      return { priv: privatePem, pub: publicPem }
    },
  }),
  gen_accept: masterFn({
    doc: 'Create a key pair, accept its public key, and return it. Return an empty dict if the minion has a key.',
    args: {
      id_: arg.string('Minion id'),
      keysize: arg.textOrNumber('Size of the key in bits; text is refused', { default: 2048 }),
      force: arg.flag('Replace an existing key', { default: false }),
    },
    run: async (ctx, { id_, keysize, force }) => {
      if (typeof keysize === 'string')
        throw new PyError('TypeError', "'<' not supported between instances of 'str' and 'int'")
      if (!force && ctx.keys.accepted(id_) !== undefined) return {}
      const { privatePem, publicPem } = await generateRsaKeys(numberOf(keysize)!)
      ctx.keys.store(id_, { state: 'accepted', pub: publicPem })
      return { priv: privatePem, pub: publicPem }
    },
  }),
  gen_keys: masterFn({
    doc: 'Create a key pair in files and return its fingerprint.',
    args: pairArgs,
    run: makeKeys,
  }),
  gen_signature: masterFn({
    doc: 'Create a file with the signature of the public key of the master.',
    args: signatureArgs,
    run: makeSignature,
  }),
}

export default defineWheel({
  name: 'key',
  doc: 'Manage the keys of minions.',
  functions: { ...reading, ...changing, ...making },
})
