// Hashes of files, worked out once as long as a file looks the same: its place, size and times to the fraction of a second.
// A file that changed only just now is not trusted, because a second change could leave the same time. A file that is named by
// its content needs no look at all.
import type { Host } from '../host/mod.ts'
import type { ServedFile } from './backend.ts'

const YOUNG_SECONDS = 2

/** Limit; the least recently used hashes are forgotten beyond it. */
const MOST_KNOWN = 100_000

export class KnownHashes {
  private readonly host: Host
  private readonly known = new Map<string, { looks: string; hash: string }>()

  constructor(host: Host) {
    this.host = host
  }

  async of(path: string, algorithm: string, given?: Pick<ServedFile, 'stat' | 'content' | 'hash'>): Promise<string> {
    const hash = (): Promise<string> => given?.hash?.(algorithm) ?? this.host.hash(path, algorithm)
    if (given?.content !== undefined) return this.kept(`${algorithm} ${given.content}`, '', hash)
    const stat = given?.stat ?? (await this.host.stat(path))
    if (stat === undefined || this.host.now() - stat.ctime < YOUNG_SECONDS) return hash()
    const looks = `${stat.device} ${stat.inode} ${stat.size} ${stat.mtime} ${stat.ctime}`
    return this.kept(`${algorithm} ${path}`, looks, hash)
  }

  private async kept(key: string, looks: string, work: () => Promise<string>): Promise<string> {
    const known = this.known.get(key)
    if (known?.looks === looks) return known.hash
    const hash = await work()
    this.known.delete(key)
    this.known.set(key, { looks, hash })
    if (this.known.size > MOST_KNOWN) this.known.delete(this.known.keys().next().value!)
    return hash
  }
}
