// Exchanges the files of several directories for new ones, so that an interruption at any moment can be completed or
// rolled back. The new files are in `.brine-restore/new` of each directory, the old ones go to `.brine-restore/old`. A
// plan, written into each directory before the first move, lists the names; the location of each file shows the
// progress.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { PRIVATE_FILE, PRIVATE_FOLDER, RESTORE_FOLDER, RESTORE_PLAN } from '../base/mod.ts'
import { oldFilesFolder } from './areas.ts'
import { UpkeepError } from './errors.ts'

const rights = z.object({ uid: z.int(), gid: z.int(), mode: z.int() })

export type FolderRights = z.infer<typeof rights>

const plan = z.object({
  id: z.string().regex(/^\d{14}$/),
  areas: z.array(
    z.object({
      path: z.string().startsWith('/'),
      old: z.array(z.string()),
      new: z.array(z.string()),
      /** The rights of the directory before and after. */
      before: rights,
      after: rights,
    }),
  ),
})

export type ExchangePlan = z.infer<typeof plan>
type PlannedArea = ExchangePlan['areas'][number]

const folderOf = (path: string): string => join(path, RESTORE_FOLDER)
export const newFolder = (path: string): string => join(folderOf(path), 'new')
const oldFolder = (path: string): string => join(folderOf(path), 'old')
const planFile = (path: string): string => join(folderOf(path), RESTORE_PLAN)

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** A directory whose files are exchanged. */
export interface PreparedFolder {
  path: string
  before: FolderRights
}

/**
 * Close the directory to other users, so that they cannot put links into it, and create an empty directory for the new
 * files. Throw if the directory already has a plan.
 */
export function prepareFolder(path: string): PreparedFolder {
  mkdirSync(path, { recursive: true })
  if (existsSync(planFile(path))) {
    throw new UpkeepError('InTheWay', `An earlier restore of ${path} was interrupted`, {
      hint: 'Run brine restore --continue, or brine restore --abandon',
    })
  }
  const before = takeOver(path)
  rmSync(folderOf(path), { recursive: true, force: true })
  mkdirSync(newFolder(path), { recursive: true, mode: PRIVATE_FOLDER })
  return { path, before }
}

/** Make a directory this user's own, and return its rights before. */
function takeOver(path: string): FolderRights {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    const { uid, gid, mode } = fstatSync(fd)
    const own = process.geteuid?.() ?? uid
    if (uid !== own) fchownSync(fd, own, gid)
    fchmodSync(fd, PRIVATE_FOLDER)
    return { uid, gid, mode: mode & 0o777 }
  } finally {
    closeSync(fd)
  }
}

function giveRights(path: string, { uid, gid, mode }: FolderRights): void {
  chmodSync(path, mode)
  if (process.geteuid?.() === 0) lchownSync(path, uid, gid)
}

/** Undo the preparation. Only possible before a plan is written. */
export function forgetPrepared(folders: readonly PreparedFolder[]): void {
  for (const { path, before } of folders) {
    if (existsSync(planFile(path)) || !existsSync(folderOf(path))) continue
    rmSync(folderOf(path), { recursive: true, force: true })
    giveRights(path, before)
  }
}

/** Write the plan into all directories. From here on the exchange is finished or taken back, never forgotten. */
export function writePlan(id: string, folders: ReadonlyArray<PreparedFolder & { after: FolderRights }>): ExchangePlan {
  const areas = folders.map(({ path, before, after }) => ({
    path,
    before,
    after,
    old: readdirSync(path).filter((name) => name !== RESTORE_FOLDER && !name.startsWith(oldFilesFolder(''))),
    new: readdirSync(newFolder(path)),
  }))
  for (const { path } of areas) {
    // flushes the file system; without this program the system does it within seconds
    spawnSync('sync', ['-f', path], { stdio: 'ignore' })
    writeFileSync(`${planFile(path)}.tmp`, JSON.stringify({ id, areas }), { mode: PRIVATE_FILE })
    spawnSync('sync', [`${planFile(path)}.tmp`], { stdio: 'ignore' })
  }
  for (const { path } of areas) renameSync(`${planFile(path)}.tmp`, planFile(path))
  return { id, areas }
}

export function readExchangePlan(path: string): ExchangePlan | undefined {
  if (!existsSync(planFile(path))) return undefined
  return plan.parse(JSON.parse(readFileSync(planFile(path), 'utf8')))
}

/** Move the files that are not moved yet. Continues an interrupted attempt. */
export function finishExchange({ id, areas }: ExchangePlan): void {
  // every directory gets its plan before the first file moves, so a directory without a plan is finished
  const open = areas.filter(({ path }) => existsSync(planFile(path)))
  for (const area of open) exchange(area)
  for (const { path, after } of open) {
    const kept = join(path, oldFilesFolder(id))
    rmSync(newFolder(path), { recursive: true, force: true })
    if (isThere(oldFolder(path))) renameSync(oldFolder(path), kept)
    rmSync(planFile(path))
    rmdirSync(folderOf(path))
    giveRights(path, after)
  }
}

function exchange({ path, old, new: fresh }: PlannedArea): void {
  if (old.length > 0) mkdirSync(oldFolder(path), { recursive: true, mode: PRIVATE_FOLDER })
  for (const name of new Set([...old, ...fresh])) {
    const [place, before, after] = [join(path, name), join(oldFolder(path), name), join(newFolder(path), name)]
    // a name with a new file that is not in its directory any more has it already
    const isDone = fresh.includes(name) && !isThere(after)
    if (isDone) continue
    if (old.includes(name) && !isThere(before) && isThere(place)) renameSync(place, before)
    if (fresh.includes(name)) renameSync(after, place)
  }
}

/** Put the old files back in their places. */
export function takeBack({ areas }: ExchangePlan): void {
  const open = areas.filter(({ path }) => existsSync(planFile(path)))
  if (open.length < areas.length || open.some(({ path }) => !isThere(newFolder(path)))) {
    throw new UpkeepError('InTheWay', 'All files were exchanged already', { hint: 'Run brine restore --continue' })
  }
  for (const { path, old, new: fresh } of open) {
    for (const name of new Set([...old, ...fresh])) {
      const [place, before, after] = [join(path, name), join(oldFolder(path), name), join(newFolder(path), name)]
      if (fresh.includes(name) && !isThere(after) && isThere(place)) renameSync(place, after)
      if (old.includes(name) && isThere(before)) renameSync(before, place)
    }
  }
  for (const { path, before } of open) {
    rmSync(planFile(path))
    rmSync(folderOf(path), { recursive: true, force: true })
    giveRights(path, before)
  }
}
