// Virtualenvs: made with `virtualenv` or with Python's own `venv`, and asked about what is in them.
import { repr, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { type Creation, create, failure, programOf, virtualenvVersion } from './module/create.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })
const venv = arg.text('The path of the virtualenv')

/** What a program prints that the virtualenv's Python runs. */
async function answer(ctx: FunctionContext, path: string, code: string): Promise<string> {
  const python = programOf(ctx, path, 'python')
  if ((await ctx.host.stat(python)) === undefined) {
    throw failure(`Path '${path}' does not appear to be a virtualenv: '${python}' not found.`)
  }
  const outcome = await ctx.call('cmd.exec_code_all', [python, code])
  if (outcome.get('retcode') !== 0) throw failure(`${str(outcome.get('stdout')!)}\n${str(outcome.get('stderr')!)}`)
  return str(outcome.get('stdout')!)
}

const UNSAFE = /import|;|subprocess|eval|open|file|exec|input/

/** Names end up in a program, so words that do something are refused. */
function assertSafe(...names: Value[]): void {
  const bad = names.find((name) => UNSAFE.test(str(name)))
  if (bad !== undefined) throw new SaltError('SaltInvocationError', `Unsafe python code detected in '${str(bad)}'`)
}

function distributionCode(distribution: Value): string {
  const name = repr(distribution)
  return [
    'import sys, sysconfig',
    'try:',
    '    import importlib.metadata as metadata',
    `    metadata.distribution(${name})`,
    '    print(sysconfig.get_path("purelib"))',
    'except ImportError as problem:',
    '    if sys.version_info >= (3, 12): raise',
    '    import pkg_resources',
    `    print(pkg_resources.get_distribution(${name}).location)`,
  ].join('\n')
}

const resource = {
  venv,
  package: optional('The package'),
  resource: optional('The path of the file in the package'),
}

export default defineModule({
  name: 'virtualenv_mod',
  virtual: 'virtualenv',
  doc: 'Make virtualenvs and look into them.',
  functions: {
    create: changes({
      doc: 'Make a virtualenv.',
      args: {
        path: arg.text('Where it is made'),
        venv_bin: arg.text('The program that makes it; `venv` for Python itself', { optional: true }),
        system_site_packages: off("Whether the machine's packages are visible in it"),
        distribute: arg.flag('For old versions of virtualenv', { default: false }),
        clear: off('Whether an existing one is emptied'),
        python: arg.text('The Python it is for', { optional: true }),
        extra_search_dir: optional('Where packages for it are looked for'),
        never_download: optional('Whether nothing is downloaded'),
        prompt: arg.text('What its shell shows', { optional: true }),
        pip: arg.flag('Whether setuptools and pip are fetched when they are missing', { default: false }),
        symlinks: optional('Whether files are linked instead of copied; for venv'),
        upgrade: optional('Whether it is brought to the present Python; for venv'),
        user: arg.text('Whose it is', { optional: true }),
        use_vt: arg.flag('Show the output as it comes', { default: false }),
        saltenv: arg.text('Where files of the file server are looked up', { default: 'base' }),
        kwargs: arg.open('Options of cmd.run_all'),
      },
      returns: ret.dict('As cmd.run_all gives it'),
      example: 'virtualenv.create /path/to/new/virtualenv',
      run: async (ctx, creation) => ({ ...(await create(ctx, creation as Creation)) }),
    }),
    virtualenv_ver: reads({
      doc: 'The version of virtualenv, as numbers.',
      args: {
        venv_bin: arg.text('The program'),
        user: arg.text('Whom it runs as', { optional: true }),
        kwargs: arg.open('Options of cmd.run_all'),
      },
      returns: ret.list('The numbers'),
      example: 'virtualenv.virtualenv_ver virtualenv',
      run: (ctx, { venv_bin, user, kwargs }) => virtualenvVersion(ctx, venv_bin, user, kwargs),
    }),
    get_site_packages: reads({
      doc: 'Where the packages of a virtualenv are.',
      args: { venv },
      returns: ret.string('The path'),
      example: 'virtualenv.get_site_packages /path/to/my/venv',
      run: (ctx, { venv }) => answer(ctx, venv, 'import sysconfig; print(sysconfig.get_path("purelib"))'),
    }),
    get_distribution_path: reads({
      doc: 'Where a package of a virtualenv is.',
      args: { venv, distribution: arg.any('The package') },
      returns: ret.string('The path'),
      example: 'virtualenv.get_distribution_path /path/to/my/venv my_distribution',
      run: (ctx, { venv, distribution }) => {
        assertSafe(distribution)
        return answer(ctx, venv, distributionCode(distribution))
      },
    }),
    get_resource_path: reads({
      doc: 'Where a file of a package of a virtualenv is.',
      args: resource,
      returns: ret.string('The path'),
      example: 'virtualenv.get_resource_path /path/to/my/venv my_package my/resource.xml',
      run: (ctx, { venv, package: name, resource }) => {
        assertSafe(name, resource)
        const names = `${repr(str(name))}, ${repr(str(resource))}`
        return answer(ctx, venv, `import pkg_resources; print(pkg_resources.resource_filename(${names}))`)
      },
    }),
    get_resource_content: reads({
      doc: 'What is in a file of a package of a virtualenv.',
      args: resource,
      returns: ret.string('The content, as Python shows bytes'),
      example: 'virtualenv.get_resource_content /path/to/my/venv my_package my/resource.xml',
      run: (ctx, { venv, package: name, resource }) => {
        assertSafe(name, resource)
        const names = `${repr(str(name))}, ${repr(str(resource))}`
        return answer(ctx, venv, `import pkg_resources; print(pkg_resources.resource_string(${names}))`)
      },
    }),
  },
})
