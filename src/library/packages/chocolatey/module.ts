// Packages of Windows through Chocolatey.
import { lookup } from '../../../base/mod.ts'
import { type Dict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { type Arg, arg, changes, defineModule, type FunctionContext, isTrue, reads, ret } from '../../../sdk/mod.ts'
import {
  choco,
  chocolateyVersion,
  failure,
  findChocolatey,
  isAtLeast,
  optionWords,
  silently,
} from './module/program.ts'

type Given = Readonly<Record<string, Value>>

const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
const off = (doc: string): Arg<Value> => arg.any(doc, { default: false })
const name = arg.any('The package')
const ARGS: Record<string, Arg<Value>> = lookup({
  version: optional('The version'),
  source: optional('Where packages come from'),
  force: off('Whether installed packages are installed anew'),
  pre_versions: off('Include versions before a release'),
  install_args: optional('Arguments for the installer'),
  override_args: off("Whether they replace the package's own"),
  force_x86: off('Whether the program for 32 bits is installed'),
  package_args: optional('Arguments for the package'),
})
const some = (names: string): Record<string, Arg<Value>> =>
  Object.fromEntries(names.split(' ').map((one) => [one, ARGS[one]!]))

const INSTALLED = [0, 1641, 3010]
const REMOVED = [0, 1, 1605, 1614, 1641]

async function install(ctx: FunctionContext, given: Given): Promise<string> {
  if (truthy(given['force'] ?? null) && truthy(given['allow_multiple'] ?? null)) {
    throw new SaltError('SaltInvocationError', "Cannot use 'force' in conjunction with 'allow_multiple'")
  }
  const words = ['install', str(given['name']!), ...optionWords(given), ...(await silently(ctx, { progress: true }))]
  const { stdout } = await choco(ctx, words, INSTALLED)
  if (given['name'] === 'chocolatey') {
    for (const key of [...ctx.memory.keys()]) if (str(key).startsWith('chocolatey.')) ctx.memory.delete(key)
  }
  return stdout
}

async function upgrade(ctx: FunctionContext, given: Given): Promise<string> {
  const words = ['upgrade', str(given['name']!), ...optionWords(given), ...(await silently(ctx, { progress: true }))]
  return (await choco(ctx, words, INSTALLED)).stdout
}

interface Listing {
  narrow?: Value
  all_versions?: Value
  pre_versions?: Value
  source?: Value
  local_only?: Value
  exact?: Value
}

async function list(ctx: FunctionContext, call: Listing): Promise<Dict> {
  const local = truthy(call.local_only ?? null)
  const modern = await isAtLeast(ctx, '2.0.0')
  const words = [
    modern && !local ? 'search' : 'list',
    ...(local && !modern ? ['--local-only'] : []),
    ...(truthy(call.narrow ?? null) ? [str(call.narrow!)] : []),
    ...(isTrue(call.all_versions ?? null) ? ['--allversions'] : []),
    ...(isTrue(call.pre_versions ?? null) ? ['--prerelease'] : []),
    ...(truthy(call.source ?? null) ? ['--source', str(call.source!)] : []),
    ...(truthy(call.exact ?? null) ? ['--exact'] : []),
    '--limit-output',
  ]
  const { stdout } = await choco(ctx, words, [0, 2])
  const found: Dict = new Map()
  for (const line of stdout.split('\n')) {
    if (line.startsWith('No packages')) return found
    for (const [, one, version] of line.matchAll(/(\S+)\|(\S+)/g)) {
      if (one!.includes('chocolatey')) continue
      // names differ in case only by accident
      const known = [...found.keys()].find((key) => str(key).toLowerCase() === one!.toLowerCase()) ?? one!
      found.set(known, [...((found.get(known) as Value[] | undefined) ?? []), version!])
    }
  }
  return found
}

async function versions(ctx: FunctionContext, given: Given): Promise<Dict> {
  const small = str(given['name']!).toLowerCase()
  const facts: Dict = new Map()
  const take = (key: string, found: Dict): void => {
    for (const [one, list] of found) if (str(one).toLowerCase() === small) facts.set(key, list)
  }
  take('installed', await list(ctx, { narrow: given['name']!, local_only: true }))
  if (truthy(given['check_remote']!)) {
    const { pre_versions = null, source = null } = given
    take('available', await list(ctx, { narrow: given['name']!, pre_versions, source }))
  }
  return facts.size > 0 ? new Map([[small, facts]]) : new Map()
}

async function sources(ctx: FunctionContext): Promise<Dict> {
  const { stdout } = await choco(ctx, ['source', '--limit-output'], [0, 2])
  const found: Dict = new Map()
  for (const line of stdout.split('\n')) {
    const parts = line.split('|')
    if (parts.length < 9 || found.has(parts[0]!)) continue
    found.set(
      parts[0]!,
      new Map<Value, Value>(Object.entries({ 'URL: ': parts[1]!, Disabled: parts[2]!, 'User: ': parts[3]! })),
    )
  }
  return found
}

async function bootstrap(ctx: FunctionContext, { force, source, version }: Given): Promise<string> {
  try {
    const path = await findChocolatey(ctx)
    if (!truthy(force!)) return `Chocolatey found at ${path}`
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
  }
  const url = truthy(source!) ? str(source!) : 'https://chocolatey.org/install.ps1'
  const folder = (await ctx.host.env()).get('TEMP') ?? 'C:\\Windows\\Temp'
  const file = `${folder}\\${url.slice(url.lastIndexOf('/') + 1)}`
  const fetched = await ctx.call('cp.get_url', [url, file])
  if (!truthy(fetched)) throw failure(`Failed to download Chocolatey Installer${truthy(source!) ? ' from source' : ''}`)
  let script = str(fetched)
  if (file.endsWith('.nupkg')) {
    await ctx.call('archive.unzip', [file, `${folder}\\chocolatey`], { extract_perms: false })
    script = `${folder}\\chocolatey\\tools\\chocolateyInstall.ps1`
  }
  if ((await ctx.host.stat(script)) === undefined) {
    throw failure(`Failed to find Chocolatey installation script: ${script}`)
  }
  const env = truthy(version!) ? new Map<Value, Value>([['chocolateyVersion', version!]]) : null
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

/** Installing from a source that the function's name stands for. */
const from = (source: string, doc: string, args: string) =>
  changes({
    doc,
    args: { name, ...some(args) },
    returns: ret.string('What Chocolatey says'),
    example: `chocolatey.install_${source} <package name>`,
    run: (ctx, given) => install(ctx, { ...(given as Given), source }),
  })

const sourceState = (verb: 'enable' | 'disable') =>
  changes({
    doc: `${verb === 'enable' ? 'Switch a source on' : 'Switch a source off'}.`,
    args: { name: arg.text('The source') },
    returns: ret.string('What Chocolatey says'),
    example: `chocolatey.${verb}_source <name>`,
    run: async (ctx, given) => (await choco(ctx, ['source', verb, '--name', given.name], [0])).stdout,
  })

const listFrom = (source: string) =>
  reads({
    doc: `Packages of the source ${source}.`,
    args: {},
    returns: ret.string('What Chocolatey says'),
    example: `chocolatey.list_${source}`,
    run: async (ctx) => {
      const verb = (await isAtLeast(ctx, '2.0.0')) ? 'search' : 'list'
      return (await choco(ctx, [verb, '--source', source], [0])).stdout
    },
  })

export default defineModule({
  name: 'chocolatey',
  doc: 'Install packages with Chocolatey.',
  when: ({ grains }) => grains.get('kernel') === 'Windows' || 'Chocolatey: Requires Windows',
  functions: {
    chocolatey_version: reads({
      doc: 'The version of Chocolatey.',
      args: { refresh: arg.flag('Whether it is asked anew', { default: false }) },
      returns: ret.string('The version'),
      example: 'chocolatey.chocolatey_version',
      run: (ctx, { refresh }) => chocolateyVersion(ctx, refresh),
    }),
    bootstrap: changes({
      doc: 'Install Chocolatey.',
      args: {
        force: arg.flag('Whether an installed one is installed anew', { default: false }),
        source: arg.text('Its installer', { optional: true }),
        version: optional('The version'),
      },
      returns: ret.string('What the installer says'),
      example: 'chocolatey.bootstrap',
      run: (ctx, given) => bootstrap(ctx, given as Given),
    }),
    unbootstrap: changes({
      doc: 'Remove Chocolatey.',
      args: {},
      returns: ret.texts('What was removed'),
      example: 'chocolatey.unbootstrap',
      run: (ctx) => unbootstrap(ctx),
    }),
    list: reads({
      doc: 'Packages of a source, or installed ones.',
      args: {
        narrow: arg.text('Part of the name', { optional: true }),
        all_versions: off('Whether all versions are listed'),
        pre_versions: ARGS['pre_versions']!,
        source: ARGS['source']!,
        local_only: off('Only installed ones'),
        exact: off('Whether the whole name must be the same'),
      },
      returns: ret.dict('Versions by name'),
      example: 'chocolatey.list local_only=True',
      calledAs: 'list_',
      run: (ctx, call) => list(ctx, call as Listing),
    }),
    list_webpi: listFrom('webpi'),
    list_windowsfeatures: listFrom('windowsfeatures'),
    install: changes({
      doc: 'Install a package.',
      args: {
        name,
        ...ARGS,
        allow_multiple: off('Whether versions may stand side by side'),
        execution_timeout: optional('Seconds'),
        virus_check: optional('Whether files are checked for viruses'),
      },
      returns: ret.string('What Chocolatey says'),
      example: 'chocolatey.install <package name>',
      run: (ctx, given) => install(ctx, given as Given),
    }),
    install_cygwin: from('cygwin', 'Install a package of Cygwin.', 'install_args override_args'),
    install_gem: changes({
      doc: 'Install a gem of Ruby.',
      args: { name, ...some('version install_args override_args') },
      returns: ret.string('What Chocolatey says'),
      example: 'chocolatey.install_gem <package name>',
      run: (ctx, given) => install(ctx, { ...(given as Given), source: 'ruby' }),
    }),
    install_python: from('python', 'Install a package of Python.', 'version install_args override_args'),
    install_windowsfeatures: changes({
      doc: 'Install a feature of Windows.',
      args: { name },
      returns: ret.string('What Chocolatey says'),
      example: 'chocolatey.install_windowsfeatures <package name>',
      run: (ctx, given) => install(ctx, { ...(given as Given), source: 'windowsfeatures' }),
    }),
    install_webpi: from('webpi', 'Install a package of the web platform.', 'install_args override_args'),
    install_missing: changes({
      doc: 'Install a package that is not installed.',
      args: { name, ...some('version source') },
      returns: ret.string('What Chocolatey says'),
      example: 'chocolatey.install_missing <package name>',
      run: (ctx, given) => install(ctx, { name: given.name, version: (given as Given)['version']! }),
    }),
    uninstall: changes({
      doc: 'Remove a package.',
      args: {
        name,
        version: ARGS['version']!,
        uninstall_args: optional('Arguments for the uninstaller'),
        ...some('override_args force'),
      },
      returns: ret.string('What Chocolatey says'),
      example: 'chocolatey.uninstall <package name>',
      run: async (ctx, given) => {
        const { force, ...others } = given as Given
        const forced = truthy(force!) ? ['--force'] : []
        const words = [
          'uninstall',
          str(others['name']!),
          ...optionWords(others),
          ...forced,
          ...(await silently(ctx, { progress: false })),
        ]
        return (await choco(ctx, words, REMOVED)).stdout
      },
    }),
    upgrade: changes({
      doc: 'Bring a package to a newer version.',
      args: { name, ...ARGS },
      returns: ret.string('What Chocolatey says'),
      example: 'chocolatey.upgrade <package name>',
      run: (ctx, given) => upgrade(ctx, given as Given),
    }),
    update: changes({
      doc: 'Bring a package to its newest version.',
      args: { name, ...some('source pre_versions') },
      returns: ret.string('What Chocolatey says'),
      example: 'chocolatey.update <package name>',
      run: (ctx, given) => upgrade(ctx, given as Given),
    }),
    version: reads({
      doc: 'The installed versions of a package, and those there are.',
      args: {
        name,
        check_remote: arg.flag('Whether the source is asked', { default: false }),
        ...some('source pre_versions'),
      },
      returns: ret.dict('`installed` and `available`, by name'),
      example: 'chocolatey.version <package name> check_remote=True',
      run: (ctx, given) => versions(ctx, given as Given),
    }),
    add_source: changes({
      doc: 'Add a source.',
      args: {
        name: arg.text('Its name'),
        source_location: arg.text('Where it is'),
        username: arg.text('A user there', { optional: true }),
        password: arg.text('The password', { optional: true, secret: true }),
        priority: optional('Its priority'),
      },
      returns: ret.string('What Chocolatey says'),
      example: 'chocolatey.add_source <source name> <source_location>',
      run: async (ctx, { name: one, source_location, username, password, priority }) => {
        const option = (word: string, value: Value): string[] => (truthy(value) ? [word, str(value)] : [])
        const words = ['sources', 'add', '--name', one, '--source', source_location]
        words.push(...option('--user', username), ...option('--password', password), ...option('--priority', priority))
        return (await choco(ctx, words, [0])).stdout
      },
    }),
    enable_source: sourceState('enable'),
    disable_source: sourceState('disable'),
    list_sources: reads({
      doc: 'Sources of packages.',
      args: {},
      returns: ret.dict('By name'),
      example: 'chocolatey.list_sources',
      run: (ctx) => sources(ctx),
    }),
  },
})
