// The files, facts and versions of rpm packages; the providers yum, dnf and zypper build on it.
import {
  compareRpm,
  type Dict,
  dictFrom,
  failure,
  misuse,
  shlexQuote,
  splitLines,
  splitWords,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, outputOf, reads, ret, retcodeOf } from '../../../sdk/mod.ts'
import { type Options, withoutEpoch } from '../common/functions.ts'
import { single } from '../common/installed.ts'
import * as param from '../common/params.ts'
import { packageInfo } from './rpm_lowpkg/info.ts'
import { parsePackage, QUERYFORMAT } from './rpm_lowpkg/package.ts'
import { modified, verify } from './rpm_lowpkg/verify.ts'

const QUIET = { output_loglevel: 'trace' }
const RPM_SYSTEMS = ['amazon', 'xcp', 'xenserver', 'virtuozzolinux', 'virtuozzo', 'issabel pbx', 'openeuler']

const rpm = (options: Options, ...words: string[]): string[] => {
  const root = options.get('root') ?? null
  return ['rpm', ...(truthy(root) ? ['--root', str(root)] : []), ...words]
}

async function named(ctx: FunctionContext, packages: readonly string[], options: Options): Promise<string[]> {
  const query = [packages.length > 0 ? '-q' : '-qa', '--queryformat', '%{NAME} %{VERSION}\\n', ...packages]
  const output = await outputOf(ctx, rpm(options, ...query), QUIET)
  return output.split('\n').filter((line) => line !== '')
}

const isMissing = (line: string): boolean => line.includes('is not installed')

async function fileDict(ctx: FunctionContext, packages: readonly string[], options: Options): Promise<Dict> {
  const lines = await named(ctx, packages, options)
  const found: Dict = new Map()
  for (const line of lines.filter((one) => !isMissing(one))) {
    const name = splitWords(line)[0]!
    found.set(name, splitLines(await outputOf(ctx, rpm(options, '-ql', name), QUIET)))
  }
  return dictFrom({ errors: lines.filter(isMissing), packages: found })
}

async function binaryInfo(ctx: FunctionContext, given: string, saltenv: string): Promise<Dict | null> {
  let path = given
  if (truthy(await ctx.call('config.valid_fileproto', [path]))) {
    const cached = await ctx.call('cp.cache_file', [path, saltenv])
    if (!truthy(cached)) throw failure(`Unable to retrieve ${path} from saltenv '${saltenv}'`)
    path = str(cached)
  } else if ((await ctx.host.stat(path)) === undefined) throw failure(`${path} does not exist on minion`)
  else if (!path.startsWith('/')) throw misuse(`${path} does not exist on minion`)
  const query = ['rpm', '-qp', '--queryformat', QUERYFORMAT.replace('%{REPOID}', 'none'), path]
  const output = await ctx.call('cmd.run_stdout', [query], { ...QUIET, ignore_retcode: true, python_shell: false })
  const found = parsePackage(str(output), str(ctx.grains.get('osarch') ?? ''))
  return found ? dictFrom(found) : null
}

async function owners(ctx: FunctionContext, paths: readonly string[], options: Options): Promise<Value> {
  if (paths.length === 0) return ''
  const found: Dict = new Map()
  for (const path of paths) {
    const query = rpm(options, '-qf', '--queryformat', '%{name}', path)
    const owner = await ctx.call('cmd.run_stdout', [query], { ...QUIET, python_shell: false })
    found.set(path, owner.toLowerCase().includes('not owned') ? '' : owner)
  }
  return single(found, paths)
}

const packages = param.names
const kwargs = arg.open('`root`: alternative root directory')

export default defineModule({
  name: 'rpm_lowpkg',
  virtual: 'lowpkg',
  doc: 'Query rpm about packages.',
  when: async ({ grains, host }) => {
    if ((await host.which('rpm')) === undefined) {
      return 'The rpm execution module failed to load: rpm binary is not in the path.'
    }
    const grain = (name: string): string => str(grains.get(name) ?? '').toLowerCase()
    const known =
      ['redhat', 'suse'].includes(grain('os_family')) || [...RPM_SYSTEMS, 'vmware photon os'].includes(grain('os'))
    return (
      known ||
      'The rpm execution module failed to load: only available on redhat/suse type systems or amazon, xcp, xenserver, virtuozzolinux, virtuozzo, issabel pbx, openeuler or vmware photon os.'
    )
  },
  functions: {
    bin_pkg_info: reads({
      doc: 'Return the facts about a package file.',
      example: 'lowpkg.bin_pkg_info /root/salt-3008-1.noarch.rpm',
      args: { path: arg.text('Path or URL of the package file'), saltenv: param.saltenv },
      returns: ret.optional(ret.dict('Facts')),
      run: (ctx, { path, saltenv }) => binaryInfo(ctx, path, saltenv),
    }),
    list_pkgs: reads({
      doc: 'List the installed packages with their versions.',
      example: 'lowpkg.list_pkgs httpd',
      args: { packages, kwargs },
      returns: param.versionsByName,
      run: async (ctx, { packages, kwargs }) => {
        const lines = (await named(ctx, packages.map(str), kwargs)).filter((line) => !isMissing(line))
        return new Map<Value, Value>(lines.map((line) => splitWords(line).slice(0, 2) as [string, string]))
      },
    }),
    verify: reads({
      doc: 'List the files that differ from their packages.',
      example: 'lowpkg.verify httpd',
      args: { packages, kwargs: arg.open('`ignore_types`, `verify_options`, `root`') },
      returns: ret.dict('Differences by path'),
      run: (ctx, { packages, kwargs }) => verify(ctx, packages.map(str), kwargs),
    }),
    modified: reads({
      doc: 'List the files that differ from their packages.',
      example: 'lowpkg.modified httpd mode=True',
      args: {
        packages,
        flags: arg.open('Kinds of difference to include or to exclude, such as `size=True`; `root`'),
      },
      returns: ret.dict('Kinds of difference by path'),
      run: (ctx, { packages, flags }) => modified(ctx, packages.map(str), flags),
    }),
    file_list: reads({
      doc: 'List the files of packages; of all packages when none is given.',
      example: 'lowpkg.file_list httpd',
      args: { packages, kwargs },
      returns: ret.any('`files` and `errors`'),
      run: async (ctx, { packages, kwargs }) => {
        const words = rpm(kwargs, packages.length > 0 ? '-ql' : '-qla', ...packages.map(str))
        return { errors: [], files: splitLines(await outputOf(ctx, words, QUIET)) }
      },
    }),
    file_dict: reads({
      doc: 'List the files of packages by package; of all packages when none is given.',
      example: 'lowpkg.file_dict httpd',
      args: { packages, kwargs },
      returns: ret.any('`packages` and `errors`'),
      run: (ctx, { packages, kwargs }) => fileDict(ctx, packages.map(str), kwargs),
    }),
    owner: reads({
      doc: 'Return the package that owns a file.',
      example: 'lowpkg.owner /usr/bin/apachectl',
      args: { paths: param.paths, kwargs },
      returns: ret.any('Package name, or names by path for several files; empty for a file without a package'),
      run: (ctx, { paths, kwargs }) => owners(ctx, paths.map(str), kwargs),
    }),
    diff: reads({
      doc: 'Return how a file differs from the file in a package.',
      example: 'lowpkg.diff /path/to/apache2.rpm /etc/apache2/httpd.conf',
      args: { package_path: arg.text('Path of the package file'), path: arg.text('Path of the installed file') },
      returns: ret.string('Unified diff; empty without a difference'),
      run: async (ctx, { package_path, path }) => {
        const labels = `--label ${shlexQuote(`A ${path}`)} --from-file=- --label ${shlexQuote(`B ${path}`)}`
        const unpack = `rpm2cpio ${shlexQuote(package_path)} | cpio -i --quiet --to-stdout ${shlexQuote(`.${path}`)}`
        const line = `${unpack} | diff -u ${labels} -- ${shlexQuote(path)}`
        const output = await ctx.call('cmd.shell', [line], QUIET)
        return output.startsWith('Binary file') ? `File '${path}' is binary and its content has been modified.` : output
      },
    }),
    info: reads({
      doc: 'Return the facts about installed packages.',
      example: 'lowpkg.info apache2 attr=version,build_date',
      args: { packages, kwargs: arg.open('`attr`, `all_versions`, `root`') },
      returns: ret.dict('Facts by package name'),
      run: (ctx, { packages, kwargs }) => packageInfo(ctx, packages.map(str), kwargs),
    }),
    version_cmp: reads({
      doc: 'Compare two versions.',
      example: "lowpkg.version_cmp '0.2-001' '0.2.0.1-002'",
      args: { ver1: arg.text('First version'), ver2: arg.text('Second version'), ignore_epoch: param.ignore_epoch },
      returns: ret.number('-1, 0 or 1'),
      run: (_ctx, { ver1, ver2, ignore_epoch }) =>
        ignore_epoch ? compareRpm(withoutEpoch(ver1), withoutEpoch(ver2)) : compareRpm(ver1, ver2),
    }),
    checksum: reads({
      doc: 'Return whether the signatures and digests of package files are right.',
      example: 'lowpkg.checksum /path/to/package1.rpm',
      args: { paths: param.paths, kwargs },
      returns: ret.dict('Boolean by path'),
      run: async (ctx, { paths, kwargs }) => {
        if (paths.length === 0) throw failure('No package files has been specified.')
        const found: Dict = new Map()
        for (const path of paths.map(str)) {
          const isFile = (await ctx.host.stat(path))?.type === 'file'
          const options = { ...QUIET, ignore_retcode: true }
          found.set(path, isFile && (await retcodeOf(ctx, rpm(kwargs, '-K', '--quiet', path), options)) === 0)
        }
        return found
      },
    }),
  },
})
