// Packages of Windows through Chocolatey.
import {
  type Dict,
  dictFrom,
  failure,
  hideMarked,
  markSecret,
  misuse,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import {
  type ChocolateyOptions,
  choco,
  chocolateyVersion,
  findChocolatey,
  isAtLeast,
  optionWords,
  silently,
} from './module/program.ts'

const off = (doc: string) => arg.isTrue(doc, { default: false })
const name = arg.text('Package name')
const version = arg.text('Version', { optional: true })
const source = arg.text('Source of packages, by name or URL', { optional: true })
const force = off('Reinstall the package')
const pre_versions = off('Include prerelease versions')
const override_args = off('Replace the arguments of the package instead of adding to them')
const ARGUMENTS = { install_args: arg.text('Arguments for the installer', { optional: true }), override_args }
const ARGS = {
  version,
  source,
  force,
  pre_versions,
  ...ARGUMENTS,
  force_x86: off('Install the 32-bit program'),
  package_args: arg.text('Arguments for the package', { optional: true }),
}
const output = ret.string('Output of Chocolatey')

const INSTALLED = [0, 1641, 3010]
const REMOVED = [0, 1, 1605, 1614, 1641]

interface Request extends ChocolateyOptions {
  readonly name: string
}

async function install(ctx: FunctionContext, given: Request): Promise<string> {
  if (given.force && given.allow_multiple) throw misuse("Cannot use 'force' in conjunction with 'allow_multiple'")
  const words = ['install', given.name, ...optionWords(given), ...(await silently(ctx, { progress: true }))]
  const { stdout } = await choco(ctx, words, INSTALLED)
  if (given.name === 'chocolatey') {
    for (const key of [...ctx.memory.keys()]) if (str(key).startsWith('chocolatey.')) ctx.memory.delete(key)
  }
  return stdout
}

async function upgrade(ctx: FunctionContext, given: Request): Promise<string> {
  const words = ['upgrade', given.name, ...optionWords(given), ...(await silently(ctx, { progress: true }))]
  return (await choco(ctx, words, INSTALLED)).stdout
}

const LIST = {
  narrow: arg.text('Part of the package names', { optional: true }),
  all_versions: off('List all versions'),
  pre_versions,
  source,
  local_only: arg.flag('List installed packages only', { default: false }),
  exact: arg.flag('Match the exact name', { default: false }),
}

async function list(ctx: FunctionContext, call: Partial<Bound<typeof LIST>>): Promise<Dict> {
  const { local_only: local = false } = call
  const modern = await isAtLeast(ctx, '2.0.0')
  const words = [
    modern && !local ? 'search' : 'list',
    ...(local && !modern ? ['--local-only'] : []),
    ...(call.narrow ? [call.narrow] : []),
    ...(call.all_versions ? ['--allversions'] : []),
    ...(call.pre_versions ? ['--prerelease'] : []),
    ...(call.source ? ['--source', call.source] : []),
    ...(call.exact ? ['--exact'] : []),
    '--limit-output',
  ]
  const { stdout } = await choco(ctx, words, [0, 2])
  const found: Dict = new Map()
  for (const line of stdout.split('\n')) {
    if (line.startsWith('No packages')) return found
    for (const [, one, version] of line.matchAll(/(\S+)\|(\S+)/g)) {
      if (one!.includes('chocolatey')) continue
      // names that differ only in case mean one package
      const known = [...found.keys()].find((key) => str(key).toLowerCase() === one!.toLowerCase()) ?? one!
      found.set(known, [...((found.get(known) as Value[] | undefined) ?? []), version!])
    }
  }
  return found
}

const VERSION = {
  name,
  check_remote: arg.flag('Query the source for available versions too', { default: false }),
  source,
  pre_versions,
}

async function versions(ctx: FunctionContext, given: Bound<typeof VERSION>): Promise<Dict> {
  const { name, check_remote, source, pre_versions } = given
  const small = name.toLowerCase()
  const facts: Dict = new Map()
  const take = (key: string, found: Dict): void => {
    for (const [one, list] of found) if (str(one).toLowerCase() === small) facts.set(key, list)
  }
  take('installed', await list(ctx, { narrow: name, local_only: true }))
  if (check_remote) take('available', await list(ctx, { narrow: name, pre_versions, source }))
  return facts.size > 0 ? new Map([[small, facts]]) : new Map()
}

async function sources(ctx: FunctionContext): Promise<Dict> {
  const { stdout } = await choco(ctx, ['source', '--limit-output'], [0, 2])
  const found: Dict = new Map()
  for (const line of stdout.split('\n')) {
    const parts = line.split('|')
    if (parts.length < 9 || found.has(parts[0]!)) continue
    found.set(parts[0]!, dictFrom({ 'URL: ': parts[1]!, Disabled: parts[2]!, 'User: ': parts[3]! }))
  }
  return found
}

const BOOTSTRAP = {
  force: arg.flag('Reinstall Chocolatey', { default: false }),
  source: arg.text('URL of the installer', { optional: true }),
  version,
}

async function bootstrap(ctx: FunctionContext, { force, source, version }: Bound<typeof BOOTSTRAP>): Promise<string> {
  try {
    const path = await findChocolatey(ctx)
    if (!force) return `Chocolatey found at ${path}`
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
  }
  const url = source || 'https://chocolatey.org/install.ps1'
  const folder = (await ctx.host.env()).get('TEMP') ?? 'C:\\Windows\\Temp'
  const file = `${folder}\\${url.slice(url.lastIndexOf('/') + 1)}`
  const fetched = await ctx.call('cp.get_url', [url, file])
  if (!truthy(fetched)) throw failure(`Failed to download Chocolatey Installer${source ? ' from source' : ''}`)
  let script = str(fetched)
  if (file.endsWith('.nupkg')) {
    await ctx.call('archive.unzip', [file, `${folder}\\chocolatey`], { extract_perms: false })
    script = `${folder}\\chocolatey\\tools\\chocolateyInstall.ps1`
  }
  if ((await ctx.host.stat(script)) === undefined) {
    throw failure(`Failed to find Chocolatey installation script: ${script}`)
  }
  const env = version ? new Map<Value, Value>([['chocolateyVersion', version]]) : null
  const cwd = script.slice(0, script.lastIndexOf('\\'))
  const options = { cwd, shell: 'powershell', python_shell: true, env }
  const outcome = await ctx.call('cmd.script', [script], options)
  if (outcome.get('retcode') !== 0) throw failure(`Bootstrapping Chocolatey failed: ${str(outcome.get('stderr')!)}`)
  return str(outcome.get('stdout')!)
}

async function unbootstrap(ctx: FunctionContext): Promise<string[]> {
  const removed: string[] = []
  const env = await ctx.host.env()
  const folders = [
    env.get('ChocolateyInstall'),
    `${env.get('ProgramData')}\\Chocolatey`,
    `${env.get('SystemDrive')}\\Chocolatey`,
  ]
  for (const path of folders) {
    if (path === undefined || (await ctx.host.stat(path)) === undefined) continue
    await ctx.call('file.remove', [path], { force: true })
    removed.push(`Removed Directory: ${path}`)
  }
  for (const key of env.keys()) {
    if (!key.toLowerCase().startsWith('chocolatey')) continue
    for (const permanent of ['HKLM', 'HKCU']) {
      await ctx.call('environ.setval', [key, false], { false_unsets: true, permanent })
    }
    removed.push(`Removed Environment Var: ${key}`)
  }
  return removed
}

type SourceArgs = { name: typeof name } & Partial<typeof ARGUMENTS & { version: typeof version }>

/** Declare an installation from one source. */
const from = (fun: string, doc: string, args: SourceArgs, source = fun) =>
  changes({
    doc,
    args,
    returns: output,
    example: `chocolatey.install_${fun} <package name>`,
    run: (ctx, given) => install(ctx, { ...given, source }),
  })

const sourceState = (verb: 'enable' | 'disable') =>
  changes({
    doc: `${verb === 'enable' ? 'Enable' : 'Disable'} a source.`,
    args: { name: arg.text('Name of the source') },
    returns: output,
    example: `chocolatey.${verb}_source <name>`,
    run: async (ctx, given) => (await choco(ctx, ['source', verb, '--name', given.name], [0])).stdout,
  })

const listFrom = (source: string) =>
  reads({
    doc: `List the packages of the source ${source}.`,
    returns: output,
    example: `chocolatey.list_${source}`,
    run: async (ctx) => {
      const verb = (await isAtLeast(ctx, '2.0.0')) ? 'search' : 'list'
      return (await choco(ctx, [verb, '--source', source], [0])).stdout
    },
  })

export default defineModule({
  name: 'chocolatey',
  doc: 'Manage packages of Windows with Chocolatey.',
  when: ({ grains }) => grains.get('kernel') === 'Windows' || 'Chocolatey: Requires Windows',
  functions: {
    chocolatey_version: reads({
      doc: 'Return the version of Chocolatey.',
      args: { refresh: arg.flag('Do not use the cached version', { default: false }) },
      returns: ret.string('Version'),
      run: (ctx, { refresh }) => chocolateyVersion(ctx, refresh),
    }),
    bootstrap: changes({
      doc: 'Install Chocolatey.',
      args: BOOTSTRAP,
      returns: ret.string('Output of the installer'),
      run: bootstrap,
    }),
    unbootstrap: changes({
      doc: 'Remove Chocolatey.',
      returns: ret.texts('What was removed'),
      run: unbootstrap,
    }),
    list: reads({
      doc: 'List the packages of a source, or the installed ones.',
      args: LIST,
      returns: ret.dict('Versions by package name'),
      example: 'chocolatey.list local_only=True',
      calledAs: 'list_',
      run: list,
    }),
    list_webpi: listFrom('webpi'),
    list_windowsfeatures: listFrom('windowsfeatures'),
    install: changes({
      doc: 'Install a package.',
      args: {
        name,
        ...ARGS,
        allow_multiple: off('Install several versions side by side'),
        execution_timeout: arg.text('Timeout in seconds', { optional: true }),
        virus_check: arg.flag('Scan files for viruses; default: as Chocolatey is configured', { optional: true }),
      },
      returns: output,
      example: 'chocolatey.install <package name>',
      run: install,
    }),
    install_cygwin: from('cygwin', 'Install a package of Cygwin.', { name, ...ARGUMENTS }),
    install_gem: from('gem', 'Install a Ruby gem.', { name, version, ...ARGUMENTS }, 'ruby'),
    install_python: from('python', 'Install a Python package.', { name, version, ...ARGUMENTS }),
    install_windowsfeatures: from('windowsfeatures', 'Install a Windows feature.', { name }),
    install_webpi: from('webpi', 'Install a package of the Web Platform Installer.', { name, ...ARGUMENTS }),
    install_missing: changes({
      doc: 'Install a package unless it is installed.',
      args: { name, version, source },
      returns: output,
      example: 'chocolatey.install_missing <package name>',
      run: (ctx, { name, version }) => install(ctx, { name, version }),
    }),
    uninstall: changes({
      doc: 'Remove a package.',
      args: {
        name,
        version,
        uninstall_args: arg.text('Arguments for the uninstaller', { optional: true }),
        override_args,
        force: arg.flag('Force the removal', { default: false }),
      },
      returns: output,
      example: 'chocolatey.uninstall <package name>',
      run: async (ctx, given) => {
        const { name, force, ...options } = given
        const words = ['uninstall', name, ...optionWords(options), ...(force ? ['--force'] : [])]
        words.push(...(await silently(ctx, { progress: false })))
        return (await choco(ctx, words, REMOVED)).stdout
      },
    }),
    upgrade: changes({
      doc: 'Upgrade a package.',
      args: { name, ...ARGS },
      returns: output,
      example: 'chocolatey.upgrade <package name>',
      run: upgrade,
    }),
    update: changes({
      doc: 'Upgrade a package to its newest version.',
      args: { name, source, pre_versions },
      returns: output,
      example: 'chocolatey.update <package name>',
      run: upgrade,
    }),
    version: reads({
      doc: 'Return the installed and the available versions of a package.',
      args: VERSION,
      returns: ret.dict('`installed` and `available` versions by package name'),
      example: 'chocolatey.version <package name> check_remote=True',
      run: versions,
    }),
    add_source: changes({
      doc: 'Add a source. Chocolatey takes a password only as an argument: other users of the machine may see it while the command runs.',
      args: {
        name: arg.text('Name of the source'),
        source_location: arg.text('URL or path of the source'),
        username: arg.text('User for the source', { optional: true }),
        password: arg.text('Password for the source', { optional: true, secret: true }),
        priority: arg.text('Priority; a source with a lower number comes first', { optional: true }),
      },
      returns: output,
      example: 'chocolatey.add_source <source name> <source_location>',
      run: async (ctx, { name, source_location, username, password, priority }) => {
        if (password) markSecret(password)
        const option = (word: string, value: string | null): string[] => (value ? [word, value] : [])
        const words = ['sources', 'add', '--name', name, '--source', source_location]
        words.push(...option('--user', username), ...option('--password', password), ...option('--priority', priority))
        return hideMarked((await choco(ctx, words, [0])).stdout)
      },
    }),
    enable_source: sourceState('enable'),
    disable_source: sourceState('disable'),
    list_sources: reads({
      doc: 'List the sources.',
      returns: ret.dict('Facts by source name'),
      run: sources,
    }),
  },
})
