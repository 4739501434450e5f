// Runs of Puppet and Chef: the commands that they run.
import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import chef from '../chef/module.ts'
import puppet from './module.ts'

interface Asked {
  args?: Value[]
  kwargs?: Record<string, Value>
  files?: Record<string, string>
  module?: typeof puppet
}

async function call(fun: string, { args = [], kwargs = {}, files = {}, module = puppet }: Asked = {}) {
  const commands: Value[] = []
  const host = await MemoryHost.with({ files })
  for (const path of Object.keys(files).filter((path) => path.startsWith('/usr/bin/'))) await host.chmod(path, 0o755)
  const render = async () => fromPlain({ vardir: '/v', rundir: '/r', confdir: '/c', time: { last_run: 'x', total: 2 } })
  const others = {
    'cmd.run': () => '',
    'cmd.run_all': ([command]: readonly Value[]) => {
      commands.push(command!)
      return fromPlain({ retcode: 0, stdout: 'os => Debian\nwhat is this\nip => 1 => 2', stderr: '' })
    },
  }
  const answer = toPlain(await tryFunction(module, fun, { args, kwargs, others, host, context: { render } }))
  return { answer, commands, host }
}

test.each([
  ['run', {}, 'agent --vardir /v --confdir /c  --test --color false'],
  ['noop', { args: ['debug'] }, 'agent --vardir /v --confdir /c  --debug --noop --test --color false'],
  [
    'run',
    { args: ['apply', '/m.pp'], kwargs: { tags: 'a' } },
    'apply --vardir /v --confdir /c /m.pp --color false --tags a',
  ],
])('puppet.%s of %j runs puppet %s', async (fun, asked, words) => {
  expect((await call(fun, asked as Asked)).commands).toEqual([`(puppet ${words}) || test $? -eq 2`])
})

test('puppet quotes words for the shell that it needs', async () => {
  const asked = { args: ['apply', '/m; id'], kwargs: { tags: '$(id)' } }
  expect((await call('run', asked)).commands).toEqual([
    "(puppet apply --vardir /v --confdir /c '/m; id' --color false --tags '$(id)') || test $? -eq 2",
  ])
})

test('puppet.fact asks for one fact, puppet.plugin_sync downloads plugins, and chef.solo runs Chef', async () => {
  expect((await call('fact', { args: ['os'] })).commands).toEqual(['facter  os'])
  expect((await call('plugin_sync')).answer).toBe('')
  const files = { '/usr/bin/chef-solo': '' }
  expect((await call('solo', { module: chef, kwargs: { whyrun: true, config: '/c.rb' }, files })).commands).toEqual([
    'chef-solo --no-color --logfile "/var/log/chef-solo.log" --format doc --why-run --config /c.rb',
  ])
})

test('puppet.facts reads what facter writes', async () => {
  expect((await call('facts')).answer).toEqual({ os: 'Debian', ip: '1 => 2' })
})

test.each([
  [{}, 'Stopped'],
  [{ '/v/state/agent_disabled.lock': '{}' }, 'Administratively disabled'],
  [{ '/v/state/agent_catalog_run.lock': '7', '/proc/7/stat': '' }, 'Applying a catalog'],
  [{ '/v/state/agent_catalog_run.lock': '7' }, 'Stale lockfile'],
  [{ '/r/agent.pid': '7', '/proc/7/stat': '' }, 'Idle daemon'],
  [{ '/r/agent.pid': 'x' }, 'Stale pidfile'],
])('puppet with %j is %s', async (files, status) => {
  expect((await call('status', { files })).answer).toBe(status)
})

test('puppet is disabled with a message once, and enabled again', async () => {
  const files = { '/v/state/x': '' }
  const { answer, host } = await call('disable', { args: ['why'], files })
  expect(answer).toBe(true)
  expect(Buffer.from(await host.read('/v/state/agent_disabled.lock')).toString()).toBe('{"disabled_message":"why"}')
  const quoted = await call('disable', { args: ['say "no"\n\\'], files })
  expect(JSON.parse(Buffer.from(await quoted.host.read('/v/state/agent_disabled.lock')).toString())).toEqual({
    disabled_message: 'say "no"\n\\',
  })
  const disabled = { '/v/state/agent_disabled.lock': '{}' }
  expect((await call('disable', { files: disabled })).answer).toBe(false)
  expect((await call('enable', { files: disabled })).answer).toBe(true)
  expect((await call('enable')).answer).toBe(false)
})

test('puppet.summary says when the time of the last run makes no sense', async () => {
  const files = { '/v/state/last_run_summary.yaml': '' }
  expect((await call('summary', { files })).answer).toEqual({
    last_run: 'invalid or missing timestamp',
    time: { total: 2 },
  })
  await expect(call('summary')).rejects.toThrow('Unable to read puppet run summary:')
})

test('chef.client hands keywords on as options', async () => {
  const asked = { kwargs: { whyrun: true, server: 'https://x' }, files: { '/usr/bin/chef-client': '' }, module: chef }
  expect((await call('client', asked)).commands).toEqual([
    'chef-client --no-color --once --logfile "/var/log/chef-client.log" --format doc --why-run --server https://x',
  ])
})
