// The disk of a machine: an overlay over its image. If overlays cannot be mounted, it is a copy.
import type { Host } from '../../../sdk/mod.ts'
import { must, succeeds } from './commands.ts'
import type { StoredMachine } from './stored.ts'

export class Disks {
  private readonly host: Host
  private readonly base: string

  constructor(host: Host, base: string) {
    this.host = host
    this.base = base
  }

  folder({ name }: StoredMachine): string {
    return `${this.base}/${name}`
  }

  async make(machine: StoredMachine, image: string): Promise<void> {
    const folder = this.folder(machine)
    for (const path of [folder, `${folder}.written`, `${folder}.scratch`])
      await this.host.makeDirectory(path, { parents: true })
    if (!(await this.layered(folder, image)))
      await must(this.host, ['cp', '-a', '--reflink=auto', `${image}/.`, folder])
  }

  /** Mount the layer again, after the host was restarted. */
  async mount(machine: StoredMachine, image: string): Promise<void> {
    const folder = this.folder(machine)
    if (!(await this.hasRoot(folder))) await this.layered(folder, image)
  }

  private layered(folder: string, image: string): Promise<boolean> {
    const layers = `lowerdir=${image},upperdir=${folder}.written,workdir=${folder}.scratch`
    return succeeds(this.host, ['mount', '-t', 'overlay', 'overlay', '-o', layers, folder])
  }

  private async hasRoot(folder: string): Promise<boolean> {
    return (await this.host.stat(`${folder}/usr`)) !== undefined
  }

  /**
   * Write the host name, an empty machine id, new SSH host keys and the authorized key into the disk of the machine.
   */
  async prepare(machine: StoredMachine, publicKey: string | undefined): Promise<void> {
    const folder = this.folder(machine)
    await this.host.write(`${folder}/etc/hostname`, `${machine.name}\n`)
    await this.host.write(`${folder}/etc/hosts`, `127.0.0.1 localhost\n127.0.1.1 ${machine.name}\n`)
    await must(this.host, ['rm', '-f', `${folder}/etc/machine-id`])
    await this.host.write(`${folder}/etc/machine-id`, '')
    await this.renewHostKeys(folder)
    if (publicKey === undefined) return
    await this.host.makeDirectory(`${folder}/root/.ssh`, { parents: true, mode: 0o700 })
    await this.host.write(`${folder}/root/.ssh/authorized_keys`, publicKey, { mode: 0o600 })
  }

  /** Replace the SSH host keys of the image: machines must not share them. */
  private async renewHostKeys(folder: string): Promise<void> {
    const ssh = `${folder}/etc/ssh`
    if ((await this.host.lstat(ssh))?.type !== 'directory') return
    await must(this.host, ['find', ssh, '-maxdepth', '1', '-name', 'ssh_host_*', '-delete'])
    await must(this.host, ['ssh-keygen', '-A', '-f', folder])
  }

  async remove(machine: StoredMachine): Promise<void> {
    const folder = this.folder(machine)
    // the kernel may hold the mount a moment longer than the machine
    await this.host.run({ argv: ['umount', '-l', folder], timeout: 60, maxOutput: 1 << 16 })
    const lock = `${this.base}/.#${machine.name}.lck`
    await must(this.host, ['rm', '-rf', '--one-file-system', folder, `${folder}.written`, `${folder}.scratch`, lock])
  }
}
