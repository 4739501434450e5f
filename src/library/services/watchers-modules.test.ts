import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../data/mod.ts'
import { type MemoryFile, MemoryHost } from '../../host/mod.ts'
import { type ModuleDeclaration, tryFunction } from '../../sdk/mod.ts'
import quota from '../storage/quota/module.ts'
import sysfs from '../system/sysfs/module.ts'
import monit from './monit/module.ts'
import supervisord from './supervisord/module.ts'

async function machine(
  module: ModuleDeclaration,
  files: Record<string, MemoryFile>,
  answers: Record<string, string> = {},
) {
  const host = await MemoryHost.with({ files })
  const lines: string[] = []
  const shown = ([command]: readonly Value[]) => {
    lines.push(Array.isArray(command) ? command.join(' ') : String(command))
    return answers[lines.at(-1)!] ?? ''
  }
  const others = {
    'cmd.run': shown,
    'cmd.retcode': (args: readonly Value[]) => (shown(args) === '' ? 0 : 1),
    'cmd.run_all': (args: readonly Value[]) => new Map<Value, Value>([['retcode', 0]]).set('stdout', shown(args)),
  }
  const call = async (fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}) =>
    toPlain(await tryFunction(module, fun, { args, kwargs, host, others }))
  return { call, lines, host }
}

describe('supervisord', () => {
  const config = '[program:web]\ncommand=/bin/web ; run it\nnumprocs=2\nautostart=true\n'
  const shown = 'web       RUNNING   pid 7, uptime 0:01\njobs:one  STOPPED'

  test('returns programs and their states', async () => {
    const { call } = await machine(
      supervisord,
      { '/usr/bin/supervisorctl': { text: '', mode: 0o755 } },
      { '/usr/bin/supervisorctl status': shown, '/usr/bin/supervisorctl status web': 'web RUNNING pid 7' },
    )
    expect(await call('status')).toEqual({
      web: { state: 'RUNNING', reason: 'pid 7, uptime 0:01' },
      'jobs:one': { state: 'STOPPED', reason: '' },
    })
  })

  test('is called with its configuration, and groups in its own spelling', async () => {
    const { call, lines } = await machine(supervisord, { '/env/bin/supervisorctl': { text: '', mode: 0o755 } })
    await call('start', ['jobs:*'], { conf_file: '/etc/s.conf', bin_env: '/env' })
    await call('add', ['jobs:*'], { bin_env: '/env' })
    expect(lines).toEqual(['/env/bin/supervisorctl -c /etc/s.conf start jobs:', '/env/bin/supervisorctl add jobs'])
    await expect(call('status')).rejects.toThrow('Could not find a `supervisorctl` binary')
  })

  test('returns the options of a program', async () => {
    const { call } = await machine(supervisord, { '/etc/supervisord.conf': config })
    expect(await call('options', ['web'])).toEqual({ command: '/bin/web', numprocs: 2, autostart: true })
    await expect(call('options', ['none'])).rejects.toThrow("Process 'none' not found")
  })
})

test('attributes of the kernel are read as numbers, texts and mappings', async () => {
  const { call, host } = await machine(sysfs, {
    '/sys/block/sda/queue/rotational': '1\n',
    '/sys/block/sda/queue/scheduler': 'none [mq-deadline]\n',
    '/sys/block/sda/queue/nr/deep': '7\n',
  })
  expect(await call('read', ['block/sda/queue'])).toEqual({
    rotational: 1,
    scheduler: 'none [mq-deadline]',
    nr: { deep: 7 },
  })
  expect(await call('read', ['block/none'])).toBe(false)
  expect(await call('write', ['block/sda/queue/rotational', 0])).toBe(true)
  expect(Buffer.from(await host.read('/sys/block/sda/queue/rotational')).toString()).toBe('0\n')
  expect(await call('target', ['block/sda', false])).toBe('sda')
})

test('quotas are read off the report', async () => {
  const { call } = await machine(
    quota,
    {},
    {
      'repquota -vp -u /home':
        '*** Report for user quotas on device /dev/sda1\nBlock grace time: 7days; Inode grace time: 7days\n----------\nann       --      20       0       0       0      2     0     0       0\n',
      'quotaon -p /home': 'group quota on /home (/dev/sda1) is off\nuser quota on /home (/dev/sda1) is on',
    },
  )
  expect(await call('report', ['/home'])).toMatchObject({
    '/home': {
      'User Quotas': { Users: { ann: { 'block-used': '20', 'file-used': '2' } }, 'Block Grace Time': ['7days'] },
    },
  })
  expect(await call('get_mode', ['/home'])).toEqual({ '/home': { device: '/dev/sda1', group: 'off', user: 'on' } })
  await expect(call('set', ['/home'])).rejects.toThrow('A valid user or group was not found')
})

test('monit summarises the watched services', async () => {
  const shown =
    "The Monit daemon 5.4 uptime: 2m\n\nProcess 'nginx'                     Running\nSystem 'host'                       Running"
  const { call } = await machine(monit, {}, { 'monit summary': shown })
  expect(await call('summary')).toEqual({ Process: { nginx: 'Running' }, System: { host: 'Running' } })
  expect(await call('summary', ['nginx'])).toEqual({ Process: { nginx: 'Running' } })
})
