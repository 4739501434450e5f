// Versions side by side: `<prefix>/versions/<version>` each, and the link `<prefix>/current` to the version that is
// started.
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { hasCode, PRIVATE_FILE, recover, shownText } from '../base/mod.ts'
import { type ReadEntry, readArchive } from './archive-reader.ts'
import { UpkeepError } from './errors.ts'
import { RELEASE_FILE, type Release, readRelease, releaseIn } from './release.ts'
import { checkSignature, type Proof, signaturePath } from './signature.ts'

const VERSIONS = 'versions'
const CURRENT = 'current'

/** Bytes and files of an unpacked package. */
const LARGEST_PACKAGE = 1 << 30
const MOST_FILES = 50_000

/** An installed version and where it is. */
export interface Installed {
  prefix: string
  version: string
}

export const versionFolder = (prefix: string, version: string): string => join(prefix, VERSIONS, version)

/** Return the version that a program belongs to; undefined when it is not installed side by side. */
export function installedAs(program: string | undefined): Installed | undefined {
  if (program === undefined || !existsSync(program)) return undefined
  const folder = dirname(dirname(realpathSync(program)))
  if (basename(dirname(folder)) !== VERSIONS) return undefined
  return { prefix: dirname(dirname(folder)), version: basename(folder) }
}

/** Return the version that is started; undefined without one. */
export function currentVersion(prefix: string): string | undefined {
  return recover(hasCode('ENOENT'), undefined, () => basename(readlinkSync(join(prefix, CURRENT))))
}

/** Let another version be started from now on: the link changes as a whole. */
export function makeCurrent(prefix: string, version: string): void {
  const fresh = join(prefix, `.${CURRENT}-${randomBytes(6).toString('hex')}`)
  symlinkSync(join(VERSIONS, version), fresh)
  renameSync(fresh, join(prefix, CURRENT))
}

/** Remove all other versions, and leftovers of interrupted stagings. */
export function keepOnly(prefix: string, versions: readonly string[]): void {
  for (const name of readdirSync(join(prefix, VERSIONS))) {
    if (!versions.includes(name)) rmSync(join(prefix, VERSIONS, name), { recursive: true, force: true })
  }
}

/** Return the SHA-256 of a file. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}

/**
 * Copy a package; throw if it does not have the wanted SHA-256 or a signature of a trusted key. No other user can
 * change the copy afterwards.
 */
export async function copyChecked(file: string, copy: string, { sha256: wanted, ...signed }: Proof): Promise<void> {
  const hash = createHash('sha256')
  const fd = openSync(copy, 'wx', PRIVATE_FILE)
  let size = 0
  try {
    for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>) {
      size += bytes.length
      if (size > LARGEST_PACKAGE) throw new UpkeepError('BadPackage', `${file} is too large`)
      hash.update(bytes)
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    }
  } finally {
    closeSync(fd)
  }
  const found = hash.digest('hex')
  if (wanted !== undefined && wanted.toLowerCase() !== found)
    throw new UpkeepError('BadPackage', `${file} has the SHA-256 ${found}, and ${wanted} is wanted`)
  if (signed.keyring !== undefined)
    await checkSignature(copy, signed.signature ?? signaturePath(file), signed.keyring, file)
}

/** Read the release data of a package without unpacking it. */
export async function releaseOf(file: string): Promise<Release> {
  for await (const entry of readArchive(file)) {
    if (entry.path.split('/').slice(1).join('/') !== RELEASE_FILE) continue
    return readRelease(await smallText(entry), file)
  }
  throw new UpkeepError('BadPackage', `${file} is no package of Brine: it has no ${RELEASE_FILE}`)
}

async function smallText({ size, body, path }: ReadEntry): Promise<string> {
  if (size > 1 << 20) throw new UpkeepError('BadPackage', `${path} is too large`)
  const parts: Buffer[] = []
  for await (const bytes of body) parts.push(bytes)
  return Buffer.concat(parts).toString('utf8')
}

/**
 * Unpack a package into the directory of its version and return its release data. The directory appears complete or not
 * at all. An existing version is replaced, unless it is `inUse`. A package that does not satisfy `proof` is refused.
 */
export async function stageVersion(
  prefix: string,
  file: string,
  { inUse, proof }: { inUse: readonly string[]; proof: Proof },
): Promise<Release> {
  mkdirSync(join(prefix, VERSIONS), { recursive: true, mode: 0o755 })
  const staging = mkdtempSync(join(prefix, VERSIONS, '.new-'))
  const copy = `${staging}.package`
  try {
    await copyChecked(file, copy, proof)
    await unpack(copy, file, staging)
    const release = releaseIn(staging)
    if (!existsSync(join(staging, 'dist', 'salt-minion.js'))) {
      throw new UpkeepError('BadPackage', `${file} is no package of Brine: dist/salt-minion.js is missing`)
    }
    if (inUse.includes(release.version)) {
      throw new UpkeepError('UpgradeRefused', `Version ${release.version} runs here already`)
    }
    const target = versionFolder(prefix, release.version)
    rmSync(target, { recursive: true, force: true })
    chmodSync(staging, 0o755)
    renameSync(staging, target)
    return release
  } finally {
    rmSync(staging, { recursive: true, force: true })
    rmSync(copy, { force: true })
  }
}

/** Unpack files and directories of a package without the first part of their paths; errors call it `file`. */
async function unpack(copy: string, file: string, folder: string): Promise<void> {
  let [files, bytes] = [0, 0]
  for await (const { path, kind, mode, size, body } of readArchive(copy)) {
    const below = path.split('/').slice(1).join('/')
    files++
    bytes += size
    if (files > MOST_FILES || bytes > LARGEST_PACKAGE) throw new UpkeepError('BadPackage', `${file} is too large`)
    if (kind === 'link')
      throw new UpkeepError(
        'BadPackage',
        `${file} has a link at ${shownText(path)}, which packages of Brine do not have`,
      )
    if (below === '') continue
    const place = join(folder, below)
    mkdirSync(kind === 'directory' ? place : dirname(place), { recursive: true })
    if (kind === 'directory') continue
    if (existsSync(place)) throw new UpkeepError('BadPackage', `${file} has ${shownText(path)} twice`)
    const fd = openSync(place, 'wx', (mode & 0o111) !== 0 ? 0o755 : 0o644)
    try {
      for await (const part of body) for (let at = 0; at < part.length; ) at += writeSync(fd, part, at)
    } finally {
      closeSync(fd)
    }
  }
}

/** Whether only this user or root can change the versions of a prefix. */
export function checkPrefix(prefix: string): void {
  const own = process.geteuid?.() ?? 0
  for (const folder of [prefix, join(prefix, VERSIONS)]) {
    const found = statSync(folder, { throwIfNoEntry: false })
    if (!found || ((found.uid === own || found.uid === 0) && (found.mode & 0o022) === 0)) continue
    throw new UpkeepError('UpgradeRefused', `${folder} can be changed by other users of this machine`)
  }
}
