// Packages of Node through npm: of a directory, or of the whole machine.
import {
  type Dict,
  findJson,
  isDict,
  isNumeric,
  loadJson,
  numberOf,
  PyError,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type CommandOutcome,
  changes,
  defineModule,
  type FunctionContext,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'

const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)
const optional = (doc: string) => arg.any(doc, { optional: true })
const dir = optional('The directory; the whole machine without one')
const runas = arg.text('Whom npm runs as', { optional: true })
const env = optional('Variables of the environment')

interface Place {
  runas: Value
  env: Value
  cwd?: Value
}

async function npm(ctx: FunctionContext, words: string[], { runas, env, cwd = null }: Place): Promise<CommandOutcome> {
  const variables = new Map<Value, Value>(isDict(env) ? env : [])
  const uid = truthy(runas) ? (await ctx.host.user(str(runas)))?.uid : undefined
  // npm of root drops its rights to the owner of a directory unless it is told who asks
  if (uid) variables.set('SUDO_UID', uid).set('SUDO_USER', '')
  return runAll(ctx, ['npm', ...words], { cwd, runas, env: variables, ignore_retcode: words[0] !== 'install' })
}

interface Installation {
  pkg: Value
  pkgs: Value
  dir: Value
  runas: Value
  registry: Value
  env: Value
  dry_run: Value
  silent: Value
}

async function install(ctx: FunctionContext, call: Installation): Promise<Value> {
  const { pkg, pkgs, dir, registry } = call
  const names = truthy(pkg) ? [pkg] : truthy(pkgs) ? (pkgs as Value[]) : []
  const words = [
    'install',
    '--json',
    ...(truthy(call.silent) ? ['--silent'] : []),
    ...(truthy(dir) ? [] : ['--global']),
    ...(truthy(registry) ? [`--registry=${str(registry)}`] : []),
    ...(truthy(call.dry_run) ? ['--dry-run'] : []),
    ...names.map((name) => str(name)),
  ]
  const { retcode, stdout, stderr } = await npm(ctx, words, { ...call, cwd: truthy(dir) ? dir : '/tmp' })
  if (retcode !== 0) throw failure(stderr)
  try {
    return findJson(stdout || stderr)
  } catch (error) {
    if (error instanceof PyError) return stdout || stderr
    throw error
  }
}

async function list(
  ctx: FunctionContext,
  pkg: string | null,
  depth: Value,
  place: Place & { dir: Value },
): Promise<Dict> {
  if (depth !== null && !isNumeric(depth)) {
    throw new SaltError('SaltInvocationError', `Error: depth ${str(depth)} must be a number`)
  }
  const words = [
    'list',
    '--json',
    '--silent',
    ...(truthy(place.dir) ? [] : ['--global']),
    ...(depth === null ? [] : [`--depth=${Math.trunc(Number(numberOf(depth)))}`]),
    ...(pkg ? [pkg] : []),
  ]
  const { retcode, stdout, stderr } = await npm(ctx, words, { ...place, cwd: place.dir })
  if (retcode !== 0 && stderr !== '') throw failure(stderr)
  return ((loadJson(stdout) as Dict).get('dependencies') ?? new Map()) as Dict
}

/** True when npm succeeds; what it says otherwise is logged. */
async function done(ctx: FunctionContext, words: string[], place: Place): Promise<boolean> {
  const { retcode, stderr } = await npm(ctx, words, place)
  if (retcode !== 0) ctx.log('error', stderr)
  return retcode === 0
}

export default defineModule({
  name: 'npm',
  doc: 'Install packages of Node with npm.',
  // Salt also asks for its version, which starts Node and matters to none that is younger than 2013
  when: async ({ host }) =>
    (await host.which('npm')) !== undefined ||
    'npm execution module could not be loaded because the npm binary could not be located',
  functions: {
    install: changes({
      doc: 'Install packages, or what the package.json of a directory lists.',
      args: {
        pkg: optional('A package, with @ and its version'),
        pkgs: optional('Several of them'),
        dir,
        runas,
        registry: arg.text('The registry', { optional: true }),
        env,
        dry_run: arg.flag('Only say what would be done', { default: false }),
        silent: arg.flag('Whether npm keeps quiet about its work', { default: true }),
      },
      returns: ret.any('What npm says'),
      example: 'npm.install coffee-script@1.0.1',
      run: install,
    }),
    uninstall: changes({
      doc: 'Remove a package.',
      args: { pkg: arg.text('The package'), dir, runas, env },
      returns: ret.boolean('Whether npm succeeded'),
      example: 'npm.uninstall coffee-script',
      run: (ctx, { pkg, dir, runas, env }) =>
        done(ctx, ['uninstall', pkg, ...(truthy(dir) ? [] : ['--global'])], { runas, env, cwd: dir }),
    }),
    list: reads({
      doc: 'Installed packages.',
      args: {
        pkg: arg.text('Only this one', { optional: true }),
        dir,
        runas,
        env,
        depth: optional('How deep dependencies are listed'),
      },
      returns: ret.dict('By name'),
      example: 'npm.list',
      calledAs: 'list_',
      run: (ctx, { pkg, depth, ...place }) => list(ctx, pkg, depth, place),
    }),
    cache_clean: changes({
      doc: 'Empty the cache.',
      args: {
        path: arg.text('Only this part of it', { optional: true }),
        runas,
        env,
        force: arg.any('Whether npm does it', { default: false }),
      },
      returns: ret.boolean('Whether npm succeeded'),
      example: 'npm.cache_clean force=True',
      run: (ctx, { path, force, ...place }) =>
        done(ctx, ['cache', 'clean', ...(path ? [path] : []), ...(force === true ? ['--force'] : [])], place),
    }),
    cache_list: reads({
      doc: 'What is in the cache.',
      args: { path: arg.text('Only this part of it', { optional: true }), runas, env },
      returns: ret.string('What npm says'),
      example: 'npm.cache_list',
      run: async (ctx, { path, ...place }) => {
        const words = ['cache', 'ls', ...(path ? [path] : [])]
        const { retcode, stdout, stderr } = await npm(ctx, words, place)
        if (retcode !== 0 && stderr !== '') throw failure(stderr)
        return stdout
      },
    }),
    cache_path: reads({
      doc: 'Where the cache is.',
      args: { runas, env },
      returns: ret.string('The path'),
      example: 'npm.cache_path',
      run: async (ctx, place) => {
        const { stdout, stderr } = await npm(ctx, ['config', 'get', 'cache'], place)
        return stdout || stderr
      },
    }),
  },
})
