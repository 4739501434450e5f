// The state tree of a minion with a master, through its file client. Each file is fetched once per run.
import { decodeBytes } from '../data/mod.ts'
import type { FileClient } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import type { TreeFile } from '../render/mod.ts'
import type { StateTree } from './compile/tree.ts'

export class ClientTree implements StateTree {
  private readonly files: FileClient
  private readonly host: Host
  private readonly brought = new Map<string, Promise<TreeFile | undefined>>()

  constructor(files: FileClient, host: Host) {
    this.files = files
    this.host = host
  }

  envs(): Promise<string[]> {
    return this.files.envs()
  }

  list(saltenv: string): Promise<string[]> {
    return this.files.files(saltenv)
  }

  read(path: string, saltenv: string): Promise<TreeFile | undefined> {
    const key = `${saltenv} ${path}`
    let file = this.brought.get(key)
    if (!file) {
      file = this.bring(path, saltenv)
      this.brought.set(key, file)
    }
    return file
  }

  private async bring(path: string, saltenv: string): Promise<TreeFile | undefined> {
    const file = await this.files.fetch(`salt://${path}`, { saltenv })
    return file === false ? undefined : { text: decodeBytes(await this.host.read(file)), file }
  }
}
