// The time zone of the machine: from timedatectl, else from files of the distribution.
import { posix } from 'node:path'
import { failure, isFailure, misuse, SaltError, splitLines, str } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError, outputOf, runAll, textAt } from '../../../../sdk/mod.ts'

const ZONES = '/usr/share/zoneinfo/'
const LOCALTIME = '/etc/localtime'

export const usesTimedatectl = async (ctx: FunctionContext): Promise<boolean> =>
  (await ctx.host.which('timedatectl')) !== undefined

export const zoneFile = (zone: string): string => ZONES + zone

export async function timedatectl(ctx: FunctionContext): Promise<string> {
  const { retcode, stdout, stderr } = await runAll(ctx, 'timedatectl')
  if (retcode !== 0) throw failure(`timedatectl failed: ${stderr}`)
  return stdout
}

async function fromFile(ctx: FunctionContext, path: string): Promise<string> {
  try {
    return Buffer.from(await ctx.host.read(path))
      .toString()
      .trim()
  } catch (error) {
    if (!isHostError(error)) throw error
    throw failure(`Problem reading timezone file ${path}: No such file or directory`)
  }
}

async function fromSysconfig(ctx: FunctionContext): Promise<string> {
  const file = '/etc/sysconfig/clock'
  const lines = splitLines((await textAt(ctx.host, file)) ?? '')
  const line = lines.find((text) => !/^\s*#/.test(text) && text.includes('ZONE') && text.includes('='))
  if (line === undefined) throw failure(`Unable to get timezone from ${file}`)
  return (
    line
      .split('=')
      .at(-1)!
      .replaceAll(/^['"]+|['"]+$/g, '') || 'UTC'
  )
}

/** Return the target of the link; for a copy, the zone with the same file. */
async function fromLocaltime(ctx: FunctionContext): Promise<string> {
  const type = (await ctx.host.lstat(LOCALTIME))?.type
  if (type === 'link') {
    const target = posix.normalize(posix.join('/etc', await ctx.host.readLink(LOCALTIME)))
    if (target.startsWith(ZONES)) return target.slice(ZONES.length)
    throw failure('Unable to determine timezone')
  }
  if (str(ctx.grains.get('os_family') ?? '').includes('FreeBSD')) return zoneCode(ctx)
  if (type === undefined) throw failure(`${LOCALTIME} does not exist`)
  const same = await sameZone(ctx, ZONES, await ctx.host.hash(LOCALTIME, 'sha256'))
  if (same === undefined) throw failure('Unable to determine timezone')
  return same
}

async function sameZone(ctx: FunctionContext, folder: string, hash: string): Promise<string | undefined> {
  for (const name of (await ctx.host.list(folder)).sort()) {
    const path = `${folder}${name}`
    if (/^[a-z]/.test(path.slice(ZONES.length))) continue
    const type = (await ctx.host.stat(path))?.type
    if (type === 'directory') {
      const found = await sameZone(ctx, `${path}/`, hash)
      if (found !== undefined) return found
    } else if (type === 'file' && (await ctx.host.hash(path, 'sha256')) === hash) return path.slice(ZONES.length)
  }
  return undefined
}

export const zoneCode = (ctx: FunctionContext): Promise<string> => outputOf(ctx, ['date', '+%Z'])

export async function zoneOf(ctx: FunctionContext): Promise<string> {
  if (await usesTimedatectl(ctx)) {
    const shown = await timedatectl(ctx)
    const zone = /^\s*Time ?zone:\s+(\S+)/m.exec(shown)?.[1]
    if (zone !== undefined) return zone
    throw failure(`Failed to parse timedatectl output: ${shown}\nPlease file an issue with SaltStack`)
  }
  const family = str(ctx.grains.get('os_family') ?? '')
  if (['RedHat', 'Suse'].includes(family)) return fromSysconfig(ctx)
  if (['Debian', 'Gentoo'].includes(family)) return fromFile(ctx, '/etc/timezone')
  if (['FreeBSD', 'OpenBSD', 'NetBSD', 'NILinuxRT', 'Slackware'].includes(family)) return fromLocaltime(ctx)
  throw failure('Unable to get timezone')
}

export async function setZone(ctx: FunctionContext, zone: string): Promise<true | string> {
  if (await usesTimedatectl(ctx)) {
    try {
      await outputOf(ctx, `timedatectl set-timezone ${zone}`)
    } catch (error) {
      if (!(error instanceof SaltError)) throw error
      ctx.log('debug', `timedatectl did not set the zone: ${error.message}`)
    }
  }
  const path = zoneFile(zone)
  if (!(await ctx.host.access(path, 'exists'))) return `Zone does not exist: ${path}`
  if (await ctx.host.access(LOCALTIME, 'exists')) await ctx.host.remove(LOCALTIME)
  await ctx.host.symlink(path, LOCALTIME)
  const family = str(ctx.grains.get('os_family') ?? '')
  if (family.includes('RedHat')) await ctx.call('file.sed', ['/etc/sysconfig/clock', '^ZONE=.*', `ZONE="${zone}"`])
  else if (family.includes('Suse')) {
    await ctx.call('file.sed', ['/etc/sysconfig/clock', '^TIMEZONE=.*', `TIMEZONE="${zone}"`])
  } else if (/Debian|Gentoo/.test(family)) await ctx.host.write('/etc/timezone', `${zone.trim()}\n`)
  return true
}

/** Return whether a zone is that of the machine; compare files if its name is unknown. */
export async function isZone(ctx: FunctionContext, zone: string): Promise<boolean> {
  try {
    return (await zoneOf(ctx)) === zone
  } catch (error) {
    if (!isFailure(error)) throw error
  }
  if ((await ctx.host.stat(LOCALTIME)) === undefined) {
    const reason = 'No such file or directory'
    throw failure(`Failed to read ${LOCALTIME} to determine current timezone: ${reason}`)
  }
  if ((await ctx.host.stat(zoneFile(zone))) === undefined) {
    throw misuse(`Can't find a local timezone "${zone}"`)
  }
  const [here, wanted] = [await ctx.host.hash(LOCALTIME, 'sha256'), await ctx.host.hash(zoneFile(zone), 'sha256')]
  return here === wanted
}
