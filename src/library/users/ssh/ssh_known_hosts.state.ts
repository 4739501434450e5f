// Known hosts of a user, or of the machine.
import { isAbsolute } from 'node:path/posix'
import { str, traverse, truthy } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const name = arg.string('Name of the host')
const user = arg.text('User whose file is used. Default: the file of the machine', { optional: true })
const config = arg.text('File of known hosts, relative to the home directory', { optional: true })
const hostArgs = {
  name,
  user,
  fingerprint: arg.text('Fingerprint that the key must have', { optional: true }),
  key: arg.text('Key. Default: the key that the host shows', { optional: true }),
  port: arg.any('Port of the host. Default: 22', { optional: true }),
  enc: arg.text('Type of the key', { optional: true }),
  config,
  hash_known_hosts: arg.flag('Whether the names of hosts are hashed', { default: true }),
  timeout: arg.count('Seconds to wait for the host', { default: 5 }),
  fingerprint_hash_type: arg.text('Hash algorithm of fingerprints. Default: sha256', { optional: true }),
}

type WantedHost = Bound<typeof hostArgs>

const configOf = (user: string | null, config: string | null): string =>
  config || (user ? '.ssh/known_hosts' : '/etc/ssh/ssh_known_hosts')

const RELATIVE = 'If not specifying a "user", specify an absolute "config".'
const isNowhere = (user: string | null, config: string): boolean => !user && !isAbsolute(config)

async function foreseen(ctx: StateContext, wanted: WantedHost, config: string): Promise<[boolean | null, string]> {
  const { name, user, key, fingerprint, port, enc, fingerprint_hash_type } = wanted
  if (key && fingerprint) return [false, 'Specify either "key" or "fingerprint", not both.']
  if (key && !enc) return [false, 'Required argument "enc" if using "key" argument.']
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

async function present(ctx: StateContext, wanted: WantedHost): Promise<StateReturn> {
  const { name, user, key, fingerprint, enc } = wanted
  const config = configOf(user, wanted.config)
  const report = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  if (isNowhere(user, config)) return report(false, RELATIVE)
  if (ctx.test) return report(...(await foreseen(ctx, wanted, config)))
  const { name: hostname, ...options } = wanted
  const answer = await ctx.call('ssh.set_known_host', [], { ...options, hostname, config })
  if (answer.get('status') === 'exists') return report(true, `${name} already exists in ${config}`)
  if (answer.get('status') === 'error') return report(false, str(answer.get('error') ?? ''))
  const shown = (what: string): string => ` (${what}: ${str(traverse(answer, `new:0:${what}`))})`
  const detail = key ? shown('key') : fingerprint ? shown('fingerprint') : enc ? shown('key') : ''
  const kind = detail === '' ? 'key(s)' : key || fingerprint ? 'key' : `${enc} key`
  const changes = { old: answer.get('old'), new: answer.get('new') }
  return { ...report(true, `${name}'s ${kind} saved to ${config}${detail}`), changes }
}

interface Removal {
  name: string
  user: string | null
  config: string | null
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
  if (answer.get('status') === 'error') return report(false, str(answer.get('error') ?? ''))
  return { ...report(true, str(answer.get('comment') ?? '')), changes: { old: held, new: null } }
}

export default defineState({
  name: 'ssh_known_hosts',
  doc: 'Manage known hosts.',
  when: ({ grains }) => grains.get('kernel') !== 'Windows' || 'ssh_known_hosts: Does not support Windows',
  functions: {
    present: state({
      doc: 'Ensure that the key of a host is known.',
      args: hostArgs,
      run: present,
    }),
    absent: state({
      doc: 'Ensure that no key of a host is known.',
      args: { name, user, config },
      run: absent,
    }),
  },
})
