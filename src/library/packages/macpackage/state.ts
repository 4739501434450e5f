// Packages and applications of macOS, from files and from disk images.
import { compileRegex, type Dict, repr, SaltError, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  optionalText,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'

const INSTALLED = {
  name: arg.text('Path of the package file, application or disk image'),
  target: arg.text('Volume, domain or directory to install to', { default: 'LocalSystem' }),
  dmg: arg.flag('Treat the file as a disk image', { default: false }),
  store: arg.flag('Install as a package of the App Store', { default: false }),
  app: arg.flag('Install an application instead of a package', { default: false }),
  mpkg: arg.flag('Treat the file as a metapackage', { default: false }),
  force: arg.flag('Install even if the package is installed', { default: false }),
  allow_untrusted: arg.flag('Accept an untrusted signature', { default: false }),
  version_check: optionalText('Command, `=` and a regular expression that the start of its output must match'),
}

type Wanted = Bound<typeof INSTALLED>

/** Check the version, and return a comment and whether the state is done. */
async function versionChecked(ctx: StateContext, check: string | null): Promise<{ comment: string; done: boolean }> {
  const parts = check?.split('=') ?? []
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
  /** Mount point of the disk image. */
  mount: string | undefined
  /** File to install, or a pattern in the disk image. */
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
    if (work.force || (await ctx.host.stat(place)) === undefined) missing.push(name)
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
    const path = `${work.mount ?? folderOf(work.name)}/${name}`
    const output = await ctx.call('macpackage.install_app', [path, work.target])
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
  const there = await ctx.call('macpackage.installed_pkgs')
  const ids = await ctx.call(work.mpkg ? 'macpackage.get_mpkg_ids' : 'macpackage.get_pkg_id', [work.source])
  const missing = ids.filter((id) => work.force || !there.includes(id))
  if (ids.length > 0 && missing.length === 0) return report
  if (ctx.test) return foreseen(report, ids.length > 0 ? missing : [work.name])
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
  const target = wanted.app && wanted.target === 'LocalSystem' ? '/Applications/' : wanted.target
  const install = wanted.app ? installApplications : installPackage
  if (!wanted.dmg) return install(ctx, { ...wanted, target, mount: undefined, source: name }, report)
  const [said = '', mount = ''] = await ctx.call('macpackage.mount', [name])
  if (said.includes('attach failed')) return { ...report, result: false, comment: `${comment}Unable to mount ${name}` }
  const kind = wanted.app ? 'app' : wanted.mpkg ? 'mpkg' : 'pkg'
  try {
    return await install(ctx, { ...wanted, target, mount, source: `${mount}/*.${kind}` }, report)
  } finally {
    await ctx.call('macpackage.unmount', [mount])
  }
}

export default defineState({
  name: 'macpackage',
  doc: 'Manage packages and applications of macOS.',
  when: ({ grains }) => grains.get('kernel') === 'Darwin' || 'Only supported on Mac OS',
  functions: {
    installed: state({
      doc: 'Ensure that a package file or an application is installed.',
      args: INSTALLED,
      run: installed,
    }),
  },
})
