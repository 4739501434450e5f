// A run over SSH whose plan is wrong: what the last run read is kept, and the target changed since. The run must end as a run without any
// plan does.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { noSshd, startSshd, type TestSshd } from './sshd.ts'

if (noSshd) console.log(`Plans of reads are not tested: ${noSshd}`)

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'salt-ssh.js')

interface StateAnswer {
  __id__: string
  result: boolean | null
  changes: object
  comment: string
}

describe.skipIf(noSshd !== undefined)('a plan that fits the target no more', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-ssh-plan-'))
  const target = join(root, 'target')
  const at = (name: string): string => join(target, name)
  const cache = join(root, 'var', 'cache', 'salt', 'master', 'ssh')
  let sshd: TestSshd

  beforeAll(async () => {
    for (const name of ['tree', 'etc']) mkdirSync(join(root, name))
    sshd = await startSshd()
    const states = {
      conf: { 'file.managed': [{ name: at('conf') }, { contents: 'wanted' }, { mode: '0644' }] },
      dir: { 'file.directory': [{ name: at('dir') }] },
      inside: { 'file.managed': [{ name: at('dir/inside') }, { contents: 'wanted' }] },
      link: { 'file.symlink': [{ name: at('link') }, { target: at('conf') }] },
      made: { 'cmd.run': [{ name: `echo made >> ${at('made')}` }, { unless: `test -f ${at('made')}` }] },
      log: { 'file.append': [{ name: at('log') }, { text: 'a line' }] },
      gone: { 'file.absent': [{ name: at('gone') }] },
    }
    writeFileSync(join(root, 'tree', 'tree.sls'), JSON.stringify(states))
    const { port, identity, knownHosts } = sshd
    const user = userInfo().username
    const options = {
      root_dir: root,
      cachedir: '/var/cache/salt/master',
      file_roots: { base: [join(root, 'tree')] },
      user,
    }
    writeFileSync(join(root, 'etc', 'master'), JSON.stringify(options))
    const entry = { host: '127.0.0.1', port, user, priv: identity, ssh_options: [`UserKnownHostsFile=${knownHosts}`] }
    writeFileSync(join(root, 'etc', 'roster'), JSON.stringify({ web: entry }))
  })
  beforeEach(() => {
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target)
  })
  afterAll(async () => {
    await sshd?.stop()
    rmSync(root, { recursive: true, force: true })
  })

  /** Return the results of the states, by id. */
  function apply(): Record<string, Pick<StateAnswer, 'result' | 'changes' | 'comment'>> {
    const words = ['-c', join(root, 'etc'), '--out=json', '--static', 'web', 'state.apply', 'tree']
    const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], { encoding: 'utf8' })
    const answer = stdout === '' ? undefined : JSON.parse(stdout).web
    if (typeof answer !== 'object') throw new Error(`${JSON.stringify(answer)} ${stderr}`)
    const states = Object.entries(answer as Record<string, StateAnswer>).filter(([tag]) => tag.includes('_|-'))
    return Object.fromEntries(
      states.map(([, { __id__, result, changes, comment }]) => {
        // a command reports its process
        const { pid: _, ...told } = changes as { pid?: number }
        return [__id__, { result, changes: told, comment }]
      }),
    )
  }
  const forget = (): void => {
    for (const folder of ['.reads', 'minions/web/reads']) {
      expect(existsSync(join(cache, folder))).toBe(true)
      rmSync(join(cache, folder), { recursive: true })
    }
  }
  const replace = (name: string, put: (path: string) => void): void => {
    rmSync(at(name), { recursive: true, force: true })
    put(at(name))
  }

  test.each<[string, () => void]>([
    [
      'files became links',
      () => {
        writeFileSync(at('elsewhere'), 'other')
        replace('conf', (path) => symlinkSync(at('elsewhere'), path))
        replace('log', (path) => symlinkSync(at('elsewhere'), path))
        replace('made', (path) => symlinkSync('nowhere', path))
      },
    ],
    [
      'a directory became a link, and what was absent is there',
      () => {
        mkdirSync(at('other'))
        replace('dir', (path) => symlinkSync(at('other'), path))
        replace('gone', (path) => mkdirSync(join(path, 'below'), { recursive: true }))
      },
    ],
    [
      'kinds changed',
      () => {
        replace('conf', (path) => mkdirSync(path))
        replace('dir', (path) => writeFileSync(path, 'no directory'))
        replace('link', (path) => writeFileSync(path, 'no link'))
        replace('gone', (path) => symlinkSync('nowhere', path))
      },
    ],
    ['all of it went', () => replace('', (path) => mkdirSync(path))],
  ])('ends as without a plan: %s', (_, change) => {
    apply()
    const known = apply()
    expect(Object.values(known).map(({ result, changes }) => [result, changes])).toEqual(
      Object.keys(known).map(() => [true, {}]),
    )
    change()
    const planned = apply()
    const left = ['conf', 'elsewhere', 'other/inside', 'log'].map(contentAt)
    rmSync(target, { recursive: true })
    mkdirSync(target)
    apply()
    change()
    forget()
    expect(planned).toEqual(apply())
    expect(['conf', 'elsewhere', 'other/inside', 'log'].map(contentAt)).toEqual(left)
  })

  function contentAt(name: string): string | undefined {
    try {
      return readFileSync(at(name), 'utf8')
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    }
  }
})
