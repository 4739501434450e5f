// Resolution of device names: labels, UUIDs, logical volumes and bind mounts are shown under other names.
import { type Dict, str, type Value } from '../../../../data/mod.ts'
import { isHostError, runAll, type StateContext } from '../../../../sdk/mod.ts'

/** Like `os.path.realpath`: keep the parts of a path that do not exist. */
export async function realPath(ctx: StateContext, path: string): Promise<string> {
  try {
    return await ctx.host.realPath(path)
  } catch (error) {
    if (!isHostError(error)) throw error
    const slash = path.lastIndexOf('/')
    if (slash < 0) return `${await ctx.host.realPath('.')}/${path}`
    if (slash === 0) return path
    return `${(await realPath(ctx, path.slice(0, slash))).replace(/\/$/, '')}/${path.slice(slash + 1)}`
  }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

export interface Target {
  /** Name that is shown when the device is mounted. */
  device: string
  /** Further devices that count as the same. */
  alike: string[]
  /** The options, with those of the source of a bind mount. */
  opts: string[]
  missingLabel?: string
}

interface Request {
  device: string
  opts: string[]
  point: string
  copyOptions: boolean
}

const optionsOf = (entry: Dict): string[] =>
  [...((entry.get('opts') ?? []) as Value[]), ...((entry.get('superopts') ?? []) as Value[])].map(str)

/** Return the target of a bind mount: the device of the bound directory. */
function bound(active: Dict, { device, opts, point, copyOptions }: Request): Target | undefined {
  const own = active.get(point) as Dict
  const merged = (entry: Dict): string[] => (copyOptions ? [...new Set([...opts, ...optionsOf(entry)])].sort() : opts)
  const noteBind = (): void => void (own.get('opts') as Value[]).push('bind')
  let at = device.replaceAll(' ', '\\040')
  if (!str(own.get('device')!).startsWith('/')) {
    const entry = active.get(at) as Dict | undefined
    if (entry) noteBind()
    return { device: str(own.get('device')!), alike: [], opts: entry ? merged(entry) : opts }
  }
  for (; ; at = parentOf(at.replaceAll('\\040', ' '))) {
    const entry = active.get(at) as Dict | undefined
    if (entry) {
      noteBind()
      return { device: str(entry.get('device')!), alike: [], opts: merged(entry) }
    }
    if (at === '/') return undefined
  }
}

export async function targetOf(ctx: StateContext, active: Dict, request: Request): Promise<Target> {
  const { device, opts } = request
  let found: Target = { device, alike: [], opts }
  if (device.startsWith('/')) {
    const binds = opts.includes('bind') && active.has(request.point) ? bound(active, request) : undefined
    found = binds ?? { ...found, device: await realPath(ctx, device) }
  } else if (/^UUID=/i.test(device)) {
    found = {
      ...found,
      device: device
        .split('=')[1]!
        .replaceAll(/^"+|"+$/g, '')
        .toLowerCase(),
    }
  } else if (/^LABEL=/i.test(device)) {
    const label = device.split('=')[1]!
    const { retcode, stdout } = await runAll(ctx, `blkid -t LABEL=${label}`)
    if (retcode > 0) return { ...found, missingLabel: label }
    const alike = stdout.split('\n').map((line) => line.split(':')[0]!)
    found = { ...found, device: alike[0] ?? device, alike }
  }
  const [, group, volume] = /^\/dev\/([^/]+)\/([^/]+)$/.exec(device) ?? []
  if (group !== undefined && volume !== undefined) {
    const mapper = `/dev/mapper/${group.replaceAll('-', '--')}-${volume.replaceAll('-', '--')}`
    if ((await ctx.host.stat(mapper)) !== undefined) found = { ...found, device: mapper }
  }
  const [, fuse] = /^\w+#(.+)/.exec(device) ?? []
  return fuse === undefined ? found : { ...found, device: fuse }
}

/** Return all names of the device at a mount point. */
export async function namesOf(ctx: StateContext, entry: Dict, alike: readonly string[]): Promise<string[]> {
  const names = [...alike, str(entry.get('device') ?? '')]
  names.push(await realPath(ctx, names[0]!))
  for (const key of ['alt_device', 'device_uuid', 'device_label']) {
    const name = entry.get(key) ?? null
    if (name !== null && name !== '' && !names.includes(str(name))) names.push(str(name))
  }
  return names
}
