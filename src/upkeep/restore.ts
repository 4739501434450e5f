// Restores a master from an archive. Everything is unpacked beside the present files and checked against the manifest first; then the
// files of all directories are exchanged (exchange.ts). Archives may come from anywhere: paths, links, owners and modes are checked.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { PRIVATE_FILE, PRIVATE_FOLDER, RESTORE_FOLDER, shownText } from '../base/mod.ts'
import { fitOf, schemaHeads, versionNumber } from '../store/mod.ts'
import { type ArchiveLimits, type ReadEntry, readArchive } from './archive-reader.ts'
import { oldFilesFolder } from './areas.ts'
import { UpkeepError } from './errors.ts'
import { finishExchange, forgetPrepared, newFolder, type PreparedFolder, prepareFolder, writePlan } from './exchange.ts'
import {
  type ArchivedFile,
  type ArchiveHead,
  HEAD_FILE,
  MANIFEST_FILE,
  type Manifest,
  readArchiveHead,
  readManifest,
} from './manifest.ts'
import { type OwnerNames, ownerHere } from './owners.ts'

export interface RestoreRequest extends ArchiveLimits {
  file: string
  /** A directory in place of `/`. */
  into?: string
  /** Directories that may be restored to their original path; others are refused. Not needed with `into`. */
  allowed: readonly string[]
  /** Whether existing files are exchanged. */
  isForced?: boolean
  /** Whether only checks are made. */
  isTest?: boolean
  names: OwnerNames
  progress?(text: string): void
}

export interface RestoreReport {
  manifest: Manifest
  /** The directories that were or would be restored. */
  paths: string[]
  /** Directories with the files from before. */
  old: string[]
}

/** Modes that an archive may ask for: nothing that every user can write to, and no set-user-id bits. */
const MOST_MODE = 0o775

const LARGEST_HEAD = 1 << 20
const LARGEST_MANIFEST = 512 << 20

/** Read the manifest of an archive, and check every file against it. */
export async function verifyArchive(
  file: string,
  options: ArchiveLimits & { progress?(text: string): void } = {},
): Promise<Manifest> {
  return readWhole(file, options, async () => undefined)
}

/** Restore a master, or with `isTest` only report what would be done. */
export async function restore(request: RestoreRequest): Promise<RestoreReport> {
  const { file, isTest = false } = request
  let paths: string[] = []
  if (isTest) {
    const manifest = await verifyArchive(file, request)
    paths = targetsOf(manifest.head, request)
    return { manifest, paths, old: [] }
  }
  const folders: PreparedFolder[] = []
  try {
    const manifest = await readWhole(file, request, async (entry, head) => {
      if (paths.length === 0) {
        paths = targetsOf(head, request)
        for (const path of paths) folders.push(prepareFolder(path))
      }
      await stage(entry, paths)
    })
    if (paths.length === 0) throw new UpkeepError('BadArchive', `${file} has no files`)
    const { owners, areas } = manifest.head
    for (const kept of manifest.files) setRights(kept, owners, paths, request.names)
    const id = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
    const planned = folders.map((folder, index) => {
      const { mode, owner } = areas[index]!
      return { ...folder, after: { ...ownerHere(owners[owner]!, request.names), mode: mode & MOST_MODE } }
    })
    finishExchange(writePlan(id, planned))
    const old = paths.map((path) => join(path, oldFilesFolder(id)))
    return { manifest, paths, old: old.filter((path) => lstatSync(path, { throwIfNoEntry: false })) }
  } finally {
    forgetPrepared(folders)
  }
}

type Taking = (entry: ReadEntry, head: ArchiveHead) => Promise<unknown>

/** Read an archive. `take` may read the body of an entry; the manifest at the end must match all of them. */
async function readWhole(
  file: string,
  options: ArchiveLimits & { progress?(text: string): void },
  take: Taking,
): Promise<Manifest> {
  let head: ArchiveHead | undefined
  let manifest: Manifest | undefined
  const seen = new Map<string, { kind: string; size: number; sha256: string; link: string | undefined }>()
  let bytes = 0
  for await (const entry of readArchive(file, options)) {
    if (!head) {
      if (entry.path !== HEAD_FILE) throw new UpkeepError('BadArchive', `${file} is not a backup of Brine`)
      head = readArchiveHead(await textOf(entry, LARGEST_HEAD))
    } else if (manifest) throw new UpkeepError('BadArchive', `${file} goes on after its manifest`)
    else if (entry.path === MANIFEST_FILE) manifest = readManifest(await textOf(entry, LARGEST_MANIFEST))
    else {
      if (seen.has(entry.path)) throw new UpkeepError('BadArchive', `${file} has ${entry.path} twice`)
      refuseBelowLink(entry.path, seen)
      const hash = createHash('sha256')
      const body = hashing(entry.body, hash)
      await take({ ...entry, body }, head)
      for await (const _ of body);
      seen.set(entry.path, { kind: entry.kind, size: entry.size, sha256: hash.digest('hex'), link: entry.link })
      bytes += entry.size
      options.progress?.(`${seen.size} files, ${(bytes / 1e6).toFixed(1)} MB`)
    }
  }
  if (!head || !manifest) throw new UpkeepError('BadArchive', `${file} was cut short: its manifest is missing`)
  compare(file, manifest, seen)
  if (JSON.stringify(manifest.head.areas) !== JSON.stringify(head.areas)) {
    throw new UpkeepError('BadArchive', `The manifest of ${file} does not belong to it`)
  }
  checkVersions(manifest)
  return manifest
}

/** One pass over bytes, which goes on where an earlier reader stopped. */
async function* hashing(body: AsyncIterable<Buffer>, hash: { update(bytes: Buffer): unknown }): AsyncGenerator<Buffer> {
  for await (const bytes of body) {
    hash.update(bytes)
    yield bytes
  }
}

async function textOf({ body, size, path }: ReadEntry, most: number): Promise<string> {
  if (size > most) throw new UpkeepError('BadArchive', `${path} in the archive is too large`)
  const parts: Buffer[] = []
  for await (const bytes of body) parts.push(bytes)
  return Buffer.concat(parts).toString('utf8')
}

/** Throw for an entry whose path leads through a link of the same archive. */
function refuseBelowLink(path: string, seen: ReadonlyMap<string, { kind: string }>): void {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if ((seen.get(folder)?.kind ?? 'directory') === 'directory') continue
    throw new UpkeepError('UnsafePath', `The archive has ${path} below ${folder}, which is no directory`)
  }
}

function compare(file: string, manifest: Manifest, seen: ReadonlyMap<string, object>): void {
  const listed = new Set<string>()
  for (const { path, kind, size, sha256, link } of manifest.files) {
    const found = seen.get(path) as { kind: string; size: number; sha256: string; link?: string } | undefined
    const isSame =
      found?.kind === kind && found.size === size && found.link === link && (kind !== 'file' || found.sha256 === sha256)
    if (!isSame || listed.has(path))
      throw new UpkeepError('BadArchive', `${file} is damaged: ${path} is not what its manifest says`)
    listed.add(path)
  }
  for (const path of seen.keys()) {
    if (!listed.has(path)) throw new UpkeepError('BadArchive', `${file} is damaged: its manifest lacks ${path}`)
  }
  for (const { owner } of [...manifest.files, ...manifest.head.areas]) {
    if (manifest.head.owners[owner] === undefined)
      throw new UpkeepError('BadArchive', `${file} is damaged: an owner is missing`)
  }
}

/** Databases that this version cannot use are refused before anything is touched. */
function checkVersions({ databases, head }: Manifest): void {
  const heads = schemaHeads()
  for (const [path, { name, version }] of Object.entries(databases)) {
    const known = heads[name]
    if (known !== undefined && fitOf(versionNumber(version), versionNumber(known)) !== 'too new') continue
    throw new UpkeepError(
      'BadArchive',
      `${path} has version ${version}, and this version of Brine knows ${known ?? 'no such database'}`,
      {
        hint: `The backup was made by Brine ${head.brine}: install that version, or a newer one`,
      },
    )
  }
}

/** Return the directories to restore to; throw for unsafe ones and for those with files. */
function targetsOf(head: ArchiveHead, { into, allowed, isForced = false }: RestoreRequest): string[] {
  const root = into === undefined ? undefined : resolve(into)
  const paths = head.areas.map(({ path }) => {
    // before it is joined to the root, because that resolves parts that lead up
    if (resolve(path) !== path || path === '/')
      throw new UpkeepError('UnsafePath', `The archive names the directory ${shownText(path)}, which is not taken`)
    return root === undefined ? path : join(root, path)
  })
  for (const [index, path] of paths.entries()) {
    if (paths.some((other, place) => place !== index && `${path}/`.startsWith(`${other}/`))) {
      throw new UpkeepError('UnsafePath', `The archive names ${path} and a directory above it`)
    }
    if (root === undefined && !allowed.includes(path)) {
      throw new UpkeepError(
        'UnsafePath',
        `The archive restores to ${path}, which is no directory of the master on this machine`,
        {
          hint: `Add --allow-path ${path} if you trust the archive, or restore below another directory with --into`,
        },
      )
    }
    checkFolders(path, root)
    const names = lstatSync(path, { throwIfNoEntry: false }) ? readdirSync(path) : []
    const inTheWay = names.filter((name) => name !== RESTORE_FOLDER && !name.startsWith(oldFilesFolder('')))
    if (inTheWay.length > 0 && !isForced) {
      throw new UpkeepError('InTheWay', `${path} is not empty (${inTheWay.slice(0, 3).join(', ')}…)`, {
        hint: 'Add --force to exchange its files; those that are there are kept beside the new ones',
      })
    }
  }
  return paths
}

/**
 * Check that the parent directories belong to this user or root and are closed to others; below `root` none may be a
 * link. The directory itself may belong to another user when root restores it, because root takes it over first.
 */
function checkFolders(path: string, root: string | undefined): void {
  const own = process.geteuid?.() ?? 0
  for (let folder = path; ; folder = dirname(folder)) {
    const found = lstatSync(folder, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() && (folder === path || (root !== undefined && folder.length > root.length))) {
      throw new UpkeepError('UnsafePath', `${folder} is a link to ${readlinkSync(folder)}; name that directory instead`)
    }
    const isFolder = found === undefined || found.isDirectory() || found.isSymbolicLink()
    if (!isFolder) throw new UpkeepError('InTheWay', `${folder} is no directory`)
    if (found && !found.isSymbolicLink() && !(folder === path && own === 0)) {
      const isOpen = (found.mode & 0o022) !== 0 && (found.mode & 0o1000) === 0
      if ((found.uid !== 0 && found.uid !== own) || isOpen) {
        throw new UpkeepError('UnsafePath', `${folder} can be changed by other users of this machine`, {
          hint: 'Restore to a directory that only you can write to',
        })
      }
    }
    if (folder === '/') return
  }
}

/** The place of an entry among the new files. Each place has one path: checks for links compare paths. */
function placeOf(path: string, paths: readonly string[]): string {
  const [, index, below = ''] = /^area-(0|[1-9]\d{0,3})\/(.+)$/.exec(path) ?? []
  const area = index === undefined ? undefined : paths[Number(index)]
  if (area === undefined)
    throw new UpkeepError('UnsafePath', `The archive has ${shownText(path)}, which is in none of its directories`)
  const [first = ''] = below.split('/')
  if (first === RESTORE_FOLDER || first.startsWith(oldFilesFolder('')))
    throw new UpkeepError('UnsafePath', `The archive has ${shownText(path)}, a place of restores, which is not taken`)
  return join(newFolder(area), below)
}

async function stage({ path, kind, body, link }: ReadEntry, paths: readonly string[]): Promise<void> {
  const place = placeOf(path, paths)
  // directories of files that come before their own entry
  mkdirSync(dirname(place), { recursive: true, mode: PRIVATE_FOLDER })
  if (kind === 'directory') mkdirSync(place, { recursive: true, mode: PRIVATE_FOLDER })
  // normalized: with a `..` after a name, another link of that name could lead out of the directory
  else if (kind === 'link') symlinkSync(normalize(link ?? ''), place)
  else {
    const fd = openSync(place, 'wx', PRIVATE_FILE)
    try {
      for await (const bytes of body) for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    } finally {
      closeSync(fd)
    }
  }
}

/** Set owner and mode of a new file. Only root can change owners; other users keep the files. */
function setRights(
  { path, kind, mode, owner }: ArchivedFile,
  owners: ArchiveHead['owners'],
  paths: readonly string[],
  names: OwnerNames,
): void {
  const place = placeOf(path, paths)
  const { uid, gid } = ownerHere(owners[owner]!, names)
  if (process.geteuid?.() === 0) lchownSync(place, uid, gid)
  if (kind !== 'link') chmodSync(place, mode & MOST_MODE)
}
