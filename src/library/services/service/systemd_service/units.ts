// Units and their states. Init scripts without a unit of the same name count as services.
import { failure, reEscape, splitLines, splitWords, str, type Value } from '../../../../data/mod.ts'
import {
  type FunctionContext,
  isHostError,
  isSystemdOffline,
  namesIn,
  outputOf,
  runAll,
  systemdVersion,
  textAt,
} from '../../../../sdk/mod.ts'
import { below, systemctl, UNIT_TYPES, unitName, unitStatus } from './systemctl.ts'

const UNIT_FOLDERS = ['/lib/systemd/system', '/usr/lib/systemd/system', '/etc/systemd/system']
const SCRIPTS = '/etc/init.d'

/** Return the listed name of a unit file, or undefined for other files. */
function listedAs(file: string): string | undefined {
  const dot = file.lastIndexOf('.')
  const type = file.slice(dot + 1)
  if (dot < 0 || !UNIT_TYPES.includes(type)) return undefined
  return type === 'service' ? file.slice(0, dot) : file
}

async function unitFiles(ctx: FunctionContext, root: string | null): Promise<Set<string>> {
  const found = new Set<string>()
  for (const folder of UNIT_FOLDERS) {
    const path = below(root, folder)
    if ((await ctx.host.lstat(path))?.type === 'link') continue
    for (const file of await namesIn(ctx.host, path)) {
      const name = listedAs(file)
      if (name !== undefined) found.add(name)
    }
  }
  return found
}

/** Return the init scripts without a unit. */
export async function sysvServices(
  ctx: FunctionContext,
  root: string | null,
  units?: ReadonlySet<string>,
): Promise<string[]> {
  const folder = below(root, SCRIPTS)
  const known = units ?? (await unitFiles(ctx, root))
  const found: string[] = []
  for (const name of await namesIn(ctx.host, folder)) {
    if (!known.has(name) && (await ctx.host.access(`${folder}/${name}`, 'execute'))) found.push(name)
  }
  return found
}

export async function allUnits(ctx: FunctionContext, root: string | null = null): Promise<string[]> {
  const units = await unitFiles(ctx, root)
  return [...units, ...(await sysvServices(ctx, root, units))].sort()
}

async function defaultRunlevel(ctx: FunctionContext): Promise<string> {
  const sysinit = await textAt(ctx.host, '/etc/init/rc-sysinit.conf')
  if (sysinit === undefined) return '2'
  const [, first = '2'] = /^env DEFAULT_RUNLEVEL.*=(.*)$/m.exec(sysinit) ?? []
  const [, second] = /^[^#:\n]*:([^:]*):.*initdefault/m.exec((await textAt(ctx.host, '/etc/inittab')) ?? '') ?? []
  const third = splitWords((await textAt(ctx.host, '/proc/cmdline')) ?? '').find((word) =>
    /^([0-6sS]|-s|single)$/.test(word),
  )
  return third ?? second ?? first.trim()
}

async function runlevel(ctx: FunctionContext): Promise<string> {
  const key = 'systemd._runlevel'
  const known = ctx.memory.get(key)
  if (known !== undefined) return str(known)
  const shown = await outputOf(ctx, (await ctx.host.which('runlevel')) ?? 'runlevel', { ignore_retcode: true })
  const level = splitWords(shown)[1] ?? (await defaultRunlevel(ctx))
  ctx.memory.set(key, level)
  return level
}

export async function isSysvEnabled(ctx: FunctionContext, name: string, root: string | null): Promise<boolean> {
  const pattern = new RegExp(`^S\\d{0,2}${reEscape(name)}`)
  const links = await namesIn(ctx.host, below(root, `/etc/rc${await runlevel(ctx)}.d`))
  return links.some((link) => link.endsWith(name) && pattern.test(link))
}

/** Return the units whose file is in a state, such as `enabled`. */
export async function unitsInState(ctx: FunctionContext, state: string, root: string | null): Promise<Set<string>> {
  const list = await systemctl(ctx, '--full --no-legend --no-pager list-unit-files', { root })
  const found = new Set<string>()
  for (const line of splitLines(await outputOf(ctx, list, { ignore_retcode: true }))) {
    const [file, now] = splitWords(line)
    const name = now === state ? listedAs(file!) : undefined
    if (name !== undefined) found.add(name)
  }
  return found
}

export async function runningUnits(ctx: FunctionContext): Promise<string[]> {
  const list = await systemctl(ctx, '--full --no-legend --no-pager')
  const found = new Set<string>()
  for (const line of splitLines(await outputOf(ctx, list, { ignore_retcode: true }))) {
    const [unit = '', , , sub] = splitWords(line)
    const name = sub === 'running' ? listedAs(unit) : undefined
    if (name !== undefined) found.add(name)
  }
  return [...found].sort()
}

export async function isAvailable(ctx: FunctionContext, name: string): Promise<boolean> {
  const unknown = `Failed to get information on unit '${name}'`
  if (await isSystemdOffline(ctx.host)) {
    throw failure(`Cannot run in offline mode. ${unknown}`)
  }
  const { retcode, stdout } = await unitStatus(ctx, name)
  const version = await systemdVersion(ctx)
  if (version !== null && Number(version) >= 231) return retcode >= 0 && retcode < 4
  const shown = stdout.toLowerCase()
  if (shown.includes('could not be found')) return false
  const [, state] = /^\s+loaded:\s+(\S+)/m.exec(shown) ?? []
  if (state === undefined) throw failure(unknown)
  return state !== 'not-found'
}

export async function reloadDaemon(ctx: FunctionContext): Promise<true> {
  const outcome = await runAll(ctx, await systemctl(ctx, '--system daemon-reload'), { redirect_stderr: true })
  if (outcome.retcode === 0) return true
  throw failure(`Problem performing systemctl daemon-reload: ${outcome.stdout}`)
}

/** Reload systemd if unit files are newer than what systemd has loaded. */
export async function noticeChanges(ctx: FunctionContext, name: string): Promise<void> {
  const custom = `/etc/systemd/system/${unitName(name)}`
  const isUntracked = (await ctx.host.access(custom, 'read')) && !(await isAvailable(ctx, name))
  if (isUntracked || (await unitStatus(ctx, name)).stdout.toLowerCase().includes("'systemctl daemon-reload'")) {
    await reloadDaemon(ctx)
  }
}

/** Return whether the unit is a link to /dev/null. */
export async function isMasked(
  ctx: FunctionContext,
  name: string,
  runtime: boolean,
  root: string | null,
): Promise<boolean> {
  await noticeChanges(ctx, name)
  const path = below(root, `/${runtime ? 'run' : 'etc'}/systemd/system/${unitName(name)}`)
  try {
    return (await ctx.host.readLink(path)) === '/dev/null'
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('trace', `Service '${name}' is not masked: ${error.message}`)
    return false
  }
}

/** Return the properties that `systemctl show` lists. */
export async function properties(ctx: FunctionContext, name: string, root: string | null): Promise<Map<Value, Value>> {
  const found = new Map<Value, Value>()
  for (const line of splitLines(await outputOf(ctx, await systemctl(ctx, 'show', { name, root })))) {
    const equal = line.indexOf('=')
    const key = equal < 0 ? line : line.slice(0, equal)
    const value = equal < 0 ? '' : line.slice(equal + 1)
    if (value.startsWith('{')) found.set(key, structured(value))
    else if (['Before', 'After', 'Wants'].includes(key)) found.set(key, splitWords(value))
    else found.set(key, value)
  }
  return found
}

/** Parse `{ path=/bin/x ; argv[]=/bin/x -d ; … }`; as in Salt, a value ends at a second equals sign. */
function structured(value: string): Map<Value, Value> {
  const items = value.replaceAll(/[{}]/g, '').split(' ; ')
  return new Map(
    items.map((item): [Value, Value] => {
      const [key = '', text = ''] = item.split('=')
      return [key.trim(), text.trim()]
    }),
  )
}
