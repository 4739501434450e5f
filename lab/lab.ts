// A lab: a private network and the hosts on it, owned by this process. `close` takes everything down; what a crashed lab
// left behind is removed by the next one that opens.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { removeTree, removeUnfinished } from './cache.ts'
import { emptyGroup, emptyLeftoverGroups } from './cgroups.ts'
import { type Debian, debian } from './debian.ts'
import { layersOf, makeDisk } from './disk.ts'
import { Host, lentTo } from './host.ts'
import { Network } from './network.ts'
import { isLeftover, OWN_NAME } from './owner.ts'
import { packageRepository, type Stock } from './packages.ts'
import { program, RUNNING } from './program.ts'
import { debianRoot, MOUNTS, rootWith } from './root.ts'

export interface LabOptions {
  /** Packages that every host has from the start. */
  installed?: string[]
  /** Packages that hosts can install. */
  stock: Stock
  /** Directory of this machine → where hosts see it, read-only. */
  mounts?: Record<string, string>
}

/** The slow part of opening a lab, which the cache keeps. */
export async function prepare({ installed, stock }: LabOptions): Promise<Prepared> {
  const from = await debian()
  const bare = await debianRoot(from)
  const root = installed ? await rootWith(bare, installed, await packagesOf(from, bare, installed)) : bare
  return { from, root, packages: await packageRepository(from, root, stock) }
}

const packagesOf = (from: Debian, root: string, names: string[]): Promise<string> =>
  packageRepository(from, root, { names, relabelled: [] })

interface Prepared {
  from: Debian
  root: string
  packages: string
}

export class Lab {
  readonly network: Network
  readonly debian: Debian
  readonly packages: string
  readonly #root: string
  readonly #mounts: Record<string, string>
  readonly #bareMounts: Record<string, string>
  readonly #hosts: Host[] = []

  private constructor(network: Network, prepared: Prepared, mounts: Record<string, string>) {
    this.network = network
    this.debian = prepared.from
    this.packages = prepared.packages
    this.#root = prepared.root
    this.#mounts = mounts
    this.#bareMounts = { [prepared.packages]: MOUNTS.packages }
  }

  static async open(options: LabOptions): Promise<Lab> {
    await removeLeftovers()
    const prepared = await prepare(options)
    const mounts = { ...lentTo(await program(), prepared.packages), ...options.mounts }
    return new Lab(await Network.create(), prepared, mounts)
  }

  get hosts(): readonly Host[] {
    return this.#hosts
  }

  /** Boots hosts of these names, which know each other by name. */
  boot(...names: string[]): Promise<Host[]> {
    return this.#boot(names, this.#mounts)
  }

  /** Boots hosts that have neither Node nor our programs, only what Debian has. */
  bootBare(...names: string[]): Promise<Host[]> {
    return this.#boot(names, this.#bareMounts)
  }

  async #boot(names: string[], mounts: Record<string, string>): Promise<Host[]> {
    const added = names.map((name) => {
      const disk = join(RUNNING, OWN_NAME, name)
      return new Host({ name, disk, address: this.network.takeAddress(), network: this.network, mounts })
    })
    for (const { name } of added) await makeDisk(this.#root, join(RUNNING, OWN_NAME, name))
    this.#hosts.push(...added)
    for (const host of added) host.write('/etc/hostname', `${host.name}\n`)
    for (const host of this.#hosts) host.write('/etc/hosts', this.#hostsFile(host))
    for (const host of added) await host.start()
    return added
  }

  #hostsFile(host: Host): string {
    const others = this.#hosts.map(({ name, address }) => `${address} ${name}.lab ${name}`)
    return ['127.0.0.1 localhost', `127.0.1.1 ${host.name}.lab ${host.name}`, ...others, ''].join('\n')
  }

  /** Ends a host for good; its address is free again, and its name. */
  async discard(host: Host): Promise<void> {
    await host.crash()
    this.#hosts.splice(this.#hosts.indexOf(host), 1)
    this.network.release(host.address)
    const disk = join(RUNNING, OWN_NAME, host.name)
    for (const folder of [disk, ...layersOf(disk)]) await removeTree(folder)
  }

  async close(): Promise<void> {
    for (const host of this.#hosts) await host.crash()
    await emptyGroup()
    await this.network.remove()
    await removeTree(join(RUNNING, OWN_NAME))
  }
}

/** Ends and removes what labs of processes that are gone left behind. */
export async function removeLeftovers(): Promise<void> {
  await emptyLeftoverGroups()
  await Network.removeLeftovers()
  await removeUnfinished()
  for (const name of existsSync(RUNNING) ? readdirSync(RUNNING) : []) {
    if (isLeftover(name)) await removeTree(join(RUNNING, name))
  }
}
