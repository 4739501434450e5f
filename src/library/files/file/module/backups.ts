// Backups that the minion keeps in its cache: `file_backup/` with the file's directories, and the time in the name.
import { type Dict, dictFrom, localDatetime, str, type Value } from '../../../../data/mod.ts'
import {
  baseName,
  dirName,
  expandUser,
  type FunctionContext,
  isDirectory,
  isFile,
  isHostError,
  joinPaths,
  option,
} from '../../../../sdk/mod.ts'

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const backupRoot = (ctx: FunctionContext): string => joinPaths(option(ctx.opts, 'cachedir'), 'file_backup')

/** Copy a file to the backups, with its owner and mode. */
export async function backUpToMinion(ctx: FunctionContext, path: string): Promise<void> {
  const now = ctx.host.now()
  const date = localDatetime(new Date(now * 1000), 0)
  const micro = String(Math.trunc(now * 1e6)).slice(-6)
  const name = `${baseName(path)}_${date.strftime('%a_%b_%d_%H:%M:%S_')}${micro}_${date.strftime('%Y')}`
  const target = joinPaths(backupRoot(ctx), dirName(path).slice(1), name)
  await ctx.host.makeDirectory(dirName(target), { parents: true })
  const stat = await ctx.host.stat(path)
  await ctx.host.writeStream(target, ctx.host.stream(path))
  if (stat === undefined) return
  await ctx.host.chown(target, stat.uid, stat.gid)
  await ctx.host.chmod(target, stat.mode)
}

interface Backup {
  /** The time as text that sorts. */
  key: string
  facts: Dict
  location: string
}

const STAMP = /^_([A-Z][a-z]{2})_([A-Z][a-z]{2})_(\d{1,2})_(\d{1,2}):(\d{1,2}):(\d{1,2})_(\d{1,6})_(\d{4})$/

/** Return the time in the name of a backup, or undefined for another name. */
function timeOf(name: string, base: string): { key: string; text: string } | undefined {
  const found = name.startsWith(base) ? STAMP.exec(name.slice(base.length)) : null
  if (!found) return undefined
  const [, weekday = '', month = '', day = '', hour = '', minute = '', second = '', fraction = '', year = ''] = found
  const monthNumber = MONTHS.indexOf(month)
  if (monthNumber < 0 || !DAYS.includes(weekday)) return undefined
  const two = (text: string): string => text.padStart(2, '0')
  const micro = fraction.padEnd(6, '0')
  const clock = `${two(hour)}:${two(minute)}:${two(second)}.${micro}`
  const date = new Date(Date.UTC(Number(year), monthNumber, Number(day)))
  if (date.getUTCDate() !== Number(day)) return undefined
  return {
    key: `${year}${two(String(monthNumber + 1))}${two(day)}${clock}`,
    text: `${DAYS[date.getUTCDay()]} ${month} ${two(day)} ${year} ${clock}`,
  }
}

async function backupsOf(ctx: FunctionContext, directory: string, base: string): Promise<Backup[]> {
  const found: Backup[] = []
  for (const name of await ctx.host.list(directory)) {
    const location = joinPaths(directory, name)
    const time = (await isFile(ctx, location)) ? timeOf(name, base) : undefined
    if (time === undefined) continue
    const size = (await ctx.host.stat(location))?.size ?? 0
    found.push({
      key: time.key,
      location,
      facts: dictFrom({ 'Backup Time': time.text, Size: size, Location: location }),
    })
  }
  return found.sort((a, b) => (a.key < b.key ? 1 : -1))
}

const limited = (backups: Backup[], limit: string | null): Dict => {
  const most = limit !== null && /^\s*-?\d+\s*$/.test(limit) ? Number(limit) : undefined
  return new Map<Value, Value>(backups.slice(0, most).map(({ facts }, index) => [index, facts]))
}

/** Return the backups of a file by number, the newest first. */
export async function listBackups(ctx: FunctionContext, given: string, limit: string | null): Promise<Dict> {
  const path = await expandUser(ctx, given)
  const directory = joinPaths(backupRoot(ctx), dirName(path).slice(1))
  if (!(await isDirectory(ctx, directory))) return new Map()
  return limited(await backupsOf(ctx, directory, baseName(path)), limit)
}

/** Return the backups of every file in a directory, by its name up to the first underscore. */
export async function listDirectoryBackups(ctx: FunctionContext, given: string, limit: string | null): Promise<Dict> {
  const path = await expandUser(ctx, given)
  const directory = joinPaths(backupRoot(ctx), dirName(path).slice(1))
  if (!(await isDirectory(ctx, directory))) return new Map()
  const bases = new Set((await ctx.host.list(directory)).sort().map((name) => name.split('_')[0]!))
  const all: Dict = new Map()
  for (const base of bases) all.set(base, limited(await backupsOf(ctx, directory, base), limit))
  return all
}

/** Return the path of a backup by its number, or the report of a failure. */
async function chosen(ctx: FunctionContext, path: string, id: string): Promise<string | Dict> {
  const refusal = (comment: string): Dict => dictFrom({ result: false, comment })
  if (!/^-?\d+$/.test(id) || String(Number(id)) !== id) return refusal(`Invalid backup_id '${id}'`)
  const backup = (await listBackups(ctx, path, null)).get(Number(id))
  if (!(backup instanceof Map)) return refusal(`backup_id '${id}' does not exist for ${path}`)
  return str(backup.get('Location')!)
}

export async function restoreBackup(ctx: FunctionContext, given: string, id: string): Promise<Dict> {
  const path = await expandUser(ctx, given)
  const location = await chosen(ctx, path, id)
  if (typeof location !== 'string') return location
  try {
    // read before the new backup is written: it may get the same name
    const content = await ctx.host.read(location)
    await backUpToMinion(ctx, path)
    await ctx.host.write(path, content)
    return dictFrom({ result: true, comment: `Successfully restored ${location} to ${path}` })
  } catch (error) {
    if (!isHostError(error)) throw error
    return dictFrom({ result: false, comment: `Unable to restore ${location} to ${path}: ${error.message}` })
  }
}

export async function deleteBackup(ctx: FunctionContext, given: string, id: string): Promise<Dict> {
  const path = await expandUser(ctx, given)
  const location = await chosen(ctx, path, id)
  if (typeof location !== 'string') return location
  try {
    await ctx.host.remove(location)
    return dictFrom({ result: true, comment: `Successfully removed ${location}` })
  } catch (error) {
    if (!isHostError(error)) throw error
    return dictFrom({ result: false, comment: `Unable to remove ${location}: ${error.message}` })
  }
}
