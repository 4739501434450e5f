// The state tree of a minion without a master: its own `file_roots`.
import { type Dict, decodeBytes } from '../data/mod.ts'
import { Roots } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import type { TreeFile } from '../render/mod.ts'
import type { StateTree } from './compile/tree.ts'

export class RootsTree implements StateTree {
  private readonly roots: Roots
  private readonly host: Host

  constructor(opts: Dict, host: Host) {
    this.roots = new Roots(opts, host)
    this.host = host
  }

  async envs(): Promise<string[]> {
    return this.roots.envs()
  }

  async list(saltenv: string): Promise<string[]> {
    return (await this.roots.list(saltenv)).files
  }

  async read(path: string, saltenv: string): Promise<TreeFile | undefined> {
    const found = await this.roots.find(path, saltenv)
    return found && { text: decodeBytes(await this.host.read(found.path)), file: found.path }
  }
}
