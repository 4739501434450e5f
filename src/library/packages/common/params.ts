// Parameters and returns that the providers of `pkg` share, each with one type and one meaning.
import { type Arg, arg, ret } from '../../../sdk/mod.ts'

/** A package that must be given. */
export const pkg = arg.text('Package name')

/** The packages that a call installs, removes or holds. */
export const name = arg.text('Package name, or several names separated by commas', { optional: true })
export const pkgs = arg.textListOrDict('List of package names or of dicts `{name: version}`; overrides `name`', {
  optional: true,
})
export const sources = arg.textListOrDict('List of dicts `{name: path or URL}` of package files', { optional: true })

export const names = arg.rest('Package names')
export const paths = arg.rest('File paths')
export const kwargs = arg.open('Further options')

export const refresh = (otherwise: boolean): Arg<boolean> =>
  arg.isTrue('Refresh the package database first', { default: otherwise })
export const root = arg.text('Alternative root directory', { optional: true })
export const saltenv = arg.text('Saltenv in which `salt://` files are looked up', { default: 'base' })
export const fromrepo = arg.text('Repository to take packages from', { optional: true })
export const versions_as_list = arg.isTrue('Return versions as lists', { default: false })
export const ignore_epoch = arg.flag('Ignore epochs when versions are compared', { default: false })
export const skip_verify = arg.flag('Skip the check of signatures', { default: false })
export const normalize = arg.flag('Drop the architecture of this machine from package names', { default: true })

/** A flag that is off by default. */
export const off = (doc: string): Arg<boolean> => arg.flag(doc, { default: false })

export const versionsByName = ret.dict('Versions by package name')
export const versionChanges = ret.dict('`old` and `new` version by package name')
export const holdReports = ret.dict('Report by package name')
export const nameAndArch = ret.dict('`name` and `arch`')
export const repoSettings = ret.dict('Settings of the repository')
