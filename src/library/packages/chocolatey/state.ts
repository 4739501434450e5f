// Packages and sources of Chocolatey, and Chocolatey itself.
import { compareDicts, type Dict, SaltError, str, truthy, type Value, versionHolds } from '../../../data/mod.ts'
import { type Arg, arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Given = Readonly<Record<string, Value>>

const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
const OPTIONS = {
  version: optional('The version'),
  source: arg.text('Where packages come from', { optional: true }),
  force: arg.flag('Whether installed packages are installed anew', { default: false }),
  pre_versions: arg.flag('Include versions before a release', { default: false }),
  install_args: optional('Arguments for the installer'),
  override_args: arg.flag("Whether they replace the package's own", { default: false }),
  force_x86: arg.flag('Whether the program for 32 bits is installed', { default: false }),
  package_args: optional('Arguments for the package'),
}

const report = (name: Value, result: boolean | null, comment: string, changes: Value = new Map()): StateReturn => ({
  name,
  result,
  changes,
  comment,
})

const listed = async (ctx: StateContext): Promise<Dict> => await ctx.call('chocolatey.list', [], { local_only: true })

const keyIn = (packages: Dict, name: string): Value | undefined =>
  [...packages.keys()].find((key) => str(key).toLowerCase() === name.toLowerCase())

const same = (installed: Value, version: Value): boolean => versionHolds(str(installed), '==', str(version))

/** Runs a change and reports what differs afterwards. */
async function changed(
  name: string,
  before: Dict,
  look: () => Promise<Dict>,
  act: () => Value | Promise<Value>,
  texts: readonly [done: string, failed: string],
): Promise<StateReturn> {
  const failed = str(await act()).includes('Running chocolatey failed')
  return report(name, !failed, failed ? texts[1] : texts[0], compareDicts(before, await look()))
}

async function installed(ctx: StateContext, given: Given): Promise<StateReturn> {
  if (truthy(given['force']!) && truthy(given['allow_multiple']!)) {
    throw new SaltError('SaltInvocationError', "Cannot use 'force' in conjunction with 'allow_multiple'")
  }
  const name = str(given['name']!)
  let [version, force] = [given['version']!, given['force']!]
  const before = await listed(ctx)
  const key = keyIn(before, name)
  let comment: string
  if (key === undefined) {
    comment = truthy(version)
      ? `${name} ${str(version)} will be installed`
      : `Latest version of ${name} will be installed`
  } else {
    const present = before.get(key)!
    const wanted = truthy(version) ? version : present
    const again = truthy(force) ? 'will be reinstalled' : 'is already installed'
    if (!truthy(version)) {
      comment = `${name} ${str(wanted)} ${again}`
      if (!truthy(force)) return report(name, true, comment)
    } else if (same(present, version)) comment = `${name} ${str(version)} ${again}`
    else if (truthy(given['allow_multiple']!)) {
      comment = `${name} ${str(version)} will be installed side by side with ${name} ${str(present)} if supported`
    } else {
      comment = `${name} ${str(version)} will be installed over ${name} ${str(present)}`
      force = true
    }
    version = wanted
  }
  if (ctx.test) return report(name, null, comment)
  const act = () => ctx.call('chocolatey.install', [], { ...given, version, force })
  return changed(name, before, () => listed(ctx), act, [`${name} installed successfully`, `Failed to install ${name}`])
}

async function uninstalled(ctx: StateContext, given: Given): Promise<StateReturn> {
  const name = str(given['name']!)
  const before = await listed(ctx)
  const key = keyIn(before, name)
  if (key === undefined) return report(name, true, `The package ${name} is not installed`)
  const versions = before.get(name)
  const first = Array.isArray(versions) ? ` ${str((versions as Value[])[0]!)}` : ''
  if (ctx.test) return report(name, null, `${name}${first} will be removed`)
  const act = () =>
    ctx.call('chocolatey.uninstall', [name, given['version']!, given['uninstall_args']!, given['override_args']!])
  const texts = [`${name} uninstalled successfully`, `Failed to uninstall ${name}`] as const
  return changed(name, before, () => listed(ctx), act, texts)
}

async function upgraded(ctx: StateContext, given: Given): Promise<StateReturn> {
  const name = str(given['name']!)
  let version = given['version']!
  const before = await listed(ctx)
  let comment = truthy(version)
    ? `${name} ${str(version)} will be installed`
    : `Latest version of ${name} will be installed`
  if (keyIn(before, name) !== undefined) {
    const known = await ctx.call('chocolatey.version', [], {
      name,
      check_remote: true,
      source: given['source']!,
    })
    const facts = known.get(keyIn(known, name) ?? name) as Dict
    const present = str((facts.get('installed') as Value[])[0]!)
    const available = facts.get('available') as Value[] | undefined
    if (!truthy(version) && available) version = available[0]!
    if (!truthy(version)) return report(name, true, 'No version found to install')
    if (same(present, version)) {
      if (!truthy(given['force']!)) return report(name, true, `${name} ${str(version)} is already installed`)
      comment = `${name} ${str(version)} will be reinstalled`
    } else if (versionHolds(present, '<', str(version))) {
      comment = `${name} ${present} will be upgraded to version ${str(version)}`
    } else return report(name, true, `${name} ${present} (newer) is already installed`)
  }
  if (ctx.test) return report(name, null, comment)
  const act = () => ctx.call('chocolatey.upgrade', [], { ...given, version })
  return changed(name, before, () => listed(ctx), act, [`${name} upgraded successfully`, `Failed to upgrade ${name}`])
}

async function sourcePresent(ctx: StateContext, given: Given): Promise<StateReturn> {
  const { force, ...source } = given
  const name = str(given['name']!)
  const look = async (): Promise<Dict> => await ctx.call('chocolatey.list_sources')
  const before = await look()
  const known = keyIn(before, name) !== undefined
  if (known && !truthy(force!)) return report(name, true, `${name} is already present`)
  if (ctx.test) return report(name, null, `${name} will be ${known ? 'updated' : 'added'}`)
  const act = () => ctx.call('chocolatey.add_source', [], source)
  return changed(name, before, look, act, [`Source ${name} added successfully`, `Failed to add the source ${name}`])
}

/** The version of Chocolatey, or None without it. */
async function ownVersion(ctx: StateContext, refresh = false): Promise<Value> {
  try {
    return await ctx.call('chocolatey.chocolatey_version', [], refresh ? { refresh } : {})
  } catch (error) {
    if (error instanceof SaltError) return null
    throw error
  }
}

const HINT = 'Use "choco upgrade chocolatey --version 2.1.0" to change the version'

async function bootstrapped(ctx: StateContext, { name, force, source, version }: Given): Promise<StateReturn> {
  const old = await ownVersion(ctx)
  if (truthy(old) && !truthy(force!))
    return report(name!, true, `Chocolatey ${str(old)} is already installed.\n${HINT}`)
  const wanted =
    version === null
      ? 'The latest version of Chocolatey will be installed'
      : `Chocolatey ${str(version!)} will be installed`
  if (ctx.test) return report(name!, null, truthy(old) ? `Chocolatey ${str(old)} will be reinstalled\n${HINT}` : wanted)
  await ctx.call('chocolatey.bootstrap', [], { force: force!, source: source!, version: version! })
  const now = await ownVersion(ctx, true)
  if (now === null) return report(name!, false, 'Failed to install chocolatey None')
  if (old !== null && same(old, now)) return report(name!, true, `Re-installed chocolatey ${str(now)}`)
  const changes = new Map<Value, Value>(Object.entries({ old, new: now }))
  return report(name!, true, `Installed chocolatey ${str(now)}`, changes)
}

async function unbootstrapped(ctx: StateContext, { name }: Given): Promise<StateReturn> {
  const old = await ownVersion(ctx)
  if (old === null) return report(name!, true, 'Chocolatey not found on this system')
  if (ctx.test) return report(name!, null, `Chocolatey ${str(old)} will be removed`)
  await ctx.call('chocolatey.unbootstrap')
  const now = await ownVersion(ctx, true)
  if (now !== null) return report(name!, false, `Failed to uninstall chocolatey ${str(old)}\nFound version ${str(now)}`)
  const changes = new Map<Value, Value>(Object.entries({ new: null, old }))
  return report(name!, true, `Uninstalled chocolatey ${str(old)}`, changes)
}

const name = arg.text('The package')

export default defineState({
  name: 'chocolatey',
  doc: 'Keep packages of Chocolatey.',
  when: ({ grains }) => grains.get('kernel') === 'Windows' || 'chocolatey module could not be loaded',
  functions: {
    installed: state({
      doc: 'A package is installed.',
      args: {
        name,
        ...OPTIONS,
        allow_multiple: arg.flag('Whether versions may stand side by side', { default: false }),
        execution_timeout: optional('Seconds'),
        virus_check: optional('Whether files are checked for viruses'),
      },
      run: (ctx, given) => installed(ctx, given as Given),
    }),
    uninstalled: state({
      doc: 'A package is not installed.',
      args: {
        name,
        version: OPTIONS.version,
        uninstall_args: optional('Arguments for the uninstaller'),
        override_args: OPTIONS.override_args,
      },
      run: (ctx, given) => uninstalled(ctx, given as Given),
    }),
    upgraded: state({
      doc: 'A package is installed in its newest version, or in a wanted one.',
      args: { name, ...OPTIONS },
      run: (ctx, given) => upgraded(ctx, given as Given),
    }),
    source_present: state({
      doc: 'A source of packages is known.',
      args: {
        name: arg.any('Its name'),
        source_location: arg.any('Where it is'),
        username: optional('A user there'),
        password: arg.any('The password', { optional: true, secret: true }),
        force: arg.flag('Whether a known one is set anew', { default: false }),
        priority: optional('Its priority'),
      },
      run: (ctx, given) => sourcePresent(ctx, given as Given),
    }),
    bootstrapped: state({
      doc: 'Chocolatey is installed.',
      args: {
        name: arg.any('Any text'),
        force: OPTIONS.force,
        source: arg.text('Its installer', { optional: true }),
        version: OPTIONS.version,
      },
      run: (ctx, given) => bootstrapped(ctx, given as Given),
    }),
    unbootstrapped: state({
      doc: 'Chocolatey is not installed.',
      args: { name: arg.any('Any text') },
      run: (ctx, given) => unbootstrapped(ctx, given as Given),
    }),
  },
})
