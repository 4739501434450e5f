// Functions and states in another root directory, made of programs of this machine.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { LocalHost, MemoryHost } from '../../src/host/mod.ts'
import { minionFunctions } from '../../src/minion/mod.ts'
import { makeRoot } from './small-root.ts'

/** A root directory of our own and its mounts need the rights of root, which not every container gives. */
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0

describe.skipIf(!canMount)('A root directory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-chroot-'))
  const root = join(folder, 'root')
  const opts = fromPlain({
    id: 'web1',
    cachedir: join(folder, 'cache'),
    sock_dir: join(folder, 'sock'),
    file_roots: { base: [join(folder, 'srv')] },
  }) as Dict
  const pillar = fromPlain({ greeting: 'ahoy' }) as Dict
  const functions = minionFunctions({ opts, grains: new Map(), pillar, host: new LocalHost(), log: silentLog })
  const call = async (fun: string, args: Value[], kwargs: Record<string, Plain> = {}): Promise<Plain> =>
    toPlain(await functions.call(fun, args, fromPlain(kwargs) as Map<string, Value>))
  const outcomes = async (fun: string, args: Value[], kwargs: Record<string, Plain> = {}): Promise<Plain[]> =>
    Object.values((await call(fun, args, kwargs)) as Record<string, { result: Plain }>).map(({ result }) => result)

  beforeAll(() => {
    makeRoot(root)
    mkdirSync(join(folder, 'srv'))
    writeFileSync(
      join(folder, 'srv/app.sls'),
      "/etc/app.conf:\n  file.managed:\n    - contents: {{ pillar['greeting'] }} on {{ grains['os'] }}\n    - mode: '0640'\n",
    )
    writeFileSync(join(folder, 'srv/top.sls'), "base:\n  'os:Toolbox':\n    - match: grain\n    - app\n")
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('is made, and functions and states run in it', async () => {
    await expect(call('chroot.call', [root, 'test.ping'])).rejects.toThrow('Chroot environment not found')
    expect(await call('chroot.exist', [root])).toBe(false)
    expect(await call('chroot.create', [root])).toBe(true)
    expect(await call('chroot.exist', [root])).toBe(true)
    expect(await call('chroot.call', [root, 'cmd.run', 'ls /'])).toBe('bin\ndev\netc\nlib\nlib64\nproc\nsys\ntmp')
    expect(await outcomes('chroot.sls', [root, 'app'], { test: true })).toEqual([null])
    expect(existsSync(join(root, 'etc/app.conf'))).toBe(false)
    expect(await outcomes('chroot.sls', [root, 'app'], { pillar: { greeting: 'hello' } })).toEqual([true])
    expect(readFileSync(join(root, 'etc/app.conf'), 'utf8')).toBe('hello on Toolbox\n')
    expect(statSync(join(root, 'etc/app.conf')).mode & 0o777).toBe(0o640)
    expect(await outcomes('chroot.apply', [root])).toEqual([true])
    expect(readFileSync(join(root, 'etc/app.conf'), 'utf8')).toBe('ahoy on Toolbox\n')
    expect(await outcomes('chroot.highstate', [root])).toEqual([true])
    expect(await call('chroot.in_chroot', [])).toBeTypeOf('boolean')
  })

  test('whose folders are links to folders of this machine is refused, so that nothing is mounted there', async () => {
    const [bad, victim] = [join(folder, 'bad'), join(folder, 'victim')]
    for (const path of [bad, join(bad, 'dev'), join(bad, 'sys'), victim]) mkdirSync(path)
    symlinkSync(victim, join(bad, 'proc'))
    expect(await call('chroot.exist', [bad])).toBe(false)
    await expect(call('chroot.call', [bad, 'test.ping'])).rejects.toThrow('Chroot environment not found')
  })

  test('takes no template that would run on this machine', async () => {
    const refused = /is refused for a text of the target/
    const text = 'echo {{ grains.id }}'
    await expect(call('chroot.call', [root, 'cmd.run', text], { template: 'jinja' })).rejects.toThrow(refused)
    const python = { template: 'py', contents: 'def run(): return 1' }
    await expect(call('chroot.call', [root, 'file.apply_template_on_contents'], python)).rejects.toThrow()
    const single = { fun: 'file.managed', name: '/tmp/x', contents: text, template: 'jinja' }
    expect(JSON.stringify(await call('chroot.call', [root, 'state.single'], single))).toMatch(refused)
  })

  test('is left without mounts and files', () => {
    expect(execFileSync('cat', ['/proc/self/mounts'], { encoding: 'utf8' })).not.toContain(root)
    expect(readdirSync(join(root, 'tmp'))).toEqual([])
  })
})

test('cmd.run_chroot mounts nothing through a link of the root directory', async () => {
  const mounted: string[] = []
  const host = await MemoryHost.with({
    files: {
      '/bin/sh': { text: '', mode: 0o755 },
      '/r/dev/': '',
      '/r/sys/': '',
      '/r/proc': { link: '/victim' },
      '/victim/': '',
      '/proc/': '',
    },
    commands: [
      ({ argv }) => {
        if (/mount$/.test(argv[0]!)) mounted.push(`${argv[0]} ${argv.at(-1)}`)
        return {}
      },
    ],
  })
  const opts = fromPlain({ cachedir: '/cache', file_roots: { base: [] } }) as Dict
  const functions = minionFunctions({ opts, grains: new Map(), pillar: new Map(), host, log: silentLog })
  await functions.call('cmd.run_chroot', ['/r', 'true'])
  expect(mounted).toEqual(['mount /r/dev', 'mount /r/sys', 'umount /r/sys', 'umount /r/dev'])
})
