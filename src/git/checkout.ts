// The files of a commit in a directory, for readers of files instead of objects. They are written to a temporary
// directory and moved into place as a whole, so that no reader sees a part of them.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path/posix'
import type { Log } from '../base/mod.ts'
import type { GitMirror } from './mirror.ts'
import type { TreeEntry } from './trees.ts'

/** Bring a directory to the content of a tree; `mark` is the file that remembers which tree it has. */
export async function checkOut(
  mirror: GitMirror,
  tree: string,
  { target, mark, log }: { target: string; mark: string; log: Log },
): Promise<void> {
  if (existsSync(target) && existsSync(mark) && readFileSync(mark, 'utf8') === tree) return
  const ending = randomBytes(6).toString('hex')
  const [made, old] = [`${target}.${ending}.new`, `${target}.${ending}.old`]
  try {
    await fill(mirror, tree, made, log)
    rmSync(mark, { force: true })
    if (existsSync(target)) renameSync(target, old)
    renameSync(made, target)
  } finally {
    for (const path of [made, old]) rmSync(path, { recursive: true, force: true })
  }
  mkdirSync(dirname(mark), { recursive: true })
  writeFileSync(mark, tree)
}

/** Git refuses these names too: the settings of a repository in the directory could make git run programs there. */
const INNER_REPOSITORY = /(^|\/)\.git(\/|$)/i

async function fill(mirror: GitMirror, tree: string, folder: string, log: Log): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const found: Array<[path: string, entry: TreeEntry]> = []
  await mirror.trees.walk(tree, (path, entry) => void found.push([path, entry]))
  for (const [path, { kind, id }] of found) {
    if (INNER_REPOSITORY.test(path)) continue
    const file = join(folder, path)
    if (kind === 'folder') mkdirSync(file, { recursive: true })
    else if (kind === 'link') await link(mirror, tree, path, { id, file, log })
    else if (kind !== 'submodule') await copy(mirror, id, file, kind === 'program' ? 0o755 : 0o644)
  }
}

/** The directory is filled by names of the tree alone, and nothing in it is followed: a link cannot lead a write elsewhere. */
async function copy(mirror: GitMirror, id: string, file: string, mode: number): Promise<void> {
  const descriptor = openSync(file, 'wx', mode)
  try {
    await mirror.objects.copy(id, (piece) => {
      for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at)
    })
  } finally {
    closeSync(descriptor)
  }
}

/** Make a link that stays in the tree; others are left out. */
async function link(
  mirror: GitMirror,
  tree: string,
  path: string,
  { id, file, log }: { id: string; file: string; log: Log },
): Promise<void> {
  if ((await mirror.trees.resolve(tree, path, { throughFolders: true })) === undefined) {
    log('warning', `The link '${path}' of a Git repository leads nowhere in it and is left out`)
  } else symlinkSync(await mirror.trees.linkTarget(id), file)
}
