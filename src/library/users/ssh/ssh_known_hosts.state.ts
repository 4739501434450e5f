// Hosts whose keys are known to a user, or to the machine.
import { isAbsolute } from 'node:path/posix'
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Wish {
  name: string
  user: Value
  fingerprint: Value
  key: Value
  port: Value
  enc: Value
  config: Value
  hash_known_hosts: Value
  timeout: Value
  fingerprint_hash_type: Value
}

const configOf = (user: Value, config: Value): string => {
  if (truthy(config)) return str(config)
  return truthy(user) ? '.ssh/known_hosts' : '/etc/ssh/ssh_known_hosts'
}

const RELATIVE = 'If not specifying a "user", specify an absolute "config".'
const isNowhere = (user: Value, config: string): boolean => !truthy(user) && !isAbsolute(config)

async function foreseen(ctx: StateContext, wish: Wish, config: string): Promise<[boolean | null, string]> {
  const { name, user, key, fingerprint, port, enc, fingerprint_hash_type } = wish
  if (truthy(key) && truthy(fingerprint)) return [false, 'Specify either "key" or "fingerprint", not both.']
  if (truthy(key) && !truthy(enc)) return [false, 'Required argument "enc" if using "key" argument.']
  if ((await ctx.host.which('ssh-keygen')) === undefined) {
    return [false, "ssh.check_known_host error: The 'ssh-keygen' binary was not found in $PATH."]
  }
  const options = { key, fingerprint, config, port, fingerprint_hash_type }
  const answer = await ctx.call('ssh.check_known_host', [user, name], options)
  if (answer instanceof Map) return [false, str(answer.get('error') ?? '')]
  if (answer === 'exists') return [true, `Host ${name} is already in ${config}`]
  if (answer === 'add') return [null, `Key for ${name} is set to be added to ${config}`]
  return [null, `Key for ${name} is set to be updated in ${config}`]
}

async function present(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const { name, user, key, fingerprint, enc } = wish
  const config = configOf(user, wish.config)
  const report = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  if (isNowhere(user, config)) return report(false, RELATIVE)
  if (ctx.test) return report(...(await foreseen(ctx, wish, config)))
  const { name: hostname, ...options } = wish
  const answer = await ctx.call('ssh.set_known_host', [], { ...options, hostname, config })
  if (answer.get('status') === 'exists') return report(true, `${name} already exists in ${config}`)
  if (answer.get('status') === 'error') return report(false, str(answer.get('error')!))
  const first = (answer.get('new') as Dict[])[0]!
  const shown = (what: string): string => ` (${what}: ${str(first.get(what) ?? null)})`
  const detail = truthy(key)
    ? shown('key')
    : truthy(fingerprint)
      ? shown('fingerprint')
      : truthy(enc)
        ? shown('key')
        : ''
  const kind = detail === '' ? 'key(s)' : truthy(key) || truthy(fingerprint) ? 'key' : `${str(enc)} key`
  const changes = { old: answer.get('old'), new: answer.get('new') }
  return { ...report(true, `${name}'s ${kind} saved to ${config}${detail}`), changes }
}

interface Removal {
  name: string
  user: Value
  config: Value
}

async function absent(ctx: StateContext, { name, user, config: given }: Removal): Promise<StateReturn> {
  const config = configOf(user, given)
  const report = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  if (isNowhere(user, config)) return report(false, RELATIVE)
  const where = { user, hostname: name, config }
  const held = await ctx.call('ssh.get_known_host_entries', [], where)
  if (!truthy(held)) return report(true, 'Host is already absent')
  if (ctx.test) return report(null, `Key for ${name} is set to be removed from ${config}`)
  const answer = await ctx.call('ssh.rm_known_host', [], where)
  if (answer.get('status') === 'error') return report(false, str(answer.get('error')!))
  return { ...report(true, str(answer.get('comment')!)), changes: { old: held, new: null } }
}

const name = arg.string('The host')
const optional = (doc: string) => arg.any(doc, { optional: true })
const user = optional('Whose file; that of the machine when not given')
const config = arg.text('The file of known hosts', { optional: true })

export default defineState({
  name: 'ssh_known_hosts',
  doc: 'Keep the keys of known hosts.',
  when: ({ grains }) => grains.get('kernel') !== 'Windows' || 'ssh_known_hosts: Does not support Windows',
  functions: {
    present: state({
      doc: 'The key of a host is known.',
      args: {
        name,
        user,
        fingerprint: optional('The fingerprint it must have'),
        key: optional('The key; asked from the host when not given'),
        port: optional('Its port; 22 when not given'),
        enc: arg.text('The kind of key', { optional: true }),
        config,
        hash_known_hosts: arg.flag('Whether names of hosts are hashed', { default: true }),
        timeout: arg.any('Seconds to wait for the host', { default: 5 }),
        fingerprint_hash_type: optional('The hash of fingerprints; sha256 when not given'),
      },
      run: (ctx, wish) => present(ctx, wish),
    }),
    absent: state({
      doc: 'No key of a host is known.',
      args: { name, user, config },
      run: absent,
    }),
  },
})
