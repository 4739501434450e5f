// SSH as its users see it: keys that may log in, hosts that are known, and key files.
import { str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, type Result, reads, ret } from '../../../sdk/mod.ts'
import {
  authorizedKeys,
  checkKey,
  type KeySource,
  notPulled,
  type Place,
  removeKey,
  setKey,
  sourceKeys,
} from './module/authorized.ts'
import { hostKeys, isEncrypted, userKeys } from './module/key-files.ts'
import type { KnownKey } from './module/keys.ts'
import {
  checkHost,
  type HostQuery,
  type HostWish,
  hashHosts,
  knownEntries,
  removeHost,
  type ScanRequest,
  scanHost,
  setHost,
} from './module/known-hosts.ts'

const told = (keys: ReadonlyMap<string, KnownKey>): Record<string, Result> =>
  Object.fromEntries([...keys].map(([key, { ...facts }]): [string, Result] => [key, { ...facts }]))

async function authKeys(ctx: FunctionContext, { user, ...place }: Place): Promise<Record<string, Result>> {
  const users = truthy(user) ? user : await ctx.call('user.list_users')
  if (!Array.isArray(users)) return told((await authorizedKeys(ctx, { ...place, user: users })) ?? new Map())
  const all: Record<string, Result> = {}
  for (const name of users as Value[]) {
    const keys = await authorizedKeys(ctx, { ...place, user: name })
    if (keys !== undefined) all[str(name)] = told(keys)
  }
  return all
}

type FromFile = Place & KeySource

async function checkFile(
  ctx: FunctionContext,
  { source, saltenv, ...place }: FromFile,
): Promise<Record<string, Result>> {
  const keys = await sourceKeys(ctx, { source, saltenv }, place.fingerprint_hash_type, () => undefined)
  const statuses: Record<string, Result> = {}
  for (const [key, facts] of keys ?? []) statuses[key] = await checkKey(ctx, place, { key, ...facts })
  return statuses
}

/** The first of the possible answers that one of the keys gave. */
const weightiest = (answers: readonly string[], order: readonly string[]): string =>
  order.find((answer) => answers.includes(answer)) ?? order.at(-1)!

async function setFromFile(ctx: FunctionContext, from: FromFile & { options: Value }): Promise<string> {
  const { source, saltenv, options, ...place } = from
  const keys = await sourceKeys(ctx, { source, saltenv }, place.fingerprint_hash_type, notPulled)
  if (keys === undefined) return 'fail'
  const answers: string[] = []
  for (const [key, facts] of keys) {
    answers.push(await setKey(ctx, place, { key, ...facts, options: truthy(options) ? options : facts.options }))
  }
  return weightiest(answers, ['fail', 'replace', 'new', 'no change'])
}

async function removeFromFile(ctx: FunctionContext, { source, saltenv, ...place }: FromFile): Promise<string> {
  const keys = await sourceKeys(ctx, { source, saltenv }, place.fingerprint_hash_type, notPulled)
  if (keys === undefined) return 'fail'
  const answers: string[] = []
  for (const key of keys.keys()) answers.push(await removeKey(ctx, place, key))
  return weightiest(answers, ['Key not removed', 'Key removed', 'Key not present'])
}

const user = arg.text('The user')
const someUser = arg.any('The user; all of them when not given', { optional: true })
const key = arg.string('The key, in base64')
const config = arg.string('The file, below the home directory', { default: '.ssh/authorized_keys' })
const fingerprint_hash_type = arg.text('The hash of fingerprints; sha256 when not given', { optional: true })
const source = arg.string('A file of the file server')
const saltenv = arg.text('Its environment', { default: 'base' })
const cache_keys = arg.any('Ignored', { optional: true })
const optional = (doc: string) => arg.any(doc, { optional: true })

const authorized = {
  auth_keys: reads({
    doc: 'The keys that may log in as users.',
    args: { user: someUser, config, fingerprint_hash_type },
    returns: ret.dict('Facts by key; by user and key when there is no user or a list of them'),
    example: 'ssh.auth_keys root',
    run: authKeys,
  }),
  check_key_file: reads({
    doc: 'What would become of the keys of a file.',
    args: { user, source, config, saltenv, fingerprint_hash_type },
    returns: ret.dict('add, update or exists by key'),
    example: 'ssh.check_key_file root salt://ssh/keyfile',
    run: checkFile,
  }),
  check_key: reads({
    doc: 'What would become of a key.',
    args: {
      ...{
        user,
        key,
        enc: arg.text('The kind of key'),
        comment: arg.text('Its comment'),
        options: arg.any('Its options'),
      },
      ...{ config, cache_keys, fingerprint_hash_type },
    },
    returns: ret.string('add, update or exists'),
    example: 'ssh.check_key <user> <key> <enc> <comment> <options>',
    run: (ctx, given) => checkKey(ctx, given, given),
  }),
  rm_auth_key_from_file: changes({
    doc: 'Let the keys of a file no longer log in.',
    args: { user, source, config, saltenv, fingerprint_hash_type },
    returns: ret.string('What became of them'),
    example: 'ssh.rm_auth_key_from_file <user> salt://ssh_keys/<user>.id_rsa.pub',
    run: removeFromFile,
  }),
  rm_auth_key: changes({
    doc: 'Let a key no longer log in.',
    args: { user, key, config, fingerprint_hash_type },
    returns: ret.string('What became of it'),
    example: 'ssh.rm_auth_key <user> <key>',
    run: (ctx, { key, ...place }) => removeKey(ctx, place, key),
  }),
  set_auth_key_from_file: changes({
    doc: 'Let the keys of a file log in.',
    args: { user, source, config, saltenv, fingerprint_hash_type, kwargs: arg.open('`options` for all keys') },
    returns: ret.string('fail, replace, new or no change'),
    example: 'ssh.set_auth_key_from_file <user> salt://ssh_keys/<user>.id_rsa.pub',
    run: (ctx, { kwargs, ...from }) => setFromFile(ctx, { ...from, options: kwargs.get('options') ?? null }),
  }),
  set_auth_key: changes({
    doc: 'Let a key log in.',
    args: {
      ...{ user, key, enc: arg.text('The kind of key', { default: 'ssh-rsa' }) },
      ...{ comment: arg.text('Its comment', { default: '' }), options: optional('Its options, as a list') },
      ...{ config, cache_keys, fingerprint_hash_type },
    },
    returns: ret.string('What became of it'),
    example: "ssh.set_auth_key <user> '<key>' enc='dsa'",
    run: (ctx, given) => setKey(ctx, given, given),
  }),
}

const hostname = arg.any('The host')
const someHost = optional('The host')
const owner = arg.text('Whose file; that of the machine when not given', { optional: true })
const hostsFile = arg.text('The file of known hosts', { optional: true })
const port = optional('Its port; 22 when not given')
const enc = optional('The kind of key')
const hash_known_hosts = arg.flag('Whether names of hosts are hashed', { default: true })
const timeout = arg.any('Seconds to wait for the host', { default: 5 })

const hosts = {
  get_known_host_entries: reads({
    doc: 'The keys that are known of a host.',
    args: { user, hostname, config: hostsFile, port, fingerprint_hash_type },
    returns: ret.any('A list, or None'),
    example: 'ssh.get_known_host_entries <user> <hostname>',
    run: (ctx, query) => knownEntries(ctx, query as HostQuery),
  }),
  recv_known_host_entries: reads({
    doc: 'Ask a host for its keys.',
    args: { hostname, enc, port, hash_known_hosts, timeout, fingerprint_hash_type },
    returns: ret.any('A list, or None'),
    example: 'ssh.recv_known_host_entries <hostname> enc=<enc> port=<port>',
    run: (ctx, request) => scanHost(ctx, request as ScanRequest),
  }),
  check_known_host: reads({
    doc: 'What would become of a host.',
    args: {
      ...{ user: owner, hostname: someHost, key: optional('Its key'), fingerprint: optional('Its fingerprint') },
      ...{ config: hostsFile, port, fingerprint_hash_type },
    },
    returns: ret.any('add, update or exists; or what is wrong'),
    example: "ssh.check_known_host <user> <hostname> key='AAAA...FAaQ=='",
    run: (ctx, { key, fingerprint, ...query }) => checkHost(ctx, query as HostQuery, key, fingerprint),
  }),
  rm_known_host: changes({
    doc: 'Forget all keys of a host.',
    args: { user: owner, hostname: someHost, config: hostsFile, port },
    returns: ret.dict('What became of it'),
    example: 'ssh.rm_known_host <user> <hostname>',
    run: (ctx, query) => removeHost(ctx, query as HostQuery),
  }),
  set_known_host: changes({
    doc: 'Note the key of a host: a given one, or the one it shows.',
    args: {
      ...{ user: owner, hostname: someHost, fingerprint: optional('The fingerprint it must have') },
      ...{ key: optional('The key'), port, enc, config: hostsFile, hash_known_hosts, timeout, fingerprint_hash_type },
    },
    returns: ret.dict('What became of it'),
    example: "ssh.set_known_host <user> fingerprint='xx:xx:..:xx' enc='ssh-rsa' config='.ssh/known_hosts'",
    run: (ctx, wish) => setHost(ctx, wish as HostWish),
  }),
  hash_known_hosts: changes({
    doc: 'Hash the names of all known hosts.',
    args: { user: owner, config: hostsFile },
    returns: ret.dict('What became of it'),
    example: 'ssh.hash_known_hosts',
    run: (ctx, { user, config }) => hashHosts(ctx, user, config),
  }),
}

export default defineModule({
  name: 'ssh',
  doc: 'Work with SSH keys and known hosts.',
  when: async ({ host }) => (await host.which('ssh')) !== undefined || 'The module requires the ssh binary.',
  functions: {
    host_keys: reads({
      doc: 'The keys of this machine.',
      args: {
        keydir: arg.text('Where they are', { optional: true }),
        private: arg.any('Private ones too', { default: true }),
        certs: arg.any('Certificates too', { default: true }),
      },
      returns: ret.dict('Texts by kind'),
      example: 'ssh.host_keys keydir=/etc/ssh private=False',
      run: (ctx, given) => hostKeys(ctx, given.keydir, given.private, given.certs),
    }),
    ...authorized,
    ...hosts,
    user_keys: reads({
      doc: 'The key files of users.',
      args: {
        user: someUser,
        pubfile: optional('The public file; False for none'),
        prvfile: optional('The private file; False for none'),
      },
      returns: ret.dict('Texts by user and file'),
      example: 'ssh.user_keys user=user1 prvfile=False',
      run: (ctx, { user, pubfile, prvfile }) => userKeys(ctx, user, pubfile, prvfile),
    }),
    key_is_encrypted: reads({
      doc: 'Whether a private key needs a passphrase.',
      args: { key: arg.string('Its file') },
      returns: ret.boolean('Whether it does'),
      example: 'ssh.key_is_encrypted /root/id_rsa',
      run: (ctx, { key }) => isEncrypted(ctx, key),
    }),
  },
})
