import { describe, expect, test } from 'vitest'
import { dictFrom, fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { type MemoryFile, MemoryHost } from '../../../host/mod.ts'
import { type ModuleDeclaration, tryFunction } from '../../../sdk/mod.ts'
import debian from './debian_service.module.ts'
import freebsd from './freebsdservice.module.ts'
import gentoo from './gentoo_service.module.ts'
import linux from './linux_service.module.ts'
import mac from './mac_service.module.ts'
import redhat from './rh_service.module.ts'
import systemd from './systemd_service.module.ts'
import upstart from './upstart_service.module.ts'
import windows from './win_service.module.ts'

const program: MemoryFile = { text: '', mode: 0o755 }

interface Machine {
  module: ModuleDeclaration
  files?: Record<string, MemoryFile>
  /** The output of commands by their line; a number is a return code. */
  answers?: Record<string, string | number>
  grains?: Record<string, unknown>
}

async function machine({ module, files = {}, answers = {}, grains = {} }: Machine) {
  const direct = ({ argv }: { argv: readonly string[] }) => {
    const found = answers[argv.join(' ')] ?? ''
    return typeof found === 'string' ? found : { retcode: found }
  }
  const host = await MemoryHost.with({ files, commands: [direct] })
  const lines: string[] = []
  const outcome = ([command]: readonly Value[]) => {
    lines.push(Array.isArray(command) ? command.join(' ') : String(command))
    const found = answers[lines.at(-1)!] ?? ''
    return typeof found === 'string' ? { stdout: found, retcode: 0 } : { stdout: '', retcode: found }
  }
  const others = {
    'cmd.run': (args: readonly Value[]) => outcome(args).stdout,
    'cmd.run_stdout': (args: readonly Value[]) => outcome(args).stdout,
    'cmd.retcode': (args: readonly Value[]) => outcome(args).retcode,
    'cmd.run_all': (args: readonly Value[]) => dictFrom({ stderr: '', ...outcome(args) }),
    'status.pid': ([sig]: readonly Value[]) => (sig === 'sshd' ? '7\n9' : ''),
    'config.option': () => '/etc/rc.conf',
  }
  const given = fromPlain(grains as never) as Map<Value, Value>
  const call = async (fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}) =>
    toPlain(await tryFunction(module, fun, { args, kwargs, host, others, grains: given }))
  return { call, lines, host, when: async () => module.when?.({ opts: new Map(), grains: given, host }) }
}

type Case = [fun: string, args: Value[], answer: unknown]

async function check(world: Machine, cases: Case[]): Promise<void> {
  for (const [fun, args, answer] of cases) {
    const { call } = await machine(world)
    expect([fun, args, await call(fun, args)]).toEqual([fun, args, answer])
  }
}

describe('providers of service', () => {
  test('are chosen by the system and its init program', async () => {
    const booted = { '/run/systemd/system/': '' }
    const chosen = async (module: ModuleDeclaration, grains: Record<string, unknown>, files = {}) =>
      (await (await machine({ module, grains, files })).when()) === true
    const debianGrains = { os: 'Debian', kernel: 'Linux' }
    expect(await chosen(systemd, debianGrains, booted)).toBe(true)
    expect(await chosen(systemd, debianGrains)).toBe(false)
    expect(await chosen(systemd, debianGrains, { '/usr/bin/systemctl': program })).toBe(true)
    expect(await chosen(debian, debianGrains)).toBe(true)
    expect(await chosen(debian, debianGrains, booted)).toBe(false)
    expect(await chosen(linux, { os: 'Void', kernel: 'Linux', init: 'sysvinit' })).toBe(true)
    expect(await chosen(linux, { os: 'Void', kernel: 'Linux', init: 'runit' })).toBe(false)
    expect(await chosen(redhat, { os: 'CentOS', osrelease_info: [6, 10] })).toBe(true)
    expect(await chosen(redhat, { os: 'CentOS', osrelease_info: [7, 9] })).toBe(false)
    expect(await chosen(gentoo, { os: 'Alpine' })).toBe(true)
  })

  test('Upstart reads jobs and init scripts', async () => {
    const world: Machine = {
      module: upstart,
      files: {
        '/etc/init/ssh.conf': 'start on runlevel [2345]\n',
        '/etc/init/net/apache.conf': '',
        '/etc/init/cron.conf': 'start on x\nmanual\n',
        '/etc/init/cron.override': 'manual\n',
        '/etc/init.d/ntp': program,
        '/etc/init.d/rsync': program,
        '/etc/init.d/README': '',
        '/etc/rc3.d/S20ntp': '',
      },
      answers: { runlevel: 'N 3', 'service ssh status': 'ssh start/running, process 9', 'service ntp status': 3 },
    }
    await check(world, [
      ['get_enabled', [], ['net/apache', 'ntp', 'ssh']],
      ['get_disabled', [], ['cron', 'rsync']],
      ['get_all', [], ['cron', 'net/apache', 'ntp', 'rsync', 'ssh']],
      ['available', ['ssh'], true],
      ['missing', ['nginx'], true],
      ['status', ['ssh'], true],
      ['status', ['ntp'], false],
      ['status', ['s*'], { ssh: true }],
      ['enabled', ['ntp'], true],
      ['disabled', ['cron'], true],
      ['enabled', ['nothing'], false],
    ])
    for (const [fun, verb] of [
      ['start', 'start'],
      ['stop', 'stop'],
      ['restart', 'restart'],
      ['reload', 'reload'],
      ['force_reload', 'force-reload'],
      ['full_restart', '--full-restart'],
    ] as const) {
      const { call, lines } = await machine(world)
      expect([await call(fun, ['ssh']), lines]).toEqual([true, [`service ssh ${verb}`]])
      await expect(call(fun, ['-ssh'])).rejects.toThrow('hyphen')
    }
    const { call, host, lines } = await machine(world)
    expect([await call('enable', ['cron']), await host.stat('/etc/init/cron.override')]).toEqual([true, undefined])
    expect(Buffer.from(await host.read('/etc/init/cron.conf')).toString()).toBe('start on x\n')
    expect(await call('disable', ['ssh'])).toBe(true)
    expect(Buffer.from(await host.read('/etc/init/ssh.override')).toString()).toBe('manual\n')
    expect([await call('enable', ['rsync']), await call('disable', ['ntp'])]).toEqual([true, true])
    expect(lines).toEqual(['update-rc.d -f rsync defaults', 'update-rc.d -f ntp remove'])
    await expect(call('disable', ['../../etc/x'])).rejects.toThrow('is not the name of a service')
  })

  test('Upstart serves Ubuntu without systemd, and Debian with its initctl', async () => {
    const when = async (os: string, files = {}, answers = {}) =>
      (await (await machine({ module: upstart, grains: { os }, files, answers })).when()) === true
    expect(await when('Ubuntu')).toBe(true)
    expect(await when('Ubuntu', { '/run/systemd/system/': '' })).toBe(false)
    expect(await when('Debian')).toBe(false)
    const initctl = { '/sbin/initctl': program }
    expect(await when('Debian', initctl, { '/sbin/initctl version': 'init (upstart 1.11)' })).toBe(true)
  })

  test('Debian reads links of runlevels', () =>
    check(
      {
        module: debian,
        files: {
          '/etc/init.d/ssh': program,
          '/etc/init.d/cron': program,
          '/etc/init.d/README': '',
          '/etc/rc2.d/S01ssh': '',
          '/etc/rcS.d/S02procps': '',
          '/etc/rc2.d/K01cron': '',
        },
        answers: { runlevel: 'N 2', 'service cron status': 3 },
      },
      [
        ['get_all', [], ['cron', 'procps', 'ssh']],
        ['get_enabled', [], ['procps', 'ssh']],
        ['get_disabled', [], ['cron']],
        ['status', ['*s*'], { procps: true, ssh: true }],
        ['status', ['cron'], false],
        ['enabled', ['ssh'], true],
        ['available', ['none'], false],
      ],
    ))

  test('other Linux looks for processes', () =>
    check({ module: linux, files: { '/etc/init.d/sshd': program } }, [
      ['get_all', [], ['sshd']],
      ['status', ['sshd'], '7\n9'],
      ['run', ['sshd', 'reload'], true],
      ['missing', ['x'], true],
    ]))

  test('Red Hat asks chkconfig', () =>
    check(
      {
        module: redhat,
        files: { '/etc/init.d/sshd': program, '/etc/init.d/cups': program, '/etc/rc.d/rc3.d/S98cups': '' },
        answers: {
          'chkconfig --list': 'sshd \t0:off\t3:on\ncups 0:off 3:off\nxinetd based services:\n',
          '/sbin/runlevel': 'N 3',
          '/sbin/chkconfig --list sshd': 'sshd 0:off 3:on',
          '/sbin/chkconfig --list none': 1,
        },
      },
      [
        ['get_all', [], ['cups', 'sshd']],
        ['get_enabled', [], ['cups', 'sshd']],
        ['enabled', ['sshd'], true],
        ['available', ['none'], false],
        ['delete', ['none'], false],
      ],
    ))

  test('OpenRC knows services by runlevel', async () => {
    const world = {
      module: gentoo,
      answers: { 'rc-update -v show': '  sshd | default boot\n  cron |\n  root | boot' },
    }
    await check(world, [
      ['get_enabled', [], { sshd: ['boot', 'default'], root: ['boot'] }],
      ['get_disabled', [], ['cron']],
      ['available', ['cron'], true],
      ['disabled', ['cron'], true],
    ])
    const { call, lines } = await machine(world)
    expect(await call('enable', ['sshd'], { runlevels: ['default', 'single'] })).toBe(true)
    expect(lines.slice(1)).toEqual(['rc-update delete sshd boot', 'rc-update add sshd single'])
    expect(await call('enabled', ['sshd'], { runlevels: 'shutdown' })).toBe(false)
  })

  test('FreeBSD writes variables of rc.conf', async () => {
    const { call, host } = await machine({
      module: freebsd,
      files: { '/usr/bin/service': program, '/etc/rc.conf': 'sshd_enable="NO" # x\ncron_enable="YES"\n' },
      answers: {
        '/usr/bin/service -l': 'DAEMON\nsshd\nntpd',
        '/usr/bin/service sshd rcvar': '# sshd\nsshd_enable="NO"',
        '/usr/bin/service ntpd rcvar': 'ntpd_enable="YES"',
      },
    })
    expect(await call('get_all')).toEqual(['ntpd', 'sshd'])
    expect([await call('enabled', ['sshd']), await call('enabled', ['ntpd'])]).toEqual([false, true])
    expect([await call('enable', ['sshd']), await call('disable', ['ntpd'])]).toEqual([true, true])
    expect(Buffer.from(await host.read('/etc/rc.conf')).toString()).toBe(
      'sshd_enable="YES" # x\ncron_enable="YES"\nntpd_enable="NO"\n',
    )
  })

  test('macOS reads property lists', () => {
    const path = '/Library/LaunchDaemons/org.cups.plist'
    return check(
      {
        module: mac,
        files: { [path]: '' },
        answers: {
          [`plutil -convert json -o - ${path}`]: '{"Label": "org.Cups.cupsd", "KeepAlive": true}',
          'launchctl list': 'PID\tStatus\tLabel\n12\t0\tcom.apple.x',
          'launchctl list org.Cups.cupsd': '{\n"PID" = 12;\n}',
          'launchctl print-disabled system/org.Cups.cupsd': '\t"org.cups.cupsd" => true\n',
        },
      },
      [
        ['get_all', [], ['com.apple.x', 'org.cups.cupsd']],
        ['status', ['org.cups.cupsd'], true],
        ['status', ['none'], false],
        ['available', ['org.cups'], true],
        ['disabled', ['org.cups.cupsd'], true],
        ['start', ['org.cups.cupsd'], true],
      ],
    )
  })

  test('Windows answers in data', async () => {
    const { call } = await machine({ module: windows })
    expect(await call('get_all')).toEqual([])
    expect(await call('status', ['none'])).toBe('Not Found')
  })
})

describe('Further functions of providers', () => {
  test('gentoo_service.zap resets the state of a script', async () => {
    const { call, lines } = await machine({ module: gentoo })
    expect(await call('zap', ['nginx'])).toBe(true)
    expect(lines).toEqual(['/etc/init.d/nginx zap'])
  })

  test('mac_service lists what launchd has loaded, and passes commands on', async () => {
    const { call, lines } = await machine({
      module: mac,
      answers: { 'launchctl list': 'PID\tStatus\tLabel\n1\t0\torg.x' },
    })
    expect(await call('list')).toContain('org.x')
    expect(await call('launchctl', ['list'])).toBe(true)
    expect(await call('loaded', ['org.none'])).toBe(false)
    expect(lines).toContain('launchctl list')
  })

  test('win_service lists services by their display names, and describes one', async () => {
    const row = { Name: 'Spooler', DisplayName: 'Print Spooler', StartMode: 'Auto', State: 'Running' }
    const facts = {
      ...row,
      PathName: 'x',
      StartName: 'LocalSystem',
      ExitCode: 0,
      Description: 'd',
      DelayedAutoStart: false,
    }
    const host = await MemoryHost.with({ commands: [() => ({ stdout: JSON.stringify([facts]) })] })
    const ask = async (fun: string, ...args: Value[]) => toPlain(await tryFunction(windows, fun, { args, host }))
    expect(await ask('get_service_name', 'spooler')).toEqual({ 'Print Spooler': 'Spooler' })
    expect(await ask('info', 'spooler')).toMatchObject({
      Status: 'Running',
      StartType: 'Auto',
      ServiceAccount: 'LocalSystem',
    })
  })
})
