// Node.js packages through npm, of a directory or global ones.
import { isA, recover } from '../../../base/mod.ts'
import {
  type Dict,
  failure,
  findJson,
  isDict,
  isNumeric,
  iterate,
  loadJson,
  misuse,
  numberOf,
  PyError,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  type CommandOutcome,
  changes,
  defineModule,
  type FunctionContext,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'

const dir = arg.text('Directory of the packages; default: the global directory', { optional: true })
const runas = arg.text('Name of the user that runs npm', { optional: true })
const env = arg.any('Dict of environment variables; other values are ignored', { optional: true })

interface Place {
  runas: string | null
  env: Value
  cwd?: string | null
}

async function npm(ctx: FunctionContext, words: string[], { runas, env, cwd = null }: Place): Promise<CommandOutcome> {
  const variables = new Map<Value, Value>(isDict(env) ? env : [])
  const uid = runas ? (await ctx.host.user(runas))?.uid : undefined
  // npm as root drops its rights to the owner of the directory, unless SUDO_UID names the user
  if (uid) variables.set('SUDO_UID', uid).set('SUDO_USER', '')
  return runAll(ctx, ['npm', ...words], { cwd, runas, env: variables, ignore_retcode: words[0] !== 'install' })
}

const INSTALL = {
  pkg: arg.text('Package name, with `@version` if wanted', { optional: true }),
  pkgs: arg.textListOrDict('List of package names', { optional: true }),
  dir,
  runas,
  registry: arg.text('URL of the registry', { optional: true }),
  env,
  dry_run: arg.flag('Return what npm would do, without doing it', { default: false }),
  silent: arg.flag('Suppress the log of npm', { default: true }),
}

async function install(ctx: FunctionContext, call: Bound<typeof INSTALL>): Promise<Value> {
  const { pkg, pkgs, dir, registry } = call
  const names = pkg ? [pkg] : truthy(pkgs) ? Array.from(iterate(pkgs), str) : []
  const words = [
    'install',
    '--json',
    ...(call.silent ? ['--silent'] : []),
    ...(dir ? [] : ['--global']),
    ...(registry ? [`--registry=${registry}`] : []),
    ...(call.dry_run ? ['--dry-run'] : []),
    ...names,
  ]
  const { retcode, stdout, stderr } = await npm(ctx, words, { ...call, cwd: dir || '/tmp' })
  if (retcode !== 0) throw failure(stderr)
  return recover(isA(PyError), stdout || stderr, () => findJson(stdout || stderr))
}

async function list(
  ctx: FunctionContext,
  pkg: string | null,
  depth: Value,
  place: Place & { dir: string | null },
): Promise<Dict> {
  if (depth !== null && !isNumeric(depth)) {
    throw misuse(`Error: depth ${str(depth)} must be a number`)
  }
  const words = [
    'list',
    '--json',
    '--silent',
    ...(place.dir ? [] : ['--global']),
    ...(depth === null ? [] : [`--depth=${Math.trunc(Number(numberOf(depth)))}`]),
    ...(pkg ? [pkg] : []),
  ]
  const { retcode, stdout, stderr } = await npm(ctx, words, { ...place, cwd: place.dir })
  if (retcode !== 0 && stderr !== '') throw failure(stderr)
  return ((loadJson(stdout) as Dict).get('dependencies') ?? new Map()) as Dict
}

/** Run npm, log its error, and return whether it succeeded. */
async function done(ctx: FunctionContext, words: string[], place: Place): Promise<boolean> {
  const { retcode, stderr } = await npm(ctx, words, place)
  if (retcode !== 0) ctx.log('error', stderr)
  return retcode === 0
}

export default defineModule({
  name: 'npm',
  doc: 'Manage Node.js packages with npm.',
  // Salt also checks the version, which costs a start of Node.js and matters only before 2013
  when: async ({ host }) =>
    (await host.which('npm')) !== undefined ||
    'npm execution module could not be loaded because the npm binary could not be located',
  functions: {
    install: changes({
      doc: 'Install packages, or the dependencies in the package.json of a directory.',
      args: INSTALL,
      returns: ret.any('Output of npm, parsed from JSON if possible'),
      example: 'npm.install coffee-script@1.0.1',
      run: install,
    }),
    uninstall: changes({
      doc: 'Remove a package.',
      args: { pkg: arg.text('Package name'), dir, runas, env },
      returns: ret.boolean('Whether npm succeeded'),
      example: 'npm.uninstall coffee-script',
      run: (ctx, { pkg, dir, runas, env }) =>
        done(ctx, ['uninstall', pkg, ...(dir ? [] : ['--global'])], { runas, env, cwd: dir }),
    }),
    list: reads({
      doc: 'List the installed packages.',
      args: {
        pkg: arg.text('Package name; default: all packages', { optional: true }),
        dir,
        runas,
        env,
        depth: arg.any('Depth of dependencies to list, as a number', { optional: true }),
      },
      returns: ret.dict('Facts by package name'),
      calledAs: 'list_',
      run: (ctx, { pkg, depth, ...place }) => list(ctx, pkg, depth, place),
    }),
    cache_clean: changes({
      doc: 'Clean the cache.',
      args: {
        path: arg.text('Package or path in the cache; default: the whole cache', { optional: true }),
        runas,
        env,
        force: arg.any('Clean without a check; only True counts', { default: false }),
      },
      returns: ret.boolean('Whether npm succeeded'),
      example: 'npm.cache_clean force=True',
      run: (ctx, { path, force, ...place }) =>
        done(ctx, ['cache', 'clean', ...(path ? [path] : []), ...(force === true ? ['--force'] : [])], place),
    }),
    cache_list: reads({
      doc: 'List the cached packages.',
      args: {
        path: arg.text('Package or path in the cache; default: the whole cache', { optional: true }),
        runas,
        env,
      },
      returns: ret.string('Output of npm'),
      run: async (ctx, { path, ...place }) => {
        const words = ['cache', 'ls', ...(path ? [path] : [])]
        const { retcode, stdout, stderr } = await npm(ctx, words, place)
        if (retcode !== 0 && stderr !== '') throw failure(stderr)
        return stdout
      },
    }),
    cache_path: reads({
      doc: 'Return the path of the cache.',
      args: { runas, env },
      returns: ret.string('Path'),
      run: async (ctx, place) => {
        const { stdout, stderr } = await npm(ctx, ['config', 'get', 'cache'], place)
        return stdout || stderr
      },
    }),
  },
})
