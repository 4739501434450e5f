// States of targets whose SLS files and sources come from several backends of the file server.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saltSsh } from '../../src/cli/ssh/main.ts'
import { type SshRoster, startRoster } from './ssh-site.ts'
import { noSshd } from './sshd.ts'

describe.skipIf(noSshd !== undefined)('salt-ssh with a file server of several backends', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-ssh-gitfs-'))
  const target = join(root, 'target')
  const cache = join(root, 'var', 'cache', 'salt', 'master')
  let roster: SshRoster

  const git = (cwd: string, ...words: string[]): void => {
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', ...words], { cwd })
  }
  const commit = (files: Record<string, string>): void => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'work', name), text)
    git(join(root, 'work'), 'add', '-A')
    git(join(root, 'work'), 'commit', '-q', '-m', 'c')
  }

  beforeAll(async () => {
    for (const name of ['work', 'tree', 'etc', 'target']) mkdirSync(join(root, name))
    git(join(root, 'work'), 'init', '-q', '-b', 'master')
    commit({ 'app.sls': states(), 'app.conf': 'from {{ grains.id }}\n' })
    writeFileSync(join(root, 'tree', 'here.conf'), 'from roots\n')
    const pushed = join(cache, 'minions', 'db', 'files')
    mkdirSync(pushed, { recursive: true })
    writeFileSync(join(pushed, 'sent.conf'), 'from a minion\n')
    roster = await startRoster(['one', 'two'])
    const options = {
      ...roster.options,
      root_dir: root,
      fileserver_backend: ['roots', 'gitfs', 'minionfs'],
      file_recv: true,
      file_roots: { base: [join(root, 'tree')] },
      gitfs_remotes: [`file://${join(root, 'work')}`],
      gitfs_update_interval: 0,
    }
    writeFileSync(join(root, 'etc', 'master'), JSON.stringify(options))
  })
  afterAll(async () => {
    await roster?.sshd.stop()
    rmSync(root, { recursive: true, force: true })
  })

  /** Files of each target whose sources are in Git, below the roots, and among those that a minion pushed. */
  function states(): string {
    const file = (name: string, source = name): string =>
      `${target}/{{ grains.id }}-${name}:\n  file.managed:\n    - source: salt://${source}.conf\n    - template: jinja\n`
    return file('app') + file('here') + file('sent', 'db/sent')
  }

  async function apply(): Promise<{ status: number; text: string }> {
    const pieces: string[] = []
    const hear = (text: string): void => void pieces.push(text)
    const words = ['-c', join(root, 'etc'), '*', 'state.apply', 'app']
    const status = await saltSsh(words, { out: hear, err: hear, terminal: false })
    return { status, text: pieces.join('') }
  }

  test('serves targets the files of Git, of roots and of minions, all from the cache of the master', async () => {
    const { status, text } = await apply()
    expect(status, text).toBe(0)
    for (const id of ['one', 'two']) {
      expect(readFileSync(join(target, `${id}-app`), 'utf8')).toBe(`from ${id}\n`)
      expect(readFileSync(join(target, `${id}-here`), 'utf8')).toBe('from roots\n')
      expect(readFileSync(join(target, `${id}-sent`), 'utf8')).toBe('from a minion\n')
    }
    expect(existsSync(join(cache, 'gitfs'))).toBe(true)
    expect(['one', 'two'].map((id) => existsSync(join(cache, 'ssh', id, 'gitfs')))).toEqual([false, false])
  })
})
