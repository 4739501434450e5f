// Packages and applications of macOS, from files and from disk images.
import { compileRegex, type Dict, repr, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Wanted {
  name: string
  target: Value
  dmg: Value
  store: Value
  app: Value
  mpkg: Value
  force: Value
  allow_untrusted: Value
  version_check: Value
}

/** What the check of the version says, and whether it settles the matter. */
async function versionChecked(ctx: StateContext, check: Value): Promise<{ comment: string; done: boolean }> {
  const parts = check === null ? [] : str(check).split('=')
  if (parts.length !== 2) return { comment: '', done: false }
  const [command, wanted] = parts as [string, string]
  let version = ''
  try {
    version = (await ctx.call('cmd.run', [command], { output_loglevel: 'quiet', ignore_retcode: true })).trim()
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
  }
  if (compileRegex(wanted).match(version) !== null) return { comment: `Version already matches ${wanted}`, done: true }
  return { comment: `Version ${version} doesn't match ${wanted}. `, done: false }
}

interface Work extends Wanted {
  target: string
  /** Where the image is mounted. */
  mount: string | undefined
  /** What is installed: a file, or a pattern in the image. */
  source: string
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))

async function applications(ctx: StateContext, work: Work): Promise<string[] | undefined> {
  if (work.mount === undefined) return [baseOf(work.name)]
  const output = await ctx.call('cmd.run', ['ls -d *.app'], { cwd: work.mount, python_shell: true })
  return output.includes('.app') ? output.split('\n') : undefined
}

async function missingApplications(ctx: StateContext, work: Work, names: readonly string[]): Promise<string[]> {
  if (work.version_check !== null) return [...names]
  const missing: string[] = []
  for (const name of names) {
    const place = work.target.endsWith('.app') ? work.target : `${work.target.replace(/\/$/, '')}/${name}`
    if (work.force !== false || (await ctx.host.stat(place)) === undefined) missing.push(name)
  }
  return missing
}

type Report = { name: string; result: boolean | null; comment: string; changes: Dict }

async function installApplications(ctx: StateContext, work: Work, report: Report): Promise<StateReturn> {
  const names = await applications(ctx, work)
  if (names === undefined) {
    return { ...report, result: false, comment: `${report.comment}Unable to find .app in ${work.mount}` }
  }
  const missing = await missingApplications(ctx, work, names)
  if (ctx.test) return foreseen(report, missing)
  for (const name of missing) {
    const output = str(
      await ctx.call('macpackage.install_app', [`${work.mount ?? folderOf(work.name)}/${name}`, work.target]),
    )
    const kind = output === '' ? 'installed' : 'failed'
    report.comment += output === '' ? `${name} installed` : `${work.name} failed to install: ${output}`
    if (output !== '') report.result = false
    report.changes.set(kind, [...((report.changes.get(kind) as Value[] | undefined) ?? []), name])
  }
  return report
}

function foreseen(report: Report, missing: readonly string[]): StateReturn {
  if (missing.length === 0) return report
  return { ...report, result: null, comment: `${report.comment}${report.name} would be installed` }
}

async function installPackage(ctx: StateContext, work: Work, report: Report): Promise<StateReturn> {
  const there: Value[] = await ctx.call('macpackage.installed_pkgs')
  const ask = truthy(work.mpkg) ? 'macpackage.get_mpkg_ids' : 'macpackage.get_pkg_id'
  const ids = (await ctx.call(ask, [work.source])) as Value[]
  const missing = ids.filter((id) => work.force !== false || !there.includes(id))
  if (ids.length > 0 && missing.length === 0) return report
  if (ctx.test) return foreseen(report, ids.length > 0 ? missing.map((id) => str(id)) : [work.name])
  const call = [work.source, work.target, work.store, work.allow_untrusted]
  const outcome = await ctx.call('macpackage.install', call)
  if (outcome.get('retcode') !== 0) {
    return { ...report, result: false, comment: `${report.comment}. ${work.name} failed to install: ${repr(outcome)}` }
  }
  report.changes.set('installed', missing)
  return { ...report, comment: `${report.comment}${work.name} installed` }
}

async function installed(ctx: StateContext, wanted: Wanted): Promise<StateReturn> {
  const { name } = wanted
  const { comment, done } = await versionChecked(ctx, wanted.version_check)
  const report: Report = { name, result: true, comment, changes: new Map() }
  if (done) return report
  const isApp = truthy(wanted.app)
  const target = isApp && wanted.target === 'LocalSystem' ? '/Applications/' : str(wanted.target)
  const install = isApp ? installApplications : installPackage
  if (!truthy(wanted.dmg)) return install(ctx, { ...wanted, target, mount: undefined, source: name }, report)
  const [said, mount] = (await ctx.call('macpackage.mount', [name])).map((one) => str(one)) as [string, string]
  if (said.includes('attach failed')) return { ...report, result: false, comment: `${comment}Unable to mount ${name}` }
  const kind = isApp ? 'app' : truthy(wanted.mpkg) ? 'mpkg' : 'pkg'
  try {
    return await install(ctx, { ...wanted, target, mount, source: `${mount}/*.${kind}` }, report)
  } finally {
    await ctx.call('macpackage.unmount', [mount])
  }
}

export default defineState({
  name: 'macpackage',
  doc: 'Keep packages and applications of macOS.',
  when: ({ grains }) => grains.get('kernel') === 'Darwin' || 'Only supported on Mac OS',
  functions: {
    installed: state({
      doc: 'A package file or application is installed.',
      args: {
        name: arg.any('The file'),
        target: arg.any('Where it is installed', { default: 'LocalSystem' }),
        dmg: arg.flag('Whether it is a disk image', { default: false }),
        store: arg.flag('Whether it comes from the App Store', { default: false }),
        app: arg.flag('Whether it is an application', { default: false }),
        mpkg: arg.flag('Whether it is a package of packages', { default: false }),
        force: arg.flag('Whether an installed one is installed anew', { default: false }),
        allow_untrusted: arg.any('Whether its signature may be unknown', { default: false }),
        version_check: arg.any('A command, `=` and what its output begins with', { optional: true }),
      },
      run: (ctx, wanted) => installed(ctx, wanted as Wanted),
    }),
  },
})
