// The commands of the rabbitmq functions, their results from recorded output of version 3.10, and states.
import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction, tryState } from '../../../sdk/mod.ts'
import rabbitmq from './module.ts'
import cluster from './rabbitmq_cluster.state.ts'
import plugins from './rabbitmq_plugin.state.ts'

const PROGRAM = { text: '', mode: 0o755 }
const PRINTED: Readonly<Record<string, string>> = {
  'rabbitmqctl list_vhosts -q': 'name\n/\napp',
  'rabbitmqctl list_permissions --formatter=json -p /': '[{"user":"joe","configure":"","write":".*","read":".*"}]',
  'rabbitmqctl list_queues -q -p app messages': 'jobs\t5',
  'rabbitmqctl list_parameters -q': 'federation-upstream\tup\t{"uri":"amqp://x"}',
  'rabbitmq-plugins list -m': 'rabbitmq_management\nrabbitmq_shovel',
  'rabbitmq-plugins list -m -e': 'rabbitmq_management',
}

async function attempt(name: string, args: Value[], kwargs: Record<string, Value> = {}) {
  const files = { '/usr/bin/rabbitmqctl': PROGRAM, '/usr/bin/rabbitmq-plugins': PROGRAM }
  const ran: string[] = []
  const run = ([argv]: readonly Value[]): Value => {
    const line = (argv as string[]).join(' ').replace('/usr/bin/', '')
    ran.push(line)
    return fromPlain({ retcode: 0, stdout: PRINTED[line] ?? 'ok', stderr: '' })
  }
  const trial = { host: await MemoryHost.with({ files }), args, kwargs, others: { 'cmd.run_all': run } }
  return { answer: toPlain(await tryFunction(rabbitmq, name, trial)), ran }
}

describe('rabbitmq', () => {
  test.each<[string, Value[], string, unknown]>([
    ['clear_password', ['joe'], 'clear_password joe', { 'Password Cleared': 'ok' }],
    ['set_user_tags', ['joe', ['a', 'b']], 'set_user_tags joe a b', { 'Tag(s) set': 'ok' }],
    ['list_vhosts', [], 'list_vhosts -q', ['name', '/', 'app']],
    ['set_permissions', ['/', 'joe', '', '.*', '.*'], 'set_permissions -p / joe  .* .*', { 'Permissions Set': 'ok' }],
    ['delete_policy', ['/', 'ha'], 'clear_policy -p / ha', { Deleted: 'ok' }],
    ['status', [], 'status', 'ok'],
    ['cluster_status', [], 'cluster_status', 'ok'],
    ['stop_app', [], 'stop_app', 'ok'],
    ['start_app', [], 'start_app', 'ok'],
    ['reset', [], 'reset', 'ok'],
    ['force_reset', [], 'force_reset', 'ok'],
    ['list_queues_vhost', ['app', null, 'messages'], 'list_queues -q -p app messages', { jobs: ['5'] }],
    ['upstream_exists', ['up'], 'list_parameters -q', true],
    ['delete_upstream', ['up'], 'clear_parameter federation-upstream up', true],
  ])('%s runs its command', async (name, args, line, wanted) => {
    expect(await attempt(name, args)).toEqual({ answer: wanted, ran: [`rabbitmqctl ${line}`] })
  })

  test('permissions of a virtual host are listed by user', async () => {
    expect((await attempt('list_permissions', ['/'])).answer).toEqual({
      joe: { configure: '', write: '.*', read: '.*' },
    })
  })

  test('a policy and an upstream are set as JSON', async () => {
    const policy = await attempt('set_policy', ['/', 'ha', '.*', '{"max-length": 5}'], {
      priority: 1,
      apply_to: 'queues',
    })
    expect(policy).toEqual({
      answer: { Set: 'ok' },
      ran: ['rabbitmqctl set_policy -p / --priority 1 --apply-to queues ha .* {"max-length": 5}'],
    })
    const { answer, ran } = await attempt('set_upstream', ['up', 'amqp://x'])
    expect([answer, ran[0]]).toEqual([
      true,
      expect.stringContaining('set_parameter federation-upstream up {"uri": "amqp://x"'),
    ])
  })

  test('a node joins a cluster while its application is stopped', async () => {
    expect(await attempt('join_cluster', ['db1'], { ram_node: true })).toEqual({
      answer: { Join: 'ok' },
      ran: ['rabbitmqctl stop_app', 'rabbitmqctl join_cluster --ram rabbit@db1', 'rabbitmqctl start_app'],
    })
  })

  test('plugins are listed, enabled and disabled', async () => {
    expect((await attempt('list_available_plugins', [])).answer).toEqual(['rabbitmq_management', 'rabbitmq_shovel'])
    expect((await attempt('list_enabled_plugins', [])).answer).toEqual(['rabbitmq_management'])
    expect((await attempt('plugin_is_enabled', ['rabbitmq_shovel'])).answer).toBe(false)
    expect((await attempt('enable_plugin', ['x'])).ran).toEqual(['rabbitmq-plugins enable x'])
    expect((await attempt('disable_plugin', ['x'])).answer).toEqual({ Disabled: 'ok' })
  })
})

describe('states of rabbitmq', () => {
  test('rabbitmq_plugin.enabled and rabbitmq_plugin.disabled act once', async () => {
    const on = new Set<Value>()
    const others = {
      'rabbitmq.plugin_is_enabled': ([name]: readonly Value[]) => on.has(name!),
      'rabbitmq.enable_plugin': ([name]: readonly Value[]) => on.add(name!).has(name!),
      'rabbitmq.disable_plugin': ([name]: readonly Value[]) => on.delete(name!),
    }
    const apply = async (fun: string, test = false) =>
      toPlain(await tryState(plugins, fun, { kwargs: { name: 'x' }, others, test })) as Record<string, unknown>
    expect(await apply('enabled', true)).toMatchObject({ result: null, comment: "Plugin 'x' is set to be enabled." })
    expect((await apply('enabled'))['comment']).toBe("Plugin 'x' was enabled.")
    expect((await apply('enabled'))['comment']).toBe("Plugin 'x' is already enabled.")
    expect((await apply('disabled'))['comment']).toBe("Plugin 'x' was disabled.")
    expect((await apply('disabled'))['comment']).toBe("Plugin 'x' is already disabled.")
  })

  test('rabbitmq_cluster.joined joins once', async () => {
    let status = 'rabbit@web1'
    const others = {
      'rabbitmq.cluster_status': () => status,
      'rabbitmq.join_cluster': () => {
        status = 'rabbit@db1 rabbit@web1'
        return fromPlain({ Join: 'Clustering node' })
      },
    }
    const apply = async (test = false) =>
      toPlain(await tryState(cluster, 'joined', { kwargs: { name: 'one', host: 'db1' }, others, test }))
    expect(await apply(true)).toMatchObject({ result: null, comment: 'Node is set to join cluster rabbit@db1' })
    expect(await apply()).toMatchObject({ result: true, comment: 'Clustering node' })
    expect(await apply()).toMatchObject({ result: true, comment: 'Already in cluster', changes: {} })
  })
})
