// SSH for its users: authorized keys, known hosts and key files.
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
import { checkHost, hashHosts, knownEntries, removeHost, scanHost, setHost } from './module/known-hosts.ts'

const factsOf = (keys: ReadonlyMap<string, KnownKey>): Record<string, Result> =>
  Object.fromEntries([...keys].map(([key, { ...facts }]): [string, Result] => [key, { ...facts }]))

async function authKeys(ctx: FunctionContext, { user, ...place }: Place): Promise<Record<string, Result>> {
  const users = truthy(user) ? user : await ctx.call('user.list_users')
  if (!Array.isArray(users)) return factsOf((await authorizedKeys(ctx, { ...place, user: users })) ?? new Map())
  const all: Record<string, Result> = {}
  for (const name of users) {
    const keys = await authorizedKeys(ctx, { ...place, user: name })
    if (keys !== undefined) all[str(name)] = factsOf(keys)
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

/** Return the result of the keys that comes first in the order. */
const weightiest = (answers: readonly string[], order: readonly string[]): string =>
  order.find((answer) => answers.includes(answer)) ?? order.at(-1) ?? ''

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

const user = arg.text('Name of the user')
const someUser = arg.textOrList('User, or a list of users. Default: all users', { optional: true })
const key = arg.string('Key in base64')
const config = arg.string('File of authorized keys, relative to the home directory', {
  default: '.ssh/authorized_keys',
})
const fingerprint_hash_type = arg.text('Hash algorithm of fingerprints. Default: sha256', { optional: true })
const source = arg.string('URL of a file with keys on the file server')
const saltenv = arg.text('Environment of the file server', { default: 'base' })
const cache_keys = arg.any('Ignored', { optional: true })

const authorized = {
  auth_keys: reads({
    doc: 'Return the authorized keys of users.',
    args: { user: someUser, config, fingerprint_hash_type },
    returns: ret.dict('Facts by key; by user and key for all users or a list of users'),
    example: 'ssh.auth_keys root',
    run: authKeys,
  }),
  check_key_file: reads({
    doc: 'Return what setting the keys of a file would do.',
    args: { user, source, config, saltenv, fingerprint_hash_type },
    returns: ret.dict('`add`, `update` or `exists` by key'),
    example: 'ssh.check_key_file root salt://ssh/keyfile',
    run: checkFile,
  }),
  check_key: reads({
    doc: 'Return what setting an authorized key would do.',
    args: {
      ...{
        user,
        key,
        enc: arg.text('Type of the key, such as ssh-rsa'),
        comment: arg.text('Comment of the key'),
        options: arg.any('Options of the key: a list, or a text'),
      },
      ...{ config, cache_keys, fingerprint_hash_type },
    },
    returns: ret.string('`add`, `update` or `exists`'),
    example: 'ssh.check_key <user> <key> <enc> <comment> <options>',
    run: (ctx, given) => checkKey(ctx, given, given),
  }),
  rm_auth_key_from_file: changes({
    doc: 'Remove the keys of a file from the authorized keys of a user.',
    args: { user, source, config, saltenv, fingerprint_hash_type },
    returns: ret.string('`Key removed`, `Key not removed` or `Key not present`'),
    example: 'ssh.rm_auth_key_from_file <user> salt://ssh_keys/<user>.id_rsa.pub',
    run: removeFromFile,
  }),
  rm_auth_key: changes({
    doc: 'Remove an authorized key of a user.',
    args: { user, key, config, fingerprint_hash_type },
    returns: ret.string('Outcome'),
    example: 'ssh.rm_auth_key <user> <key>',
    run: (ctx, { key, ...place }) => removeKey(ctx, place, key),
  }),
  set_auth_key_from_file: changes({
    doc: 'Add the keys of a file to the authorized keys of a user.',
    args: { user, source, config, saltenv, fingerprint_hash_type, kwargs: arg.open('options: options of all keys') },
    returns: ret.string('`fail`, `replace`, `new` or `no change`'),
    example: 'ssh.set_auth_key_from_file <user> salt://ssh_keys/<user>.id_rsa.pub',
    run: (ctx, { kwargs, ...from }) => setFromFile(ctx, { ...from, options: kwargs.get('options') ?? null }),
  }),
  set_auth_key: changes({
    doc: 'Add an authorized key of a user.',
    args: {
      ...{ user, key, enc: arg.text('Type of the key', { default: 'ssh-rsa' }) },
      ...{
        comment: arg.text('Comment of the key', { default: '' }),
        options: arg.any('Options of the key: a list, or a text', { optional: true }),
      },
      ...{ config, cache_keys, fingerprint_hash_type },
    },
    returns: ret.string('Outcome'),
    example: "ssh.set_auth_key <user> '<key>' enc='dsa'",
    run: (ctx, given) => setKey(ctx, given, given),
  }),
}

const hostname = arg.text('Name of the host')
const someHost = arg.text('Name of the host', { optional: true })
const owner = arg.text('User whose file is used. Default: the file of the machine', { optional: true })
const hostsFile = arg.text('File of known hosts, relative to the home directory', { optional: true })
const port = arg.any('Port of the host. Default: 22', { optional: true })
const enc = arg.text('Type of the key', { optional: true })
const hostKey = arg.text('Key of the host', { optional: true })
const fingerprint = arg.text('Fingerprint of the key', { optional: true })
const hash_known_hosts = arg.flag('Whether the names of hosts are hashed', { default: true })
const timeout = arg.count('Seconds to wait for the host', { default: 5 })

const hosts = {
  get_known_host_entries: reads({
    doc: 'Return the known keys of a host.',
    args: { user, hostname, config: hostsFile, port, fingerprint_hash_type },
    returns: ret.any('List of dicts with `hostname`, `key`, `enc` and `fingerprint`; None without keys'),
    example: 'ssh.get_known_host_entries <user> <hostname>',
    run: (ctx, query) => knownEntries(ctx, query),
  }),
  recv_known_host_entries: reads({
    doc: 'Return the keys that a host shows.',
    args: { hostname, enc, port, hash_known_hosts, timeout, fingerprint_hash_type },
    returns: ret.any('List of dicts with `hostname`, `key`, `enc` and `fingerprint`; None without keys'),
    example: 'ssh.recv_known_host_entries <hostname> enc=<enc> port=<port>',
    run: (ctx, request) => scanHost(ctx, request),
  }),
  check_known_host: reads({
    doc: 'Return what setting a known host would do.',
    args: {
      ...{ user: owner, hostname: someHost, key: hostKey, fingerprint },
      ...{ config: hostsFile, port, fingerprint_hash_type },
    },
    returns: ret.any('`add`, `update` or `exists`; or a dict with the error'),
    example: "ssh.check_known_host <user> <hostname> key='AAAA...FAaQ=='",
    run: (ctx, { key, fingerprint, ...query }) => checkHost(ctx, query, key, fingerprint),
  }),
  rm_known_host: changes({
    doc: 'Remove all known keys of a host.',
    args: { user: owner, hostname: someHost, config: hostsFile, port },
    returns: ret.dict('`status` and details'),
    example: 'ssh.rm_known_host <user> <hostname>',
    run: (ctx, query) => removeHost(ctx, query),
  }),
  set_known_host: changes({
    doc: 'Set the known key of a host: a given key, or the key that the host shows.',
    args: {
      ...{ user: owner, hostname: someHost, fingerprint },
      ...{ key: hostKey, port, enc, config: hostsFile, hash_known_hosts, timeout, fingerprint_hash_type },
    },
    returns: ret.dict('`status` and details'),
    example: "ssh.set_known_host <user> fingerprint='xx:xx:..:xx' enc='ssh-rsa' config='.ssh/known_hosts'",
    run: setHost,
  }),
  hash_known_hosts: changes({
    doc: 'Hash the names in a file of known hosts.',
    args: { user: owner, config: hostsFile },
    returns: ret.dict('`status` and details'),
    run: (ctx, { user, config }) => hashHosts(ctx, user, config),
  }),
}

export default defineModule({
  name: 'ssh',
  doc: 'Manage SSH keys and known hosts.',
  when: async ({ host }) => (await host.which('ssh')) !== undefined || 'The module requires the ssh binary.',
  functions: {
    host_keys: reads({
      doc: 'Return the host keys of the machine.',
      args: {
        keydir: arg.text('Directory of the keys. Default: /etc/ssh on Linux', { optional: true }),
        private: arg.any('False leaves out private keys', { default: true }),
        certs: arg.any('False leaves out certificates', { default: true }),
      },
      returns: ret.dict('Texts of the files by type'),
      example: 'ssh.host_keys keydir=/etc/ssh private=False',
      run: (ctx, given) => hostKeys(ctx, given.keydir, given.private, given.certs),
    }),
    ...authorized,
    ...hosts,
    user_keys: reads({
      doc: 'Return the key files of users.',
      args: {
        user: someUser,
        pubfile: arg.any('File of the public key; False for none', { optional: true }),
        prvfile: arg.any('File of the private key; False for none', { optional: true }),
      },
      returns: ret.dict('Texts of the files by user and file'),
      example: 'ssh.user_keys user=user1 prvfile=False',
      run: (ctx, { user, pubfile, prvfile }) => userKeys(ctx, user, pubfile, prvfile),
    }),
    key_is_encrypted: reads({
      doc: 'Return whether a private key needs a passphrase.',
      args: { key: arg.string('Path of the key') },
      returns: ret.boolean('Whether the key is encrypted'),
      example: 'ssh.key_is_encrypted /root/id_rsa',
      run: (ctx, { key }) => isEncrypted(ctx, key),
    }),
  },
})
