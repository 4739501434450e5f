// Hashes of files, worked out once as long as a file looks the same: its place, size and times to the fraction of a second.
// A file that changed only just now is not trusted, because a second change could leave the same time.
import type { FileStat, Host } from '../host/mod.ts'

const YOUNG_SECONDS = 2

export class KnownHashes {
  private readonly host: Host
  private readonly known = new Map<string, { looks: string; hash: string }>()

  constructor(host: Host) {
    this.host = host
  }

  async of(path: string, algorithm: string, given?: FileStat): Promise<string> {
    const stat = given ?? (await this.host.stat(path))
    if (stat === undefined || this.host.now() - stat.ctime < YOUNG_SECONDS) return this.host.hash(path, algorithm)
    const key = `${algorithm} ${path}`
    const looks = `${stat.device} ${stat.inode} ${stat.size} ${stat.mtime} ${stat.ctime}`
    const known = this.known.get(key)
    if (known?.looks === looks) return known.hash
    const hash = await this.host.hash(path, algorithm)
    this.known.set(key, { looks, hash })
    return hash
  }
}
