// Parameters that the module and the states of pip share.
import { arg, optionalText } from '../../../sdk/mod.ts'

const words = (doc: string) => arg.words(doc, { optional: true })
const off = (doc: string) => arg.flag(doc, { default: false })

export const bin_env = optionalText('Path of a virtualenv, of a Python or of a pip')
export const user = optionalText('User who runs pip')
export const cwd = optionalText('Directory to run pip in')
export const place = { bin_env, user, cwd }
export const requirements = arg.any('Path or URL of a requirements file, several separated by commas, or a list', {
  optional: true,
})
export const log = optionalText('Path of the log file of pip')
export const proxy = arg.any('URL of a proxy; False for none; default: the proxy of the minion', { optional: true })
export const timeout = arg.any('Connection timeout in seconds; another value than an integer fails', { optional: true })
export const use_vt = off('Show the output of pip while it runs')
export const extra_args = arg.any('List of further arguments of pip; a dict in it is an option and its value', {
  optional: true,
})
export const env_vars = arg.any('Dict of environment variables', { optional: true })
export const index_url = optionalText('URL of the package index')
export const extra_index_url = optionalText('URL of a further package index')

/** Options of an installation, up to those whose order differs between module and state. */
export const source = {
  use_wheel: off('Prefer wheels; pip 1.4 to 9.0.3'),
  no_use_wheel: off('Do not use wheels; pip 1.4 to 9.0.3'),
  log,
  proxy,
  timeout,
}

export const packageOptions = {
  editable: arg.any('Path or VCS URL to install in editable mode, several separated by commas, or a list', {
    optional: true,
  }),
  find_links: words('URLs or directories to search for archives'),
  index_url,
  extra_index_url,
  no_index: off('Do not use a package index'),
  mirrors: words('URLs of mirrors; pip before 7.0.0'),
  build: optionalText('Directory to build packages in'),
  target: optionalText('Directory to install packages to'),
  download: optionalText('Directory to download archives to, instead of installing them'),
  download_cache: optionalText('Directory of the cache'),
  source: optionalText('Directory for checkouts of editable packages'),
  upgrade: off('Upgrade packages to their newest version'),
  force_reinstall: off('Reinstall installed packages'),
  ignore_installed: off('Ignore installed packages'),
  exists_action: optionalText('Action for a path that exists: `s` (switch), `i` (ignore), `w` (wipe) or `b` (backup)'),
  no_deps: off('Do not install dependencies'),
  no_install: off('Download packages without installing them'),
  no_download: off('Use downloaded packages only'),
}

export const global_options = words('Options of setup.py before its command')
export const install_options = words('Options of the command of setup.py')

export const trustOptions = {
  user,
  cwd,
  pre_releases: off('Include prerelease versions'),
  cert: optionalText('Path of a bundle of certificates'),
  allow_all_external: off('Allow external packages; old versions of pip'),
  allow_external: words('External packages to allow; old versions of pip'),
  allow_unverified: words('Unverified packages to allow; old versions of pip'),
  process_dependency_links: off('Process dependency links; old versions of pip'),
}

export const trusted_host = optionalText('Host whose certificate is not checked')
export const no_cache_dir = off('Do not use a cache')
export const cache_dir = optionalText('Directory of the cache')
export const no_binary = arg.any(
  'Packages to build from source: `:all:`, `:none:`, names separated by commas, or a list',
  {
    optional: true,
  },
)
