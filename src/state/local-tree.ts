// The state tree of a minion without a master, from its own file server. A local file is read in place, so that errors
// name the file that users edit; other files are first copied to the cache, as from a master.
import { silentLog } from '../base/mod.ts'
import { type Dict, decodeBytes } from '../data/mod.ts'
import { type LoadOwnBackends, LocalFileClient, openServedFiles, type ServedFiles } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import type { TreeFile } from '../render/mod.ts'
import type { StateTree } from './compile/tree.ts'

const loadOwn: LoadOwnBackends = async () => (await import('../pybridge/mod.ts')).ownBackends

export class LocalTree implements StateTree {
  private readonly opts: Dict
  private readonly host: Host
  private served: Promise<ServedFiles> | undefined

  constructor(opts: Dict, host: Host) {
    this.opts = opts
    this.host = host
  }

  /** The served files, with news fetched once. */
  private server(): Promise<ServedFiles> {
    this.served ??= this.open()
    return this.served
  }

  private async open(): Promise<ServedFiles> {
    const server = await openServedFiles(this.opts, this.host, silentLog, loadOwn)
    await server.refresh()
    return server
  }

  async envs(): Promise<string[]> {
    return (await this.server()).envs()
  }

  async list(saltenv: string): Promise<string[]> {
    return (await (await this.server()).list(saltenv)).files
  }

  async read(path: string, saltenv: string): Promise<TreeFile | undefined> {
    const found = await (await this.server()).find(path, saltenv)
    if (found === undefined) return undefined
    const copy = found.content !== undefined && (await this.copied(path, saltenv))
    const file = copy || found.path
    return { text: decodeBytes(await this.host.read(file)), file }
  }

  private copied(path: string, saltenv: string): Promise<string | false> {
    return new LocalFileClient(this.opts, this.host, silentLog, this.host, loadOwn).fetch(`salt://|${path}`, {
      saltenv,
    })
  }
}
