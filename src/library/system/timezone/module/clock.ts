// Whether the hardware clock is in UTC or local time.
import { failure, misuse, splitLines, str } from '../../../../data/mod.ts'
import { type FunctionContext, outputOf, type Result, succeeds, textAt } from '../../../../sdk/mod.ts'
import { timedatectl, usesTimedatectl, zoneFile, zoneOf } from './zone.ts'

const familyOf = (ctx: FunctionContext): string => str(ctx.grains.get('os_family') ?? '')

async function fromAdjtime(ctx: FunctionContext): Promise<Result> {
  const file = '/etc/adjtime'
  if (await ctx.host.access(file, 'exists')) return outputOf(ctx, ['tail', '-n', '1', file])
  if (await ctx.host.access('/dev/rtc', 'exists')) throw failure(`Unable to get hwclock timezone from ${file}`)
  return null
}

/** Return the last value of a variable in a settings file, ignoring comments. */
async function setting(ctx: FunctionContext, file: string, key: string): Promise<string | undefined> {
  const lines = splitLines((await textAt(ctx.host, file)) ?? '').filter((line) => !/^\s*#/.test(line))
  return lines
    .find((line) => line.includes(key))
    ?.split('=')
    .at(-1)
}

export async function hardwareClock(ctx: FunctionContext): Promise<Result> {
  if (await usesTimedatectl(ctx)) {
    const shown = await timedatectl(ctx)
    const line = splitLines(shown).find((text) => text.toLowerCase().includes('rtc in local tz'))
    if (line !== undefined) return line.split(':').at(-1)!.trim().toLowerCase() === 'yes' ? 'localtime' : 'UTC'
    throw failure(`Failed to parse timedatectl output: ${shown}\nPlease file an issue with SaltStack`)
  }
  const family = familyOf(ctx)
  if (family.includes('Debian')) {
    const utc = await setting(ctx, '/etc/default/rcS', 'UTC=')
    if (utc !== undefined) return utc.toLowerCase() === 'yes' ? 'UTC' : 'localtime'
  }
  if (family.includes('Gentoo') && !(await ctx.host.access('/etc/adjtime', 'exists'))) {
    const file = '/etc/conf.d/hwclock'
    const clock = (await setting(ctx, file, 'clock='))?.replaceAll(/^['"]+|['"]+$/g, '')
    if (clock === 'UTC') return clock
    if (clock === 'local') return 'LOCAL'
    throw failure(`Correct offset value not found in ${file}`)
  }
  const known = ['RedHat', 'Suse', 'NILinuxRT', 'Debian', 'Gentoo', 'Slackware']
  return known.some((name) => family.includes(name)) ? fromAdjtime(ctx) : null
}

/** By OS family: the file, the pattern and the replacement. */
const SETTINGS: ReadonlyArray<[string, (clock: string, zone: string) => [string, string, string] | undefined]> = [
  ['RedHat', (_, zone) => ['/etc/sysconfig/clock', '^ZONE=.*', `ZONE="${zone}"`]],
  ['Suse', (_, zone) => ['/etc/sysconfig/clock', '^TIMEZONE=.*', `TIMEZONE="${zone}"`]],
  [
    'Debian',
    (clock) => {
      if (clock !== 'UTC' && clock !== 'localtime') return undefined
      return ['/etc/default/rcS', '^UTC=.*', clock === 'UTC' ? 'UTC=yes' : 'UTC=no']
    },
  ],
  [
    'Gentoo',
    (clock) => ['/etc/conf.d/hwclock', '^clock=.*', `clock="${known(clock) === 'localtime' ? 'local' : clock}"`],
  ],
  ['Slackware', (clock) => ['/etc/hardwareclock', '^(UTC|localtime)', known(clock)]],
]

function known(clock: string): string {
  if (clock === 'UTC' || clock === 'localtime') return clock
  throw misuse("Only 'UTC' and 'localtime' are allowed")
}

export async function setHardwareClock(ctx: FunctionContext, clock: string): Promise<boolean> {
  const local = clock === 'localtime' ? 'true' : 'false'
  if (await usesTimedatectl(ctx)) return succeeds(ctx, ['timedatectl', 'set-local-rtc', local])
  const family = familyOf(ctx)
  const zone = await zoneOf(ctx)
  const path = zoneFile(zone)
  if (!(await ctx.host.access(path, 'exists'))) throw failure(`Zone '${path}' does not exist`)
  await ctx.host.remove('/etc/localtime')
  await ctx.host.symlink(path, '/etc/localtime')
  if (family.includes('Arch')) return succeeds(ctx, ['timezonectl', 'set-local-rtc', local])
  const change = SETTINGS.find(([name]) => family.includes(name))?.[1](clock, zone)
  if (change) await ctx.call('file.sed', change)
  return true
}
