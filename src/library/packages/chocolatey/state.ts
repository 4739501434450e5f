// Packages and sources of Chocolatey, and Chocolatey itself.
import { isA, recover } from '../../../base/mod.ts'
import {
  compareDicts,
  type Dict,
  dictFrom,
  misuse,
  SaltError,
  str,
  truthy,
  type Value,
  versionHolds,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  optionalText,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'

const off = (doc: string) => arg.flag(doc, { default: false })
const name = arg.text('Package name')
const version = optionalText('Version')
const override_args = off('Replace the arguments of the package instead of adding to them')

const UPGRADED = {
  name,
  version,
  source: optionalText('Source of packages, by name or URL'),
  force: off('Reinstall the package'),
  pre_versions: off('Include prerelease versions'),
  install_args: optionalText('Arguments for the installer'),
  override_args,
  force_x86: off('Install the 32-bit program'),
  package_args: optionalText('Arguments for the package'),
}

const INSTALLED = {
  ...UPGRADED,
  allow_multiple: off('Install several versions side by side'),
  execution_timeout: optionalText('Timeout in seconds'),
  virus_check: arg.flag('Scan files for viruses; default: as Chocolatey is configured', { optional: true }),
}

const UNINSTALLED = { name, version, uninstall_args: optionalText('Arguments for the uninstaller'), override_args }

const SOURCE = {
  name: arg.text('Name of the source'),
  source_location: arg.text('URL or path of the source'),
  username: optionalText('User for the source'),
  password: arg.text('Password for the source', { optional: true, secret: true }),
  force: off('Set a source again that is present'),
  priority: optionalText('Priority; a source with a lower number comes first'),
}

const BOOTSTRAPPED = {
  name: arg.text('Name of the state'),
  force: off('Reinstall Chocolatey'),
  source: optionalText('URL of the installer'),
  version,
}

const report = (name: string, result: boolean | null, comment: string, changes: Value = new Map()): StateReturn => ({
  name,
  result,
  changes,
  comment,
})

const listed = async (ctx: StateContext): Promise<Dict> => ctx.call('chocolatey.list', [], { local_only: true })

const keyIn = (packages: Dict, name: string): Value | undefined =>
  [...packages.keys()].find((key) => str(key).toLowerCase() === name.toLowerCase())

const same = (installed: Value, version: Value): boolean => versionHolds(str(installed), '==', str(version))

/** Run a change, and report the differences after it. */
async function applied(
  name: string,
  before: Dict,
  look: () => Promise<Dict>,
  act: () => Value | Promise<Value>,
  texts: readonly [done: string, failed: string],
): Promise<StateReturn> {
  const failed = str(await act()).includes('Running chocolatey failed')
  return report(name, !failed, failed ? texts[1] : texts[0], compareDicts(before, await look()))
}

async function installed(ctx: StateContext, given: Bound<typeof INSTALLED>): Promise<StateReturn> {
  const { name, allow_multiple } = given
  if (given.force && allow_multiple) throw misuse("Cannot use 'force' in conjunction with 'allow_multiple'")
  let [version, force]: [Value, boolean] = [given.version, given.force]
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
    const again = force ? 'will be reinstalled' : 'is already installed'
    if (!truthy(version)) {
      comment = `${name} ${str(wanted)} ${again}`
      if (!force) return report(name, true, comment)
    } else if (same(present, version)) comment = `${name} ${str(version)} ${again}`
    else if (allow_multiple) {
      comment = `${name} ${str(version)} will be installed side by side with ${name} ${str(present)} if supported`
    } else {
      comment = `${name} ${str(version)} will be installed over ${name} ${str(present)}`
      force = true
    }
    version = wanted
  }
  if (ctx.test) return report(name, null, comment)
  const act = () => ctx.call('chocolatey.install', [], { ...given, version, force })
  return applied(name, before, () => listed(ctx), act, [`${name} installed successfully`, `Failed to install ${name}`])
}

async function uninstalled(ctx: StateContext, given: Bound<typeof UNINSTALLED>): Promise<StateReturn> {
  const { name, version, uninstall_args, override_args } = given
  const before = await listed(ctx)
  const key = keyIn(before, name)
  if (key === undefined) return report(name, true, `The package ${name} is not installed`)
  const versions = before.get(name)
  const first = Array.isArray(versions) ? ` ${str(versions[0] ?? null)}` : ''
  if (ctx.test) return report(name, null, `${name}${first} will be removed`)
  const act = () => ctx.call('chocolatey.uninstall', [name, version, uninstall_args, override_args])
  const texts = [`${name} uninstalled successfully`, `Failed to uninstall ${name}`] as const
  return applied(name, before, () => listed(ctx), act, texts)
}

async function upgraded(ctx: StateContext, given: Bound<typeof UPGRADED>): Promise<StateReturn> {
  const { name, source, force } = given
  let version: Value = given.version
  const before = await listed(ctx)
  let comment = truthy(version)
    ? `${name} ${str(version)} will be installed`
    : `Latest version of ${name} will be installed`
  if (keyIn(before, name) !== undefined) {
    const known = await ctx.call('chocolatey.version', [], { name, check_remote: true, source })
    const facts = known.get(keyIn(known, name) ?? name) as Dict
    const present = str((facts.get('installed') as Value[])[0]!)
    const available = facts.get('available') as Value[] | undefined
    if (!truthy(version) && available) version = available[0]!
    if (!truthy(version)) return report(name, true, 'No version found to install')
    if (same(present, version)) {
      if (!force) return report(name, true, `${name} ${str(version)} is already installed`)
      comment = `${name} ${str(version)} will be reinstalled`
    } else if (versionHolds(present, '<', str(version))) {
      comment = `${name} ${present} will be upgraded to version ${str(version)}`
    } else return report(name, true, `${name} ${present} (newer) is already installed`)
  }
  if (ctx.test) return report(name, null, comment)
  const act = () => ctx.call('chocolatey.upgrade', [], { ...given, version })
  return applied(name, before, () => listed(ctx), act, [`${name} upgraded successfully`, `Failed to upgrade ${name}`])
}

async function sourcePresent(ctx: StateContext, { force, ...source }: Bound<typeof SOURCE>): Promise<StateReturn> {
  const { name } = source
  const look = async (): Promise<Dict> => ctx.call('chocolatey.list_sources')
  const before = await look()
  const known = keyIn(before, name) !== undefined
  if (known && !force) return report(name, true, `${name} is already present`)
  if (ctx.test) return report(name, null, `${name} will be ${known ? 'updated' : 'added'}`)
  const act = () => ctx.call('chocolatey.add_source', [], source)
  return applied(name, before, look, act, [`Source ${name} added successfully`, `Failed to add the source ${name}`])
}

/** Return the version of Chocolatey; None without Chocolatey. */
async function ownVersion(ctx: StateContext, refresh = false): Promise<string | null> {
  return recover(isA(SaltError), null, () => ctx.call('chocolatey.chocolatey_version', [], refresh ? { refresh } : {}))
}

const HINT = 'Use "choco upgrade chocolatey --version 2.1.0" to change the version'

async function bootstrapped(ctx: StateContext, call: Bound<typeof BOOTSTRAPPED>): Promise<StateReturn> {
  const { name, force, source, version } = call
  const old = await ownVersion(ctx)
  if (old && !force) return report(name, true, `Chocolatey ${old} is already installed.\n${HINT}`)
  const wanted =
    version === null ? 'The latest version of Chocolatey will be installed' : `Chocolatey ${version} will be installed`
  if (ctx.test) return report(name, null, old ? `Chocolatey ${old} will be reinstalled\n${HINT}` : wanted)
  await ctx.call('chocolatey.bootstrap', [], { force, source, version })
  const now = await ownVersion(ctx, true)
  if (now === null) return report(name, false, 'Failed to install chocolatey None')
  if (old !== null && same(old, now)) return report(name, true, `Re-installed chocolatey ${now}`)
  const changes = dictFrom({ old, new: now })
  return report(name, true, `Installed chocolatey ${now}`, changes)
}

async function unbootstrapped(ctx: StateContext, name: string): Promise<StateReturn> {
  const old = await ownVersion(ctx)
  if (old === null) return report(name, true, 'Chocolatey not found on this system')
  if (ctx.test) return report(name, null, `Chocolatey ${old} will be removed`)
  await ctx.call('chocolatey.unbootstrap')
  const now = await ownVersion(ctx, true)
  if (now !== null) return report(name, false, `Failed to uninstall chocolatey ${old}\nFound version ${now}`)
  const changes = dictFrom({ new: null, old })
  return report(name, true, `Uninstalled chocolatey ${old}`, changes)
}

export default defineState({
  name: 'chocolatey',
  doc: 'Manage packages and sources of Chocolatey.',
  when: ({ grains }) => grains.get('kernel') === 'Windows' || 'chocolatey module could not be loaded',
  functions: {
    installed: state({ doc: 'Ensure that a package is installed.', args: INSTALLED, run: installed }),
    uninstalled: state({ doc: 'Ensure that a package is not installed.', args: UNINSTALLED, run: uninstalled }),
    upgraded: state({
      doc: 'Ensure that a package has the given version, or its newest one.',
      args: UPGRADED,
      run: upgraded,
    }),
    source_present: state({ doc: 'Ensure that a source is configured.', args: SOURCE, run: sourcePresent }),
    bootstrapped: state({ doc: 'Ensure that Chocolatey is installed.', args: BOOTSTRAPPED, run: bootstrapped }),
    unbootstrapped: state({
      doc: 'Ensure that Chocolatey is not installed.',
      args: { name: BOOTSTRAPPED.name },
      run: (ctx, { name }) => unbootstrapped(ctx, name),
    }),
  },
})
