// Pillar from Git: which files of which commits are used, that nothing outside a repository can be read, and the
// messages for failures.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Log } from '../../base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import { compilePillar } from '../compile.ts'
import { updateGitPillars, type WantedRemotes } from './git-remotes.ts'

const root = mkdtempSync(join(tmpdir(), 'brine-git-pillar-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let dir = ''
let logged: string[] = []
const log: Log = (level, text) => void logged.push(`[${level}] ${text}`)
beforeEach(() => {
  dir = mkdtempSync(join(root, 'case-'))
  logged = []
})

const optionsWith = (remotes: Plain, more: Record<string, Plain>): Dict =>
  fromPlain({
    id: 'web1',
    cachedir: join(dir, 'cache'),
    pillar_roots: {},
    ext_pillar: [{ git: remotes }],
    ...more,
  }) as Dict

async function compile(remotes: Plain, more: Record<string, Plain> = {}): Promise<Plain> {
  const input = { opts: optionsWith(remotes, more), grains: fromPlain({ os: 'Debian' }) as Dict, minionId: 'web1' }
  return toPlain((await compilePillar({ ...input, host: new LocalHost(), log })).pillar) as Plain
}

const update = async (remotes: Plain, wanted: Partial<WantedRemotes> = {}): Promise<Plain> =>
  toPlain(
    await updateGitPillars({ opts: optionsWith(remotes, {}), log }, { branch: null, repo: null, ...wanted }),
  ) as Plain

const git = (...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
    cwd: join(dir, 'repo'),
    encoding: 'utf8',
  })

/** Commit files to a branch of the repository; a text that begins with `-> ` is a link. */
function commit(files: Record<string, string>, branch = 'master'): void {
  const repo = join(dir, 'repo')
  if (!existsSync(repo)) execFileSync('git', ['init', '--quiet', '-b', 'master', repo])
  git('checkout', '--quiet', '-B', branch)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true })
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(repo, path))
    else writeFileSync(join(repo, path), text)
  }
  git('add', '--all')
  git('commit', '--quiet', '--message', 'change')
}

const url = (): string => `file://${dir}/repo`
const master = (): string => `master ${url()}`
const LOGIN = [{ user: 'me' }, { password: 'p@ss' }, { insecure_auth: true }]
const TOP = "base: {'*': [a]}"

describe('pillar from a Git repository', () => {
  test('comes from the SLS files of a branch, without a checkout', async () => {
    commit({
      'top.sls': TOP,
      'a.sls': 'os: {{ grains.os }}\ninclude: [b]',
      'b/init.sls': "{% import_yaml 'm.yaml' as m %}b: {{ m.x }}",
      'm.yaml': 'x: 1',
    })
    expect(await compile([master()])).toEqual({ b: 1, os: 'Debian' })
    const files = readdirSync(join(dir, 'cache'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((path) => path.endsWith('.sls'))).toEqual([])
  })

  test('lies below the root of the remote, and is the last that was fetched', async () => {
    commit({ 'sub/top.sls': TOP, 'sub/a.sls': 'a: 1' })
    const remotes = [{ [master()]: [{ root: '/sub/' }] }]
    expect(await compile(remotes)).toEqual({ a: 1 })
    commit({ 'sub/a.sls': 'a: 2' })
    expect(await compile(remotes)).toEqual({ a: 1 })
    expect(await update(remotes)).toEqual({ [master()]: true })
    expect(await compile(remotes)).toEqual({ a: 2 })
    renameSync(join(dir, 'repo'), join(dir, 'away'))
    expect(await update(remotes)).toEqual({ [master()]: false })
    expect(await compile(remotes)).toEqual({ a: 2 })
  })

  test('of the environment that is asked for comes from the branch of that name', async () => {
    commit({ 'top.sls': TOP, 'a.sls': 'a: 1' })
    commit({ 'top.sls': "dev: {'*': [a]}", 'a.sls': 'a: dev' }, 'dev')
    const remotes = [`__env__ ${url()}`]
    const all = await Promise.all([compile(remotes), compile(remotes, { pillarenv: 'dev' }), compile(remotes)])
    expect(all).toEqual([{ a: 1 }, { a: 'dev' }, { a: 1 }])
    expect(await compile(remotes, { pillarenv: 'none' })).toEqual({})
    expect(logged.join('\n')).toContain('[error] Failed to checkout none from git_pillar remote')
  })

  test('has the other remotes of its environment to include, at their mountpoints', async () => {
    commit({ 'top.sls': TOP, 'a.sls': 'include: [shared.b, c]', 'c.sls': 'c: own' })
    commit({ 'b.sls': 'b: {{ tpldir }}', 'c.sls': 'c: other' }, 'other')
    const remotes = [master(), { [`other ${url()}`]: [{ mountpoint: 'salt://shared/' }, { env: 'base' }] }]
    expect(await compile(remotes)).toEqual({ b: 'shared', c: 'own' })
    expect(await compile(remotes, { git_pillar_includes: false })).toMatchObject({
      _errors: [expect.stringContaining("SLS 'shared.b' in environment 'base' is not available")],
    })
  })

  test('never comes from outside the repository, whatever links say', async () => {
    writeFileSync(join(dir, 'secret.sls'), 'secret: 1')
    commit({
      'top.sls': "base: {'*': [a, up, abs, loop, through.secret, in]}",
      'a.sls': 'a: 1',
      'up.sls': '-> ../secret.sls',
      'abs.sls': `-> ${dir}/secret.sls`,
      'loop.sls': '-> loop.sls',
      through: '-> ..',
      'in.sls': '-> ./a.sls',
      'folder/x.sls': 'x: 1',
      'folder/again': '-> ../folder',
    })
    commit({ 'top.sls': "base: {'*': ['*']}" }, 'globs')
    const pillar = (await compile([master()])) as { _errors: string[] }
    expect(pillar).toEqual({ a: 1, _errors: pillar._errors })
    expect(pillar._errors.map((text) => /'(\w[\w.]*)'/.exec(text)?.[1])).toEqual([
      'up',
      'abs',
      'loop',
      'through.secret',
    ])
    // a glob lists each folder once, though a link leads back into it
    const globs = (await compile([{ [`globs ${url()}`]: [{ env: 'base' }] }])) as Record<string, Plain>
    expect(globs).toMatchObject({ a: 1, x: 1 })
    expect(globs).not.toHaveProperty('secret')
  })

  test('that is wrong says where, without a login', async () => {
    commit({ 'top.sls': TOP, 'a.sls': 'a: 1\nb: {{ nope() }}\n' })
    await compile([master()])
    expect(logged.join('\n')).toContain(`at ${url()}@master/a.sls, line 2`)
  })

  test.each([
    ['nope', 'a branch that does not exist'],
    ['-x', 'a branch that looks like an option'],
    ['../../etc', 'a branch that leads away'],
  ])('of %s is an error of the pillar', async (branch) => {
    commit({ 'top.sls': TOP, 'a.sls': 'a: 1' })
    const problem = `Failed to checkout ${branch} from git_pillar remote '${branch} ${url()}': remote ref does not exist`
    expect(await compile([`${branch} ${url()}`, master()])).toEqual({
      a: 1,
      _errors: [`Failed to load ext_pillar git: ${problem}`],
    })
  })

  test.each([
    ['options', (port: number) => ({ [`master http://127.0.0.1:${port}/`]: LOGIN })],
    ['the URL', (port: number) => `master http://me:p%40ss@127.0.0.1:${port}/`],
  ])('is had with a login from %s that is in no words of a command', async (_, remoteAt) => {
    commit({ 'top.sls': TOP, 'a.sls': 'a: 1' })
    git('update-server-info')
    const server = createServer((request, response) => {
      const file = join(dir, 'repo/.git', request.url!.replace(/\?.*/, ''))
      if (request.headers.authorization !== `Basic ${Buffer.from('me:p@ss').toString('base64')}`)
        response.writeHead(401, { 'www-authenticate': 'Basic' }).end()
      else if (existsSync(file)) response.end(readFileSync(file))
      else response.writeHead(404).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const [path, words] = [process.env['PATH'], join(dir, 'words')]
    writeFileSync(join(dir, 'git'), `#!/bin/sh\nprintf '%s\\n' "$@" >> ${words}\nPATH=${path} exec git "$@"\n`, {
      mode: 0o755,
    })
    process.env['PATH'] = `${dir}:${path}`
    try {
      expect(await compile([remoteAt((server.address() as AddressInfo).port)])).toEqual({ a: 1 })
      expect(readFileSync(words, 'utf8').split('\n')).toContain('fetch')
      expect(readFileSync(words, 'utf8')).not.toMatch(/p(@|%40)ss/)
    } finally {
      process.env['PATH'] = path
      server.close()
    }
  })

  test('of an unreachable remote is an error of the pillar, without the password', async () => {
    const remote = 'master http://me:hunter2hunter2@127.0.0.1:1/x.git'
    const pillar = JSON.stringify(await compile([remote]))
    expect(pillar).toContain("remote 'master http://127.0.0.1:1/x.git'")
    expect(pillar + logged.join('\n')).not.toContain('hunter2')
  })

  test('is refused whole when the options of a remote are wrong', async () => {
    expect(await compile([{ [master()]: [{ bse: 'x' }] }])).toEqual({
      _errors: ['Failed to load ext_pillar git: Failed to load git_pillar'],
    })
    expect(logged[0]).toContain("Invalid git_pillar configuration parameter 'bse'")
  })
})

describe('news of Git repositories', () => {
  test('are reported for each remote, although remotes share a copy', async () => {
    commit({ 'a.sls': 'a: 1' })
    const [first, second, none] = [master(), `dev ${url()}`, `x file://${dir}/none`]
    const remotes = [first, { [second]: [{ name: 'second' }] }, none]
    expect(await update(remotes)).toEqual({ [first]: true, [second]: true, [none]: false })
    expect(await update(remotes)).toEqual({ [first]: null, [second]: null, [none]: false })
    commit({ 'a.sls': 'a: 2' })
    expect(await update(remotes, { repo: 'second' })).toEqual({ [second]: true })
    expect(await update(remotes, { branch: 'master' })).toEqual({ [first]: true })
    expect(await update(remotes, { repo: 'other' })).toEqual({})
    expect(readdirSync(join(dir, 'cache/git')).filter((name) => !name.includes('.'))).toHaveLength(2)
  })
})
