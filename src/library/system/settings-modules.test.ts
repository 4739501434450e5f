import { describe, expect, test } from 'vitest'
import { dictFrom, toPlain, type Value } from '../../data/mod.ts'
import { MemoryHost, type MemoryMachine } from '../../host/mod.ts'
import { type Keywords, type ModuleDeclaration, tryFunction } from '../../sdk/mod.ts'
import at from '../services/at/module.ts'
import aliases from './aliases/module.ts'
import alternatives from './alternatives/module.ts'
import kmod from './kmod/module.ts'
import locale from './locale/module.ts'
import logrotate from './logrotate/module.ts'
import sysctl from './sysctl/module.ts'
import timezone from './timezone/module.ts'

type Answer = string | { retcode: number; stderr: string }

const program = { text: '', mode: 0o755 }

/** A machine with command results by the words after the program's folder. */
async function machine(files: MemoryMachine['files'], answers: Readonly<Record<string, Answer>> = {}, grains = {}) {
  const host = await MemoryHost.with({ files: files ?? {}, commands: [() => ''] })
  const lines: string[] = []
  const answer = ([command]: readonly Value[]) => {
    const line = (Array.isArray(command) ? command.join(' ') : String(command)).replaceAll('/usr/bin/', '')
    lines.push(line)
    const found = answers[line] ?? ''
    return { stdout: '', stderr: '', retcode: 0, ...(typeof found === 'string' ? { stdout: found } : found) }
  }
  const others = {
    'cmd.run_all': (args: readonly Value[]) => dictFrom(answer(args)),
    'cmd.run': (args: readonly Value[]) => answer(args).stdout,
    'cmd.run_stdout': (args: readonly Value[]) => answer(args).stdout,
    'cmd.retcode': (args: readonly Value[]) => answer(args).retcode,
    'config.option': () => '/etc/aliases',
    'file.replace': (_: readonly Value[], kwargs: Keywords) => new Map(Object.entries(kwargs)),
    'locale.list_avail': () => ['C', 'en_US.utf8'],
  }
  const call = async (module: ModuleDeclaration, fun: string, ...args: Value[]) =>
    toPlain(await tryFunction(module, fun, { args, host, others, grains: new Map(Object.entries(grains)) }))
  const textAt = async (path: string) => Buffer.from(await host.read(path)).toString()
  return { call, lines, textAt, host }
}

describe('alternatives', () => {
  const shown =
    'editor - auto mode\n  link best version is /bin/nano\n/bin/nano - priority 40\n/usr/bin/vim - priority 30'
  const files = { '/etc/alternatives/editor': { link: '/bin/nano' } }

  test.each<[string, Value[], unknown]>([
    ['display', ['editor'], shown],
    ['display', ['none'], 'no alternatives for none'],
    ['show_link', ['editor'], '/usr/bin/editor'],
    ['show_current', ['editor'], '/bin/nano'],
    ['show_current', ['none'], false],
    ['check_exists', ['editor', '/usr/bin/vim'], true],
    ['check_exists', ['editor', '/bin/ed'], false],
    ['check_installed', ['editor', '/bin/nano'], true],
    ['remove', ['none', '/bin/ed'], 'no alternatives for none'],
  ])('%s %j', async (fun, args, answer) => {
    const complaint = { retcode: 2, stderr: 'no alternatives for none' }
    const { call } = await machine(files, {
      'update-alternatives --display editor': shown,
      'update-alternatives --display none': complaint,
      'update-alternatives --remove none /bin/ed': complaint,
      'update-alternatives --query editor': 'Name: editor\nLink: /usr/bin/editor\n\nAlternative: /bin/nano',
    })
    expect(await call(alternatives, fun, ...args)).toEqual(answer)
  })

  test('are read from another program on Red Hat, whose records name the link', async () => {
    const records = { '/var/lib/alternatives/mta': 'auto\n/usr/sbin/sendmail\n' }
    const { call, lines } = await machine(records, {}, { os_family: 'RedHat' })
    expect(await call(alternatives, 'show_link', 'mta')).toBe('/usr/sbin/sendmail')
    await call(alternatives, 'install', 'mta', '/usr/sbin/sendmail', '/usr/sbin/postfix', 30)
    expect(lines).toEqual(['alternatives --install /usr/sbin/sendmail mta /usr/sbin/postfix 30'])
  })
})

describe('parameters of the kernel', () => {
  const files = { '/usr/bin/sysctl': program, '/proc/sys/net/ipv4/ip_forward': '0' }
  const answers = { 'sysctl -w net.ipv4.ip_forward=1': 'net.ipv4.ip_forward = 1', 'sysctl -n net.ipv4.ip_forward': '1' }

  test('are written once, and set', async () => {
    const { call, textAt, lines } = await machine(
      { ...files, '/etc/sysctl.conf': '# x\nnet.ipv4.ip_forward=0\n' },
      answers,
    )
    expect(await call(sysctl, 'persist', 'net.ipv4.ip_forward', 1)).toBe('Updated')
    expect(await textAt('/etc/sysctl.conf')).toBe('# x\nnet.ipv4.ip_forward = 1\n')
    expect(lines).toEqual(['sysctl -w net.ipv4.ip_forward=1'])
    expect(await call(sysctl, 'persist', 'net.ipv4.ip_forward', 1)).toBe('Already set')
    expect(await call(sysctl, 'show', '/etc/sysctl.conf')).toEqual({ 'net.ipv4.ip_forward': '1' })
  })

  test('that are unknown or refused are an error', async () => {
    const { call } = await machine(files, {
      'sysctl -w net.ipv4.ip_forward=9': { retcode: 255, stderr: 'Invalid argument' },
    })
    await expect(call(sysctl, 'assign', 'no.such', 1)).rejects.toThrow('sysctl no.such does not exist')
    await expect(call(sysctl, 'assign', 'net.ipv4.ip_forward', 9)).rejects.toThrow('sysctl -w failed: Invalid argument')
  })
})

test('modules of the kernel are listed with size and users', async () => {
  const shown = 'Module                  Size  Used by\nkvm_intel 290816 0\nkvm 860160 1 kvm_intel,x\n'
  const files = {
    '/usr/bin/lsmod': program,
    '/lib/modules/6.1/kernel/a/snd-pcm.ko.xz': '',
    '/etc/modules': '# c\nloop max=8\n',
  }
  const { call } = await machine(files, { lsmod: shown }, { kernelrelease: '6.1' })
  expect(await call(kmod, 'lsmod')).toEqual([
    { size: '290816', module: 'kvm_intel', depcount: '0', deps: [] },
    { size: '860160', module: 'kvm', depcount: '1', deps: ['kvm_intel', 'x'] },
  ])
  expect(await call(kmod, 'available')).toEqual(['snd_pcm'])
  expect(await call(kmod, 'mod_list', true)).toEqual(['loop'])
})

test('mail aliases are changed in their place, and comments stay', async () => {
  const { call, textAt } = await machine({ '/etc/aliases': '# mail\nroot: admin # me\npostmaster: root\n' })
  expect(await call(aliases, 'list_aliases')).toEqual({ root: 'admin', postmaster: 'root' })
  expect(await call(aliases, 'set_target', 'root', ['a', 'b'])).toBe(true)
  expect(await call(aliases, 'rm_alias', 'postmaster')).toBe(true)
  expect(await textAt('/etc/aliases')).toBe('# mail\nroot: a, b # me\n')
  expect(await call(aliases, 'has_target', 'root', ['a', 'b'])).toBe(true)
})

describe('locales', () => {
  const localectl = 'System Locale: LANG=en_US.UTF-8\n               LC_TIME=C\n    VC Keymap: n/a'
  const files = { '/run/systemd/system/': '', '/usr/bin/localectl': program }

  test('are read from localectl if systemd runs, and keep the other variables', async () => {
    const { call, lines } = await machine(files, { 'localectl status': localectl }, { os_family: 'Debian' })
    expect(await call(locale, 'get_locale')).toBe('en_US.UTF-8')
    await call(locale, 'set_locale', 'de_DE.UTF-8')
    expect(lines.at(-1)).toBe('localectl set-locale LANG=de_DE.UTF-8 LC_TIME=C')
  })

  test('are compared in the spelling of locale -a', async () => {
    const { call } = await machine({})
    expect(await call(locale, 'avail', 'en_us.UTF-8 UTF-8')).toBe(true)
    expect(await call(locale, 'avail', 'de_DE.UTF-8')).toBe(false)
  })
})

describe('the time zone', () => {
  test('is read off timedatectl', async () => {
    const shown =
      '               Local time: Sun\n                Time zone: Europe/Berlin (CET, +0100)\n          RTC in local TZ: no'
    const { call } = await machine({ '/usr/bin/timedatectl': program }, { timedatectl: shown })
    expect(await call(timezone, 'get_zone')).toBe('Europe/Berlin')
    expect(await call(timezone, 'get_hwclock')).toBe('UTC')
    expect(await call(timezone, 'zone_compare', 'Europe/Paris')).toBe(false)
  })

  test('is a link and a name in a file on Debian', async () => {
    const files = { '/usr/share/zoneinfo/Asia/Tokyo': 'TZ', '/etc/timezone': 'Etc/UTC\n', '/etc/localtime': 'old' }
    const { call, host, textAt } = await machine(files, {}, { os_family: 'Debian' })
    expect(await call(timezone, 'get_zone')).toBe('Etc/UTC')
    expect(await call(timezone, 'set_zone', 'Asia/Tokyo')).toBe(true)
    expect([await host.readLink('/etc/localtime'), await textAt('/etc/timezone')]).toEqual([
      '/usr/share/zoneinfo/Asia/Tokyo',
      'Asia/Tokyo\n',
    ])
    expect(await call(timezone, 'set_zone', 'No/Where')).toBe('Zone does not exist: /usr/share/zoneinfo/No/Where')
  })
})

describe('the rotation of logs', () => {
  const files = {
    '/etc/logrotate.conf': 'weekly\nrotate 4\ninclude /etc/logrotate.d\n',
    '/etc/logrotate.d/web':
      '/var/log/web.log\n{\n  rotate 7\n  create 0640 root adm\n  postrotate\n    reload web\n  endscript\n}\n',
  }

  test('is read with blocks, scripts and included files', async () => {
    const { call } = await machine(files)
    expect(await call(logrotate, 'show_conf')).toEqual({
      weekly: true,
      rotate: 4,
      include: '/etc/logrotate.d',
      'include files': { web: ['/var/log/web.log'] },
      '/var/log/web.log': { rotate: 7, create: '0640 root adm', postrotate: ['reload web'] },
    })
  })

  test('is changed in the file that has the block', async () => {
    const { call } = await machine(files)
    expect(await call(logrotate, 'set', 'rotate', 4)).toBe(true)
    expect(await call(logrotate, 'set', '/var/log/web.log', 'rotate', 9)).toMatchObject({
      path: '/etc/logrotate.d/web',
      repl: '/var/log/web.log {\n    rotate 9\n    create 0640 root adm\n    postrotate\n        reload web\n    endscript\n}',
    })
  })
})

test('jobs of at are listed with the tag in their script', async () => {
  const files = { '/usr/bin/at': program, '/usr/bin/atq': program }
  const { call } = await machine(files, {
    atq: '3\tMon Nov  2 09:05:00 2026 a root\n4\tTue Nov 17 23:00:00 2026 b www',
    'at -c 3': '#!/bin/sh\n### SALT: night\nls',
  })
  const third = { job: 3, date: '2026-11-02', time: '09:05:00', queue: 'a', user: 'root', tag: 'night' }
  expect(await call(at, 'atq', 'night')).toEqual({ jobs: [third] })
  expect(await call(at, 'atrm', 4)).toEqual({ jobs: { removed: ['4'], tag: null } })
})
