import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GitMirror, mirrorOf, plainRemote, removeForgottenMirrors } from './mod.ts'

let root = ''
let work = ''
let bare = ''
let cache = ''

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-mirror-'))
  cache = join(root, 'cache')
})
afterAll(() => rmSync(root, { recursive: true }))

const git = (...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...words], { cwd: work, encoding: 'utf8' }).trim()

function commit(files: Record<string, string>, message = 'c'): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(work, path, '..'), { recursive: true })
    writeFileSync(join(work, path), text)
  }
  git('add', '-A')
  git('commit', '-q', '--allow-empty', '-m', message)
  return git('rev-parse', 'HEAD')
}

function newRepository(name: string): string {
  bare = join(root, `${name}.git`)
  work = join(root, name)
  execFileSync('git', ['init', '-q', '--bare', '-b', 'master', bare])
  execFileSync('git', ['init', '-q', '-b', 'master', work])
  git('remote', 'add', 'origin', bare)
  return `file://${bare}`
}

const push = (): string =>
  git('push', '-q', '--force', '--prune', 'origin', '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*')

async function contentOf(mirror: GitMirror, branch: string, path: string): Promise<string | undefined> {
  const tree = (await mirror.refs())!.branch(branch)!.tree
  const found = await mirror.trees.resolve(tree, path)
  return found && (await mirror.objects.read(found.entry.id))?.content.toString()
}

describe('a mirror', () => {
  test('has branches, peeled tags and abbreviated commits, and tells whether something changed', async () => {
    const url = newRepository('one')
    const first = commit({ 'a/b.txt': 'one\n' })
    git('tag', '-a', 'v1', '-m', 'v1')
    git('tag', '-a', 'again', 'v1', '-m', 'a tag of a tag')
    push()
    const mirror = mirrorOf(cache, plainRemote(url))
    expect(await mirror.refs()).toBe(undefined)
    expect(await mirror.update()).toBe(true)
    expect(await mirror.update()).toBe(false)
    const refs = (await mirror.refs())!
    expect([...refs.branches.keys(), ...refs.tags.keys()]).toEqual(['master', 'v1', 'again'])
    expect(refs.tag('v1')).toEqual(refs.branch('master'))
    expect(refs.tag('again')).toEqual(refs.branch('master'))
    expect(await mirror.commit(first.slice(0, 7))).toEqual(refs.branch('master'))
    expect(await mirror.commit('0123456')).toBe(undefined)
    expect(await contentOf(mirror, 'master', 'a/b.txt')).toBe('one\n')
    expect(statSync(mirror.folder).mode & 0o777).toBe(0o700)
  })

  test('follows moved tags, rewritten and deleted branches, and a branch that becomes a folder of branches', async () => {
    const url = newRepository('two')
    commit({ f: 'one\n' })
    git('tag', 'v1')
    git('branch', 'team')
    git('branch', 'gone')
    push()
    const mirror = mirrorOf(cache, plainRemote(url))
    await mirror.update()
    git('branch', '-D', 'team')
    git('branch', '-D', 'gone')
    git('branch', 'team/one')
    git('checkout', '-q', '--orphan', 'new')
    const second = commit({ f: 'two\n' })
    git('branch', '-f', 'master', 'new')
    git('tag', '-f', 'v1', 'new')
    push()
    expect(await mirror.update()).toBe(true)
    const refs = (await mirror.refs())!
    expect([...refs.branches.keys()]).toEqual(['master', 'new', 'team/one'])
    expect(refs.tag('v1')?.commit).toBe(second)
    expect(await contentOf(mirror, 'master', 'f')).toBe('two\n')
  })

  test('keeps its state when the repository is gone, reports it, and recovers', async () => {
    const url = newRepository('three')
    commit({ f: 'one\n' })
    push()
    const mirror = mirrorOf(cache, plainRemote(url))
    await mirror.update()
    execFileSync('mv', [bare, `${bare}.away`])
    await expect(mirror.update()).rejects.toMatchObject({ code: 'Unreachable' })
    expect(mirror.status().error).toMatchObject({ code: 'Unreachable' })
    expect(await contentOf(mirror, 'master', 'f')).toBe('one\n')
    execFileSync('mv', [`${bare}.away`, bare])
    await mirror.update()
    expect(mirror.status().error).toBe(null)
  })

  test('queries the repository again only when it is due', async () => {
    const url = newRepository('four')
    commit({ f: 'one\n' })
    push()
    const mirror = mirrorOf(cache, plainRemote(url))
    await mirror.update()
    commit({ f: 'two\n' })
    push()
    expect(await mirror.update({ maxAge: 60 })).toBe(false)
    expect(await Promise.all([mirror.update(), mirror.update()])).toEqual([true, true])
  })

  test('works after lock files of git were left behind, and after its objects were damaged', async () => {
    const url = newRepository('five')
    commit({ f: 'one\n' })
    push()
    const mirror = mirrorOf(cache, plainRemote(url))
    await mirror.update()
    for (const name of ['packed-refs.lock', 'refs/remotes/origin/master.lock'])
      writeFileSync(join(mirror.folder, name), '')
    commit({ f: 'two\n' })
    push()
    await mirror.update()
    expect(await contentOf(mirror, 'master', 'f')).toBe('two\n')
    rmSync(join(mirror.folder, 'objects'), { recursive: true })
    commit({ f: 'three\n' })
    push()
    await mirror.update()
    expect(await contentOf(mirror, 'master', 'f')).toBe('three\n')
  })

  test('works after its process and its git were killed in the middle of a fetch', async () => {
    const url = newRepository('six')
    commit({ f: 'one\n' })
    push()
    const mirror = mirrorOf(cache, plainRemote(url))
    await mirror.update()
    commit({ f: 'two\n', big: 'x'.repeat(100_000) })
    push()
    // a server that stops in the middle of a pack
    const [home, hook] = [join(root, 'home'), join(root, 'hook')]
    mkdirSync(home)
    writeFileSync(join(home, '.gitconfig'), `[uploadpack]\n\tpackObjectsHook = ${hook}\n`)
    writeFileSync(hook, `#!/bin/sh\n"$@" | head -c 1000\ntouch ${root}/fetching\nexec sleep 60\n`, { mode: 0o755 })
    const face = join(import.meta.dirname, 'mod.ts')
    const code = `import('${face}').then(({ mirrorOf, plainRemote }) => mirrorOf('${cache}', plainRemote('${url}')).update())`
    const child = spawn(process.execPath, ['--import', 'tsx', '-e', code], {
      env: { ...process.env, HOME: home },
      detached: true,
      stdio: 'ignore',
    })
    await expect.poll(() => statSync(join(root, 'fetching'), { throwIfNoEntry: false }) !== undefined).toBe(true)
    const inside = execFileSync('pgrep', ['-f', mirror.folder], { encoding: 'utf8' }).trim().split('\n').map(Number)
    for (const pid of [child.pid!, ...inside]) process.kill(pid, 'SIGKILL')
    expect(await contentOf(mirror, 'master', 'f')).toBe('one\n')
    expect(await mirror.update()).toBe(true)
    expect(await contentOf(mirror, 'master', 'f')).toBe('two\n')
  })

  test('answers questions while a large object is on its way', async () => {
    const url = newRepository('seven')
    commit({ large: 'x'.repeat(32 << 20), small: 'little\n' })
    push()
    const mirror = mirrorOf(cache, plainRemote(url))
    await mirror.update()
    const { tree } = (await mirror.refs())!.branch('master')!
    const idOf = async (path: string): Promise<string> => (await mirror.trees.at(tree, path))!.id
    const [large, small] = [await idOf('large'), await idOf('small')]
    // the program that sends the large object is stopped in the middle of it
    let sender = 0
    let started: () => void = () => {}
    const isSending = new Promise<void>((resolve) => (started = resolve))
    const copied = mirror.objects.copy(large, () => {
      if (sender !== 0) return
      sender = Number(execFileSync('pgrep', ['-f', `${mirror.folder} cat-file --batch$`], { encoding: 'utf8' }))
      process.kill(sender, 'SIGSTOP')
      started()
    })
    await isSending
    const answers = await Promise.all([mirror.objects.read(small), contentOf(mirror, 'master', 'small')])
    process.kill(sender, 'SIGCONT')
    expect([answers[0]?.content.toString(), answers[1], await copied]).toEqual(['little\n', 'little\n', 32 << 20])
  })

  test('is removed after a month without use', () => {
    const [old, used, fresh] = ['0123', '4567', '89ab'].map((name) => join(cache, 'git', name))
    for (const folder of [old!, used!, fresh!]) mkdirSync(folder, { recursive: true })
    for (const folder of [old!, used!]) utimesSync(folder, 1, 1)
    writeFileSync(join(used!, 'brine-status.json'), '{}')
    removeForgottenMirrors(cache)
    expect([old, used, fresh].map((folder) => existsSync(folder!))).toEqual([false, true, true])
  })

  test('shows no password in the configuration of the mirror, in errors and in its status', async () => {
    const secret = 'hunter2hunter2'
    const mirror = mirrorOf(cache, plainRemote(`http://user:${secret}@127.0.0.1:1/x.git`))
    const error = await mirror.update().catch((thrown: Error) => thrown)
    expect(String(error)).not.toContain(secret)
    expect(readFileSync(join(mirror.folder, 'config'), 'utf8')).not.toContain(secret)
    expect(JSON.stringify(mirror.status())).not.toContain(secret)
  })

  test.each([
    '--upload-pack=touch x',
    'ext::sh -c touch x',
    'ssh://-oProxyCommand=x/y',
    '-x@host:y',
    'nope://x',
    'a\nb',
  ])('refuses the address %j', async (url) => {
    await expect(mirrorOf(cache, plainRemote(url)).update()).rejects.toMatchObject({ code: 'AddressRefused' })
  })
})
