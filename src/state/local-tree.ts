// The state tree of a minion without a master: what its own file server has. A file that lies on this machine under its own name is
// read where it is, so that errors name the file that people edit; any other is copied to the cache first, as from a master.
import { type Dict, decodeBytes } from '../data/mod.ts'
import { FileServer, LocalFileClient } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import type { TreeFile } from '../render/mod.ts'
import type { StateTree } from './compile/tree.ts'

export class LocalTree implements StateTree {
  private readonly opts: Dict
  private readonly host: Host
  private readonly served: FileServer
  private ready: Promise<void> | undefined

  constructor(opts: Dict, host: Host) {
    this.opts = opts
    this.host = host
    this.served = new FileServer(opts, host)
  }

  /** The file server, with news fetched once. */
  private async server(): Promise<FileServer> {
    this.ready ??= this.served.refresh()
    await this.ready
    return this.served
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
    return new LocalFileClient(this.opts, this.host).fetch(`salt://|${path}`, { saltenv })
  }
}
