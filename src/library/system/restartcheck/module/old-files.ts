// Processes that use files which are no longer on disk, because a newer version replaced them.
import { decodeBytes } from '../../../../data/mod.ts'
import { type Host, unlessRefused } from '../../../../sdk/mod.ts'

export interface OldFile {
  name: string
  pid: number
  path: string
}

/** Paths where files come and go without an upgrade. */
const PASSING = [
  '/var/log/',
  '/var/local/log/',
  '/var/run/',
  '/var/local/run/',
  '/tmp/',
  '/dev/shm/',
  '/run/',
  '/drm',
  '/var/tmp/',
  '/var/local/tmp/',
  '/dev/zero',
  '/dev/pts/',
  '/usr/lib/locale/',
  '/home/',
  '.*icon-theme.cache',
  '/var/cache/fontconfig/',
  '/var/lib/nagios3/spool/',
  '/var/lib/postgresql/',
  '/var/lib/vdr/',
  '/[aio]',
  '/SYSV',
  // memory that was never a file
  '/memfd:',
]
const IS_PASSING = new RegExp(`^(?:${PASSING.join('|')})`)

const MAPPED = /^[\da-f]+-[\da-f]+ [r-][w-][x-][sp-] [\da-f]+ [\da-f]{2,}:[\da-f]{2,} \d+ *(.+)$/

/** Suffix of the kernel for a removed file. */
const GONE = ' (deleted)'

function oldPath(line: string): string | undefined {
  const path = MAPPED.exec(line)?.[1]
  if (path === undefined || IS_PASSING.test(path)) return undefined
  const isOld = path.endsWith(GONE) || /\(path inode=[0-9]+\)$/.test(path)
  return isOld ? path.slice(0, -GONE.length) : undefined
}

/** Return the process name; the kernel truncates names to 15 characters, so read the command line. */
async function nameOf(host: Host, pid: number): Promise<string> {
  const name = decodeBytes(await host.read(`/proc/${pid}/comm`)).trimEnd()
  if (name.length < 15) return name
  const [program = ''] = decodeBytes(await host.read(`/proc/${pid}/cmdline`), 'utf-8', 'replace').split('\0')
  const full = program.slice(program.lastIndexOf('/') + 1)
  return full.startsWith(name) ? full : name
}

export async function* oldFiles(host: Host): AsyncGenerator<OldFile> {
  const pids = (await host.list('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  for (const pid of pids.sort((one, other) => one - other)) {
    const maps = await unlessRefused(host.read(`/proc/${pid}/maps`), undefined)
    const name = maps && (await unlessRefused(nameOf(host, pid), undefined))
    if (!maps || name === undefined) continue
    const lines = decodeBytes(maps, 'utf-8', 'replace').split('\n')
    const paths = new Set(lines.map(oldPath).filter((path) => path !== undefined))
    for (const path of paths) yield { name, pid, path }
  }
}

/** Return the program of a process; undefined if the process has ended or is not accessible. */
export const programOf = (host: Host, pid: number): Promise<string | undefined> =>
  unlessRefused(host.readLink(`/proc/${pid}/exe`), undefined)
