// The keys of minions: who is let in.
import { type Dict, truthy, type Value } from '../../../data/mod.ts'
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

/** The keys in a state that the beginning of its name tells. */
function listed(ctx: MasterContext, match: string): Dict {
  const name = match
  if (name.startsWith('all')) return toDict(allKeys(ctx))
  const folder = LISTS.find(([start]) => name.startsWith(start))?.[1]
  return folder === undefined ? new Map() : new Map([[folder, ctx.keys.list(folder)]])
}

/** Something about each key that matches, by state. */
function about(ctx: MasterContext, match: Value, tell: (pem: string) => string): Dict {
  const found: Dict = new Map()
  for (const [folder, ids] of matching(ctx, match)) {
    found.set(folder, new Map(ids.map((id) => [id, tell(ctx.keys.pem(folder, id) ?? '')])))
  }
  return found
}

async function publicPem(ctx: MasterContext): Promise<string> {
  return Buffer.from(await ctx.host.read(`${option(ctx.opts, 'pki_dir')}/master.pub`)).toString()
}

async function fingerprints(ctx: MasterContext, match: Value, form: string | null): Promise<Dict> {
  const hash = form ? form : option(ctx.opts, 'hash_type')
  const found = about(ctx, match, (pem) => pemFingerprint(pem, hash))
  const isMatch = matcher(match)
  const local: Dict = new Map()
  for (const [name, file] of await localKeys(ctx)) {
    if (isMatch(name)) local.set(name, pemFingerprint(Buffer.from(await ctx.host.read(file)).toString(), hash))
  }
  return local.size > 0 ? found.set('local', local) : found
}

/** The states from which keys are taken. */
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
  await forgetGone(ctx, matches)
  await rotate(ctx)
  return toDict(nowOf(ctx, matches))
}

/** What is known about minions that have no key any more goes too. */
async function forgetGone(ctx: MasterContext, matches: Matches): Promise<void> {
  if (ctx.opts.get('preserve_minion_cache') === true || ctx.opts.get('preserve_minions') === true) return
  const known = new Set(ctx.keys.list('minions'))
  for (const id of [...matches.values()].flat()) {
    if (known.has(id)) continue
    for (const bank of ['grains', 'pillar', 'mine', 'minion_resources']) ctx.cache.bank(bank).flush(id)
  }
}

/** Asks the master for a new key of publications: who was turned away must not read on. */
async function rotate(ctx: MasterContext): Promise<void> {
  if (!option(ctx.opts, 'rotate_aes_key')) return
  await ctx.host.write(`${option(ctx.opts, 'cachedir')}/.dfn`, option(ctx.opts, 'id'), { mode: 0o400 })
}

const match = arg.any('Which ids: a glob, or several parted by commas')
const byState = arg.any('Ids by state, as the lists of keys show them')
const also = (what: string) => arg.any(`Whether ${what} keys are meant too`, { default: false })
const hash_type = arg.text('The hash of the fingerprint', { optional: true })

const reading = {
  list: masterFn({
    doc: 'The keys in a state: accepted, pending, rejected, denied or all, by the beginning of the word.',
    args: { match: arg.text('The state') },
    calledAs: 'list_',
    run: (ctx, { match }) => listed(ctx, match),
  }),
  list_all: masterFn({
    doc: 'All keys by state, with those of the master.',
    args: {},
    run: async (ctx) => new Map<Value, Value>([...allKeys(ctx), ['local', [...(await localKeys(ctx)).keys()]]]),
  }),
  name_match: masterFn({
    doc: 'The keys that match, by state.',
    args: { match },
    run: (ctx, { match }) => toDict(matching(ctx, match)),
  }),
  glob_match: masterFn({
    doc: 'The keys that match, by state.',
    args: { match },
    run: (ctx, { match }) => toDict(matching(ctx, match)),
  }),
  print: masterFn({
    doc: 'The text of keys.',
    args: { match },
    calledAs: 'key_str',
    run: (ctx, { match }) => about(ctx, match, (pem) => pem),
  }),
  master_key_str: masterFn({
    doc: "The text of the master's public key.",
    args: {},
    run: async (ctx) => ({ local: { [`${masterName(ctx)}.pub`]: await publicPem(ctx) } }),
  }),
  finger: masterFn({
    doc: 'The fingerprints of keys.',
    args: { match, hash_type },
    run: (ctx, { match, hash_type }) => fingerprints(ctx, match, hash_type),
  }),
  finger_all: masterFn({
    doc: "The fingerprints of all keys, the master's included.",
    args: { hash_type },
    run: (ctx, { hash_type }) => fingerprints(ctx, '*', hash_type),
  }),
  finger_master: masterFn({
    doc: "The fingerprint of the master's key.",
    args: { hash_type },
    run: async (ctx, { hash_type }) => {
      const hash = hash_type ? hash_type : option(ctx.opts, 'hash_type')
      return { local: { 'master.pub': pemFingerprint(await publicPem(ctx), hash) } }
    },
  }),
}

const changing = {
  accept: masterFn({
    doc: 'Accept keys.',
    args: { match, include_rejected: also('rejected'), include_denied: also('denied') },
    run: (ctx, { match, include_rejected, include_denied }) =>
      accept(ctx, matching(ctx, match), truthy(include_rejected), truthy(include_denied)),
  }),
  accept_dict: masterFn({
    doc: 'Accept the keys of a dict.',
    args: { match: byState, include_rejected: also('rejected'), include_denied: also('denied') },
    run: (ctx, { match, include_rejected, include_denied }) =>
      accept(ctx, fromDict(match), truthy(include_rejected), truthy(include_denied)),
  }),
  reject: masterFn({
    doc: 'Reject keys.',
    args: { match, include_accepted: also('accepted'), include_denied: also('denied') },
    run: (ctx, { match, include_accepted, include_denied }) =>
      reject(ctx, matching(ctx, match), truthy(include_accepted), truthy(include_denied)),
  }),
  reject_dict: masterFn({
    doc: 'Reject the keys of a dict.',
    args: { match: byState, include_accepted: also('accepted'), include_denied: also('denied') },
    run: (ctx, { match, include_accepted, include_denied }) =>
      reject(ctx, fromDict(match), truthy(include_accepted), truthy(include_denied)),
  }),
  delete: masterFn({ doc: 'Delete keys.', args: { match }, run: (ctx, { match }) => erase(ctx, matching(ctx, match)) }),
  delete_dict: masterFn({
    doc: 'Delete the keys of a dict.',
    args: { match: byState },
    run: (ctx, { match }) => erase(ctx, fromDict(match)),
  }),
}

const id_ = arg.any('The id of the minion', { optional: true })
const keysize = arg.any('Bits', { default: 2048 })

const making = {
  gen: masterFn({
    doc: 'A new key pair, which is kept nowhere.',
    args: { id_, keysize },
    run: async (_ctx, { keysize }) => {
      const { privatePem, publicPem } = await generateRsaKeys(Number(keysize))
      return { priv: privatePem, pub: publicPem }
    },
  }),
  gen_accept: masterFn({
    doc: 'A new key pair, its public half accepted at once. Nothing when there is a key already.',
    args: {
      id_: arg.string('The id of the minion'),
      keysize,
      force: arg.flag('Take the place of a key', { default: false }),
    },
    run: async (ctx, { id_, keysize, force }) => {
      if (!force && ctx.keys.accepted(id_) !== undefined) return {}
      const { privatePem, publicPem } = await generateRsaKeys(Number(keysize))
      ctx.keys.store(id_, { state: 'accepted', pub: publicPem })
      return { priv: privatePem, pub: publicPem }
    },
  }),
  gen_keys: masterFn({
    doc: 'A new key pair in files; gives its fingerprint.',
    args: {
      keydir: arg.text('Where', { optional: true }),
      keyname: arg.text('Their name, without its end', { optional: true }),
      keysize: arg.any('Bits', { optional: true }),
      user: arg.any('Whose they are', { optional: true }),
    },
    run: (ctx, wish) => makeKeys(ctx, wish),
  }),
  gen_signature: masterFn({
    doc: "The signature of the master's public key, in a file.",
    args: {
      priv: arg.text('The key to sign with'),
      pub: arg.text('The key to be signed'),
      signature_path: arg.text('The directory of the signature'),
      auto_create: arg.flag('Whether the key to sign with is made', { default: false }),
      keysize: arg.any('Its bits', { optional: true }),
    },
    run: (ctx, wish) => makeSignature(ctx, wish),
  }),
}

export default defineWheel({
  name: 'key',
  doc: 'Manages the keys of minions.',
  functions: { ...reading, ...changing, ...making },
})
