// Virtualenvs, created with `virtualenv` or with the module `venv` of Python.
import { failure, misuse, repr, str } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { CREATION, create, programOf, virtualenvVersion } from './module/create.ts'

const venv = arg.text('Path of the virtualenv')

/** Run a program in the Python of a virtualenv, and return its output. */
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

/** Refuse names with Python code, because names become part of a program. */
function assertSafe(...names: string[]): void {
  const bad = names.find((name) => UNSAFE.test(name))
  if (bad !== undefined) throw misuse(`Unsafe python code detected in '${bad}'`)
}

function distributionCode(distribution: string): string {
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
  package: arg.any('Package name; another value is written as `str()` writes it', { optional: true }),
  resource: arg.any('Path of the file in the package; another value is written as `str()` writes it', {
    optional: true,
  }),
}

export default defineModule({
  name: 'virtualenv_mod',
  virtual: 'virtualenv',
  doc: 'Manage virtualenvs.',
  functions: {
    create: changes({
      doc: 'Create a virtualenv.',
      args: CREATION,
      returns: ret.dict('Outcome as `cmd.run_all` returns it'),
      example: 'virtualenv.create /path/to/new/virtualenv',
      run: async (ctx, creation) => ({ ...(await create(ctx, creation)) }),
    }),
    virtualenv_ver: reads({
      doc: 'Return the version of virtualenv as numbers.',
      args: {
        venv_bin: arg.text('Path of the program'),
        user: arg.text('Name of the user that runs the program', { optional: true }),
        kwargs: arg.open('Options of `cmd.run_all`'),
      },
      returns: ret.list('Parts of the version'),
      example: 'virtualenv.virtualenv_ver virtualenv',
      run: (ctx, { venv_bin, user, kwargs }) => virtualenvVersion(ctx, venv_bin, user, kwargs),
    }),
    get_site_packages: reads({
      doc: 'Return the site-packages directory of a virtualenv.',
      args: { venv },
      returns: ret.string('Path'),
      example: 'virtualenv.get_site_packages /path/to/my/venv',
      run: (ctx, { venv }) => answer(ctx, venv, 'import sysconfig; print(sysconfig.get_path("purelib"))'),
    }),
    get_distribution_path: reads({
      doc: 'Return the path of a distribution in a virtualenv.',
      args: { venv, distribution: arg.text('Distribution name') },
      returns: ret.string('Path'),
      example: 'virtualenv.get_distribution_path /path/to/my/venv my_distribution',
      run: (ctx, { venv, distribution }) => {
        assertSafe(distribution)
        return answer(ctx, venv, distributionCode(distribution))
      },
    }),
    get_resource_path: reads({
      doc: 'Return the path of a package resource in a virtualenv.',
      args: resource,
      returns: ret.string('Path'),
      example: 'virtualenv.get_resource_path /path/to/my/venv my_package my/resource.xml',
      run: (ctx, { venv, package: name, resource }) => {
        assertSafe(str(name), str(resource))
        const names = `${repr(str(name))}, ${repr(str(resource))}`
        return answer(ctx, venv, `import pkg_resources; print(pkg_resources.resource_filename(${names}))`)
      },
    }),
    get_resource_content: reads({
      doc: 'Return the content of a package resource in a virtualenv.',
      args: resource,
      returns: ret.string('Content as a bytes literal of Python'),
      example: 'virtualenv.get_resource_content /path/to/my/venv my_package my/resource.xml',
      run: (ctx, { venv, package: name, resource }) => {
        assertSafe(str(name), str(resource))
        const names = `${repr(str(name))}, ${repr(str(resource))}`
        return answer(ctx, venv, `import pkg_resources; print(pkg_resources.resource_string(${names}))`)
      },
    }),
  },
})
