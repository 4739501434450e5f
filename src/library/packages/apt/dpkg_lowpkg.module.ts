// The provider of `lowpkg` on Debian: the database of dpkg and package files.
import { lookup } from '../../../base/mod.ts'
import {
  compareDicts,
  type Dict,
  failure,
  misuse,
  sorted,
  splitLines,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, reads, ret, runAll } from '../../../sdk/mod.ts'
import { refuseOptions } from '../common/installed.ts'
import * as param from '../common/params.ts'
import { info } from './dpkg_lowpkg/info.ts'

const packages = arg.rest('Package names; all packages when left out')
const kwargs = arg.ignored()

async function localPath(ctx: FunctionContext, path: string, saltenv: string): Promise<string> {
  if (truthy(await ctx.call('config.valid_fileproto', [path]))) {
    const cached = await ctx.call('cp.cache_file', [path, saltenv])
    if (truthy(cached)) return str(cached)
    throw failure(`Unable to retrieve ${path} from saltenv '${saltenv}'`)
  }
  if ((await ctx.host.stat(path)) === undefined) throw failure(`${path} does not exist on minion`)
  if (!path.startsWith('/')) throw misuse(`${path} does not exist on minion`)
  return path
}

const FACTS: Readonly<Record<string, RegExp>> = lookup({
  name: /^Package *:/,
  version: /^Version *:/,
  arch: /^Architecture *:/,
})

async function fileInfo(ctx: FunctionContext, given: string, saltenv: string): Promise<Dict> {
  const path = await localPath(ctx, given, saltenv)
  const { retcode, stdout, stderr } = await runAll(ctx, ['dpkg', '-I', path], { output_loglevel: 'trace' })
  if (retcode !== 0) throw failure(`Unable to get info for ${path}${stderr === '' ? '' : `: ${stderr}`}`)
  const facts: Dict = new Map()
  for (const line of splitLines(stdout).map((line) => line.trim())) {
    const fact = Object.keys(FACTS).find((name) => FACTS[name]!.test(line))
    if (fact !== undefined) facts.set(fact, line.split(/\s+/).at(-1)!)
  }
  const missing = Object.keys(FACTS).filter((name) => !facts.has(name))
  if (missing.length > 0) throw failure(`Unable to get ${missing.join(', ')} for ${path}`)
  const { cpuarch, osarch } = Object.fromEntries(['cpuarch', 'osarch'].map((name) => [name, ctx.grains.get(name)]))
  const arch = str(facts.get('arch')!)
  const isForeign = cpuarch === 'x86_64' && osarch === 'amd64' && arch !== 'all' && arch !== osarch
  return isForeign ? facts.set('name', `${str(facts.get('name')!)}:${arch}`) : facts
}

async function unpurge(ctx: FunctionContext, names: readonly Value[]): Promise<Dict> {
  if (names.length === 0) return new Map()
  const list = async (): Promise<Value> => ctx.call('pkg.list_pkgs', [], { purge_desired: true })
  const old = await list()
  const stdin = names.map((name) => `${str(name)} install`).join('\n')
  await outputOf(ctx, ['dpkg', '--set-selections'], { stdin, output_loglevel: 'trace' })
  ctx.memory.delete('pkg.list_pkgs')
  return compareDicts(old, await list())
}

/** Return the rows of dpkg-query about installed packages, or its error. */
async function installed(ctx: FunctionContext, fields: string, names: readonly Value[]): Promise<string[][] | string> {
  const format = `-f=\${db:Status-Status}\t${fields}\n`
  const { retcode, stdout, stderr } = await runAll(ctx, ['dpkg-query', format, '-W', ...names.map(str)])
  if (retcode !== 0) {
    ctx.log('error', `Error:  ${stderr}`)
    return `Error:  ${stderr}`
  }
  const rows = splitLines(stdout).map((line) => line.split('\t'))
  return rows.filter(([status]) => status === 'installed').map((row) => row.slice(1))
}

const filesOf = async (ctx: FunctionContext, name: string): Promise<string[]> =>
  splitLines(await outputOf(ctx, ['dpkg', '-L', name]))

const NAME = `\${binary:Package}`
const NAME_AND_VERSION = `${NAME}\t\${Version}`

export default defineModule({
  name: 'dpkg_lowpkg',
  virtual: 'lowpkg',
  doc: 'Query dpkg about packages.',
  when: ({ grains }) =>
    grains.get('os_family') === 'Debian' ||
    'The dpkg execution module cannot be loaded: only works on Debian family systems.',
  functions: {
    bin_pkg_info: reads({
      doc: 'Return the name, version and architecture of a package file.',
      args: {
        path: arg.string('Path or URL of the package file'),
        saltenv: param.saltenv,
      },
      returns: ret.dict('`name`, `version` and `arch`'),
      example: 'lowpkg.bin_pkg_info /root/foo-1.2.3-1ubuntu1_all.deb',
      run: (ctx, { path, saltenv }) => fileInfo(ctx, path, saltenv),
    }),
    unpurge: changes({
      doc: 'Keep packages that wait for a purge.',
      args: { packages: param.names },
      returns: param.versionChanges,
      example: 'lowpkg.unpurge curl',
      run: (ctx, { packages }) => unpurge(ctx, packages),
    }),
    list_pkgs: reads({
      doc: 'List the installed packages with their versions.',
      args: { packages, kwargs },
      returns: param.versionsByName,
      example: 'lowpkg.list_pkgs httpd',
      run: async (ctx, { packages }) => {
        const rows = await installed(ctx, NAME_AND_VERSION, packages)
        return typeof rows === 'string' ? rows : Object.fromEntries(rows)
      },
    }),
    file_list: reads({
      doc: 'List the files of packages.',
      args: { packages, kwargs },
      returns: ret.any('`files` and `errors`; a text when a package is not installed'),
      example: 'lowpkg.file_list hostname',
      run: async (ctx, { packages }) => {
        const rows = await installed(ctx, NAME, packages)
        if (typeof rows === 'string') return rows
        const files = new Set<string>()
        for (const [name] of rows) for (const file of await filesOf(ctx, name!)) files.add(file)
        return { errors: [], files: sorted([...files]) }
      },
    }),
    file_dict: reads({
      doc: 'List the files of packages by package.',
      args: { packages, kwargs },
      returns: ret.any('`packages` and `errors`; a text when a package is not installed'),
      example: 'lowpkg.file_dict hostname',
      run: async (ctx, { packages }) => {
        const rows = await installed(ctx, NAME, packages)
        if (typeof rows === 'string') return rows
        const files: Dict = new Map()
        for (const [name] of rows) files.set(name!, await filesOf(ctx, name!))
        return { errors: [], packages: files }
      },
    }),
    info: reads({
      doc: 'Return the facts about installed packages.',
      args: { packages, kwargs: arg.open('`failhard`') },
      returns: ret.dict('Facts by package name'),
      example: 'lowpkg.info bash',
      run: (ctx, { packages, kwargs }) => {
        refuseOptions(kwargs, ['failhard'])
        return info(ctx, packages, kwargs.get('failhard') ?? true)
      },
    }),
  },
})
