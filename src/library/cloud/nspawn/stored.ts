// The machines of a folder: a JSON file for each, written before anything of the machine is made and removed after all of it is gone.
import { recover } from '../../../base/mod.ts'
import { failure, isDict, loadJson, str, textOf } from '../../../data/mod.ts'
import { type Host, isHostError } from '../../../sdk/mod.ts'

export interface StoredMachine {
  name: string
  image: string
  address: string
  token: string
  /** The process of its init; 0 while it does not run. */
  init: number
  /** When that process started, in ticks of the kernel. */
  started: string
}

export class Machines {
  private readonly host: Host
  private readonly folder: string

  constructor(host: Host, folder: string) {
    this.host = host
    this.folder = folder
  }

  async all(): Promise<StoredMachine[]> {
    const found: StoredMachine[] = []
    for (const name of (await this.names()).sort()) {
      const text = new TextDecoder().decode(await this.host.read(`${this.folder}/${name}`))
      const value = loadJson(text)
      if (!isDict(value)) throw failure(`${this.folder}/${name} is no record of a machine`)
      const field = (key: string): string => textOf(value.get(key) ?? null) ?? str(value.get(key) ?? '')
      const texts = { name: field('name'), image: field('image'), address: field('address'), token: field('token') }
      found.push({ ...texts, init: Number(field('init')), started: field('started') })
    }
    return found
  }

  private async names(): Promise<string[]> {
    return recover(
      (error) => isHostError(error) && error.code === 'ENOENT',
      [],
      async () => (await this.host.list(this.folder)).filter((name) => name.endsWith('.json')),
    )
  }

  /** Take the name; fail where a machine has it. */
  async add(machine: StoredMachine): Promise<StoredMachine> {
    await this.host.makeDirectory(this.folder, { parents: true, mode: 0o700 })
    await this.host.write(this.file(machine), text(machine), { mode: 0o600, exclusive: true })
    return machine
  }

  async keep(machine: StoredMachine): Promise<void> {
    await this.host.write(this.file(machine), text(machine), { mode: 0o600 })
  }

  async forget(machine: StoredMachine): Promise<void> {
    await this.host.remove(this.file(machine))
  }

  private file({ name }: StoredMachine): string {
    return `${this.folder}/${name}.json`
  }
}

const text = (machine: StoredMachine): string => `${JSON.stringify(machine)}\n`
