// Which files processes have open for writing, as the kernel lists them below /proc. A file that nobody writes to any more is
// whole, which is what those who wait for `close_write` want to know.
import { decodeBytes } from '../../../../data/mod.ts'
import { type BeaconContext, unlessRefused } from '../../../../sdk/mod.ts'

type Host = BeaconContext['host']

/** The last digit of the flags: 1 is writing only, 2 is both. */
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
