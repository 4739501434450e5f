// Opens the root directory of an image: a plain directory, a mounted block device, or a disk image by libguestfs or a
// loop device.
import { failure, str, truthy } from '../../../data/mod.ts'
import { type FunctionContext, outputOf, runAll } from '../../../sdk/mod.ts'

export interface Attached {
  root: string
  detach(): Promise<void>
}

/** File systems that a root can be on. */
const ROOT_FILE_SYSTEMS: ReadonlySet<string> = new Set(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'f2fs'])

/** Return the root of a path; `mountPoint` is where a disk image is mounted. */
export async function attach(ctx: FunctionContext, path: string, mountPoint: string | null): Promise<Attached> {
  const type = (await ctx.host.stat(path))?.type
  if (type === 'directory') return { root: path, detach: async () => {} }
  if (type === 'block') return mounted(ctx, path, null)
  if (type === 'file') return image(ctx, path, mountPoint)
  throw failure(`${path} is neither a directory, nor a block device, nor a disk image`)
}

/** Mount a device on a directory that goes with the mount, unless one is given. */
async function mounted(ctx: FunctionContext, device: string, given: string | null): Promise<Attached> {
  const root = await mountPointFor(ctx, given)
  const answer = await ctx.call('mount.mount', [root, device])
  if (answer !== true) {
    if (given === null) await ctx.host.removeDirectory(root)
    throw failure(`${device} could not be mounted: ${str(answer)}`)
  }
  return {
    root,
    detach: async () => {
      const done = await ctx.call('mount.umount', [root])
      if (done !== true) throw failure(`${root} could not be unmounted: ${str(done)}`)
      if (given === null) await ctx.host.removeDirectory(root)
    },
  }
}

async function mountPointFor({ host }: FunctionContext, given: string | null): Promise<string> {
  if (given === null) return host.tempDirectory({ prefix: 'seed-' })
  await host.makeDirectory(given, { parents: true })
  return given
}

async function image(ctx: FunctionContext, path: string, mountPoint: string | null): Promise<Attached> {
  // modules of an extension
  const util = ['guestfs', 'qemu_nbd'].find((name) => ctx.has(`${name}.${name === 'guestfs' ? 'mount' : 'init'}`))
  if (util) {
    const root = await ctx.call('mount.mount', [path], { device: mountPoint, util })
    if (!truthy(root)) throw failure(`${path} could not be mounted by ${util}`)
    return {
      root: str(root),
      detach: async () => void (await ctx.call('mount.umount', [str(root)], { device: path, util })),
    }
  }
  return (await ctx.host.which('guestmount'))
    ? byGuestmount(ctx, path, mountPoint)
    : byLoopDevice(ctx, path, mountPoint)
}

async function byGuestmount(ctx: FunctionContext, path: string, given: string | null): Promise<Attached> {
  const root = await mountPointFor(ctx, given)
  const { retcode, stderr } = await runAll(ctx, ['guestmount', '-a', path, '-i', '--rw', root])
  if (retcode !== 0) {
    if (given === null) await ctx.host.removeDirectory(root)
    throw failure(`${path} could not be mounted: ${stderr}`)
  }
  return {
    root,
    detach: async () => {
      const done = await runAll(ctx, ['guestunmount', root])
      if (done.retcode !== 0) throw failure(`${root} could not be unmounted: ${done.stderr}`)
      if (given === null) await ctx.host.removeDirectory(root)
    },
  }
}

/** First bytes of images that only libguestfs and QEMU read. */
const FORMATS: ReadonlyArray<readonly [hex: string, name: string]> = [
  ['514649fb', 'qcow2'],
  ['4b444d56', 'VMDK'],
  ['3c3c3c20', 'VDI'],
  ['7668647866696c65', 'VHDX'],
]

async function byLoopDevice(ctx: FunctionContext, path: string, given: string | null): Promise<Attached> {
  const head = Buffer.from(await ctx.host.read(path, { offset: 0, length: 8 })).toString('hex')
  const format = FORMATS.find(([start]) => head.startsWith(start))?.[1]
  if (format)
    throw failure(`${path} is an image in the format ${format}, which needs the program guestmount (libguestfs)`)
  const { retcode, stdout, stderr } = await runAll(ctx, ['losetup', '--find', '--show', '--partscan', path])
  if (retcode !== 0) throw failure(`${path} could not be attached to a loop device: ${stderr}`)
  const device = stdout.trim()
  const release = async (): Promise<void> => void (await runAll(ctx, ['losetup', '--detach', device]))
  try {
    const found = await rootOn(ctx, device, given)
    const detach = async (): Promise<void> => {
      await found.detach()
      await release()
    }
    return { root: found.root, detach }
  } catch (error) {
    await release()
    throw error
  }
}

/** Mount the file system of a device that has a root in it: the whole device, or one of its partitions. */
async function rootOn(ctx: FunctionContext, device: string, given: string | null): Promise<Attached> {
  const listed = await outputOf(ctx, ['lsblk', '--noheadings', '--raw', '--paths', '--output', 'NAME,FSTYPE', device])
  const rows = listed.split('\n').map((line) => line.trim().split(' '))
  for (const [name = '', type = ''] of rows) {
    if (!ROOT_FILE_SYSTEMS.has(type)) continue
    const found = await mounted(ctx, name, given)
    if ((await ctx.host.stat(`${found.root}/etc`))?.type === 'directory') return found
    await found.detach()
  }
  throw failure(`No file system with a folder /etc was found on ${device}`)
}
