// Single packages of rpm: their files, facts and versions, below yum, dnf and zypper.
import { compareRpm, type Dict, splitLines, splitWords, str, truthy, type Value } from '../../../data/mod.ts'
import { defineModule, type FunctionContext, isTrue, outputOf, ret, retcodeOf } from '../../../sdk/mod.ts'
import { reading } from '../common/declare.ts'
import { failure, misuse, single } from '../common/installed.ts'
import { packageInfo } from './rpm_lowpkg/info.ts'
import { parsePackage, QUERYFORMAT } from './rpm_lowpkg/package.ts'
import { modified, verify } from './rpm_lowpkg/verify.ts'

const QUIET = { output_loglevel: 'trace' }
const RPM_SYSTEMS = ['amazon', 'xcp', 'xenserver', 'virtuozzolinux', 'virtuozzo', 'issabel pbx', 'openeuler']

type Options = ReadonlyMap<string, Value>

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
  return new Map<Value, Value>([
    ['errors', lines.filter(isMissing)],
    ['packages', found],
  ])
}

async function binaryInfo(ctx: FunctionContext, given: string, saltenv: Value): Promise<Dict | null> {
  let path = given
  if (truthy(await ctx.call('config.valid_fileproto', [path]))) {
    const cached = await ctx.call('cp.cache_file', [path, saltenv])
    if (!truthy(cached)) throw failure(`Unable to retrieve ${path} from saltenv '${str(saltenv)}'`)
    path = str(cached)
  } else if ((await ctx.host.stat(path)) === undefined) throw failure(`${path} does not exist on minion`)
  else if (!path.startsWith('/')) throw misuse(`${path} does not exist on minion`)
  const query = ['rpm', '-qp', '--queryformat', QUERYFORMAT.replace('%{REPOID}', 'none'), path]
  const output = await ctx.call('cmd.run_stdout', [query], { ...QUIET, ignore_retcode: true, python_shell: false })
  const found = parsePackage(str(output), str(ctx.grains.get('osarch') ?? ''))
  return found ? new Map<Value, Value>(Object.entries(found)) : null
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

const withoutEpoch = (version: string): string => version.slice(version.indexOf(':') + 1)

export default defineModule({
  name: 'rpm_lowpkg',
  virtual: 'lowpkg',
  doc: 'Look at packages of rpm.',
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
    bin_pkg_info: reading(
      'The facts of a package file.',
      '!path saltenv="base"',
      'lowpkg.bin_pkg_info /root/salt-3008-1.noarch.rpm',
      (ctx, { given }) => binaryInfo(ctx, str(given['path']!), given['saltenv']!),
      ret.optional(ret.dict('The facts of the package file')),
    ),
    list_pkgs: reading(
      'Installed packages with their versions.',
      '*packages **kwargs',
      'lowpkg.list_pkgs httpd',
      async (ctx, { rest, kwargs }) => {
        const lines = (await named(ctx, rest, kwargs)).filter((line) => !isMissing(line))
        return new Map<Value, Value>(lines.map((line) => splitWords(line).slice(0, 2) as [string, string]))
      },
    ),
    verify: reading(
      'Files that differ from their packages.',
      '*packages **kwargs',
      'lowpkg.verify httpd',
      (ctx, { rest, kwargs }) => verify(ctx, rest, kwargs),
    ),
    modified: reading(
      'Files that differ from their packages, chosen by what differs.',
      '*packages **flags',
      'lowpkg.modified httpd mode=True',
      (ctx, { rest, kwargs }) => modified(ctx, rest, kwargs),
    ),
    file_list: reading(
      'The files of packages.',
      '*packages **kwargs',
      'lowpkg.file_list httpd',
      async (ctx, { rest, kwargs }) => {
        const words = rpm(kwargs, rest.length > 0 ? '-ql' : '-qla', ...rest)
        return { errors: [], files: splitLines(await outputOf(ctx, words, QUIET)) }
      },
    ),
    file_dict: reading(
      'The files of packages, by package.',
      '*packages **kwargs',
      'lowpkg.file_dict httpd',
      (ctx, { rest, kwargs }) => fileDict(ctx, rest, kwargs),
    ),
    owner: reading(
      'The packages that files belong to.',
      '*paths **kwargs',
      'lowpkg.owner /usr/bin/apachectl',
      (ctx, { rest, kwargs }) => owners(ctx, rest, kwargs),
    ),
    diff: reading(
      'How a file differs from the one in a package file.',
      '!package_path !path',
      'lowpkg.diff /path/to/apache2.rpm /etc/apache2/httpd.conf',
      async (ctx, { given }) => {
        const [archive, path] = [str(given['package_path']!), str(given['path']!)]
        const line = `rpm2cpio ${archive} | cpio -i --quiet --to-stdout .${path} | diff -u --label 'A ${path}' --from-file=- --label 'B ${path}' ${path}`
        const output = await ctx.call('cmd.shell', [line], QUIET)
        return output.startsWith('Binary file') ? `File '${path}' is binary and its content has been modified.` : output
      },
    ),
    info: reading(
      'All facts about installed packages.',
      '*packages **kwargs',
      'lowpkg.info apache2 attr=version,build_date',
      (ctx, { rest, kwargs }) => packageInfo(ctx, rest, kwargs),
      ret.dict('Facts by package'),
    ),
    version_cmp: reading(
      'Which of two versions is newer.',
      '!ver1 !ver2 ignore_epoch=false',
      "lowpkg.version_cmp '0.2-001' '0.2.0.1-002'",
      (_ctx, { given }) => {
        const [a, b] = [str(given['ver1']!), str(given['ver2']!)]
        return isTrue(given['ignore_epoch']!) ? compareRpm(withoutEpoch(a), withoutEpoch(b)) : compareRpm(a, b)
      },
    ),
    checksum: reading(
      'Whether package files are whole.',
      '*paths **kwargs',
      'lowpkg.checksum /path/to/package1.rpm',
      async (ctx, { rest, kwargs }) => {
        if (rest.length === 0) throw failure('No package files has been specified.')
        const found: Dict = new Map()
        for (const path of rest) {
          const isFile = (await ctx.host.stat(path))?.type === 'file'
          const options = { ...QUIET, ignore_retcode: true }
          found.set(path, isFile && (await retcodeOf(ctx, rpm(kwargs, '-K', '--quiet', path), options)) === 0)
        }
        return found
      },
    ),
  },
})
