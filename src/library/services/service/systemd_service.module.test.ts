import { describe, expect, test } from 'vitest'
import { dictFrom, SaltError, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import service from './systemd_service.module.ts'

const UNITS = `cron.service                enabled  enabled
nginx.service               disabled enabled
ssh.socket                  disabled enabled
systemd-journald.service    static   -
apt-daily.timer             enabled  enabled
`
const RUNNING = `  cron.service    loaded active running Regular background program processing daemon
  dbus.socket     loaded active running D-Bus System Message Bus Socket
  tmp.mount       loaded active mounted /tmp
● bad.service     loaded failed failed Broken
`
const SHOWN = `Id=nginx.service
After=network.target sysinit.target
ExecStart={ path=/usr/sbin/nginx ; argv[]=/usr/sbin/nginx -g daemon on; ; ignore_errors=no ; pid=0 }
Environment=A=b
`

/** The output of systemctl, by its line without the path. */
const ANSWERS: Readonly<Record<string, string | { retcode: number; stdout?: string; stderr?: string }>> = {
  '--full --no-legend --no-pager': RUNNING,
  '--full --no-legend --no-pager list-unit-files': UNITS,
  'show nginx.service': SHOWN,
  'status none.service -n 0': { retcode: 4, stdout: 'Unit none.service could not be found.' },
  'status stale.service -n 0': "Warning: Run 'systemctl daemon-reload' to reload units.",
  'is-active nginx.service': { retcode: 3 },
  'is-enabled cron.service': 'enabled',
  'is-enabled sshd.service': 'alias',
  'show sshd.service -P Id': 'ssh.service',
  'is-enabled ssh.service': 'enabled',
  'is-enabled old.service': { retcode: 1 },
  'is-enabled nginx.service': { retcode: 1, stdout: 'disabled' },
  'is-enabled getty@tty9.service': { retcode: 1, stdout: 'disabled' },
  'start bad.service': { retcode: 1, stderr: 'Running scope as unit: run-1.scope\nJob for bad.service failed.' },
}

async function machine(booted = true) {
  const host = await MemoryHost.with({
    files: {
      ...(booted && { '/run/systemd/system/': '' }),
      '/usr/bin/systemctl': { text: '', mode: 0o755 },
      '/usr/bin/systemd-run': { text: '', mode: 0o755 },
      '/lib/systemd/system/nginx.service': '',
      '/lib/systemd/system/cron.service': '',
      '/lib/systemd/system/apt-daily.timer': '',
      '/lib/systemd/system/README': '',
      '/etc/systemd/system/off.service': { link: '/dev/null' },
      '/etc/init.d/old': { text: '', mode: 0o755 },
      '/etc/init.d/cron': { text: '', mode: 0o755 },
      '/etc/rc2.d/S01old': '',
    },
    commands: [({ argv }) => (argv.includes('--version') ? 'systemd 252 (252.38-1~deb12u1)\n' : '')],
  })
  const lines: string[] = []
  const answer = (args: readonly Value[]) => {
    const line = (args[0] as string[]).map((word) => String(word)).join(' ')
    lines.push(line.replaceAll('/usr/bin/', ''))
    const found = ANSWERS[line.replace(/^(.*\/systemd-run --scope )?\/usr\/bin\/systemctl (--no-block )?/, '')] ?? ''
    return { retcode: 0, stdout: '', stderr: '', ...(typeof found === 'string' ? { stdout: found } : found) }
  }
  const others = {
    'cmd.run_all': (args: readonly Value[]) => dictFrom(answer(args)),
    'cmd.run': (args: readonly Value[]) => (args[0] === 'runlevel' ? 'N 2' : answer(args).stdout),
    'cmd.run_stdout': (args: readonly Value[]) => answer(args).stdout,
    'cmd.retcode': (args: readonly Value[]) => answer(args).retcode,
    'config.get': () => true,
  }
  const call = async (fun: string, ...args: Value[]) => toPlain(await tryFunction(service, fun, { args, host, others }))
  return { call, lines }
}

describe('services through systemd', () => {
  test.each<[string, Value[], unknown]>([
    ['get_all', [], ['apt-daily.timer', 'cron', 'nginx', 'off', 'old']],
    ['get_enabled', [], ['apt-daily.timer', 'cron', 'old']],
    ['get_disabled', [], ['nginx', 'ssh.socket']],
    ['get_static', [], ['systemd-journald']],
    ['get_running', [], ['cron', 'dbus.socket']],
    ['available', ['nginx'], true],
    ['available', ['none'], false],
    ['missing', ['none'], true],
    ['status', ['nginx'], false],
    ['status', ['*n*'], { cron: true, nginx: false }],
    ['enabled', ['cron'], true],
    ['enabled', ['sshd'], true],
    ['enabled', ['nginx'], false],
    ['enabled', ['old'], true],
    ['enabled', ['getty@tty9'], false],
    ['disabled', ['nginx'], true],
    ['masked', ['off'], true],
    ['masked', ['nginx'], false],
    ['execs', [], { nginx: '/usr/sbin/nginx' }],
    ['offline', [], false],
  ])('%s of %j', async (fun, args, answer) => {
    const { call } = await machine()
    expect(await call(fun, ...args)).toEqual(answer)
  })

  test('are shown with lists and structures taken apart', async () => {
    const { call } = await machine()
    expect(await call('show', 'nginx')).toMatchObject({
      After: ['network.target', 'sysinit.target'],
      ExecStart: { path: '/usr/sbin/nginx', ignore_errors: 'no' },
      Environment: 'A=b',
    })
  })

  test.each<[string, Value[], string]>([
    ['start', ['nginx'], 'systemd-run --scope systemctl start nginx.service'],
    ['start', ['backup.timer', true], 'systemd-run --scope systemctl --no-block start backup.timer'],
    ['restart', ['salt-minion'], 'systemd-run --scope systemctl --no-block restart salt-minion.service'],
    ['force_reload', ['nginx'], 'systemd-run --scope systemctl --no-block force-reload nginx.service'],
    ['stop', ['nginx'], 'systemd-run --scope systemctl stop nginx.service'],
    ['mask', ['nginx', true], 'systemd-run --scope systemctl mask --runtime nginx.service'],
    ['unmask', ['off'], 'systemd-run --scope systemctl unmask off.service'],
    ['enable', ['nginx'], 'systemd-run --scope systemctl enable nginx.service'],
    ['disable', ['nginx'], 'systemd-run --scope systemctl disable nginx.service'],
  ])('%s %j', async (fun, args, line) => {
    const { call, lines } = await machine()
    expect(await call(fun, ...args)).toBe(true)
    expect(lines.at(-1)).toBe(line)
  })

  test("fail with systemctl's error, without the name of the scope", async () => {
    const { call } = await machine()
    await expect(call('start', 'bad')).rejects.toThrow(/^Job for bad\.service failed\.$/)
  })

  test('are reloaded when their files have changed', async () => {
    const { call, lines } = await machine()
    await call('status', 'stale')
    expect(lines).toContain('systemctl --system daemon-reload')
  })

  test('cannot be queried if systemd does not run', async () => {
    const { call } = await machine(false)
    expect(await call('offline')).toBe('/usr/bin/systemctl')
    await expect(call('available', 'nginx')).rejects.toThrow(
      new SaltError('CommandExecutionError', "Cannot run in offline mode. Failed to get information on unit 'nginx'"),
    )
  })
})
