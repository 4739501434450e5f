// Folders of pillar files in commits of attackers.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mirrorOf, plainRemote } from '../git/mod.ts'
import { GitFolder } from './pillar-folder.ts'

test('folders that contain each other many times are refused, also when they have no files', async () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-pillar-folder-'))
  const person = { NAME: 'a', EMAIL: 'a@b' }
  const env = { ...process.env }
  for (const [key, value] of Object.entries(person)) env[`GIT_AUTHOR_${key}`] = env[`GIT_COMMITTER_${key}`] = value
  const git = (words: string[], input = ''): string => {
    const { stdout, stderr, status } = spawnSync('git', words, { cwd: root, input, env })
    if (status !== 0) throw new Error(String(stderr))
    return String(stdout).trim()
  }
  try {
    git(['init', '-q', '--bare'])
    let tree = git(['mktree'])
    const names = Array.from({ length: 10 }, (_, at) => `d${at}`)
    for (let level = 0; level < 12; level++)
      tree = git(['mktree'], names.map((name) => `040000 tree ${tree}\t${name}\n`).join(''))
    git(['update-ref', 'refs/heads/master', git(['commit-tree', '-m', 'x', tree])])
    const mirror = mirrorOf(join(root, 'cache'), plainRemote(`file://${root}`))
    await mirror.update()
    const folder = new GitFolder(mirror, tree, { shown: 'repo@master', root: '', mountpoint: '' })
    const listed = (async () => {
      for await (const path of folder.paths(() => false)) throw new Error(`found ${path}`)
    })()
    await expect(listed).rejects.toThrow(/repo@master has more than 200000 files and folders/)
  } finally {
    rmSync(root, { recursive: true })
  }
})
