// The files that processes have open for writing, from /proc. A file that no process writes any more is complete, which
// `close_write` reports.
import { decodeBytes } from '../../../../data/mod.ts'
import { type BeaconContext, unlessRefused } from '../../../../sdk/mod.ts'

type Host = BeaconContext['host']

/** The last digit of the flags: 1 is writing only, 2 is reading and writing. */
const isForWriting = (info: string): boolean => /^flags:\s+\d*[1256]$/m.test(info)

async function writtenBy(host: Host, pid: string, files: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = []
  for (const fd of await unlessRefused(host.list(`/proc/${pid}/fd`), [])) {
    const file = await unlessRefused(host.readLink(`/proc/${pid}/fd/${fd}`), undefined)
    if (file === undefined || !files.has(file)) continue
    const info = await unlessRefused(host.read(`/proc/${pid}/fdinfo/${fd}`), undefined)
    if (info && isForWriting(decodeBytes(info))) found.push(file)
  }
  return found
}

export async function openForWriting(host: Host, files: ReadonlySet<string>): Promise<Set<string>> {
  if (files.size === 0) return new Set()
  const pids = (await host.list('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map((pid) => writtenBy(host, pid, files)))
  return new Set(found.flat())
}
