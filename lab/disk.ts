// A host's own file system over the root that all share: a layer that takes what the host writes. Where layers cannot be
// mounted it is a copy, which only takes longer.
import { mkdirSync } from 'node:fs'
import { attempt, run } from './command.ts'

/** What the layer keeps beside the disk: what was written, and the kernel's scratch. */
export const layersOf = (disk: string): [written: string, scratch: string] => [`${disk}.written`, `${disk}.scratch`]

export async function makeDisk(root: string, disk: string): Promise<void> {
  const [written, scratch] = layersOf(disk)
  for (const folder of [disk, written, scratch]) mkdirSync(folder, { recursive: true })
  const layers = `lowerdir=${root},upperdir=${written},workdir=${scratch}`
  const { code } = await attempt(['mount', '-t', 'overlay', 'overlay', '-o', layers, disk])
  if (code !== 0) await run(['cp', '-a', '--reflink=auto', `${root}/.`, disk])
}
