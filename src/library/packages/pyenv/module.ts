// Python versions through pyenv, of a user or of the whole machine (`pyenv.root`, else /usr/local/pyenv).
import { shlexQuote, splitLines, splitWords, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type CommandOutcome,
  changes,
  defineModule,
  type FunctionContext,
  isDirectory,
  reads,
  ret,
  runAll,
  succeeds,
} from '../../../sdk/mod.ts'

const SOURCE = 'https://github.com/yyuu/pyenv.git'
const BSD = new Set<Value>(['FreeBSD', 'NetBSD', 'OpenBSD'])

/** Expand a leading `~` or `~user` to the home directory. */
async function expanded(ctx: FunctionContext, path: string): Promise<string> {
  const [, user, rest] = /^~([^/]*)(.*)$/s.exec(path) ?? []
  if (user === undefined) return path
  const account = await ctx.host.user(user === '' ? (await ctx.host.identity()).uid : user)
  return account ? `${account.home}${rest}` : path
}

async function rootOf(ctx: FunctionContext, runas: Value): Promise<string> {
  const configured = await ctx.call('config.option', ['pyenv.root'])
  const usual = runas === null || runas === 'root' ? '/usr/local/pyenv' : `~${str(runas)}/.pyenv`
  return expanded(ctx, truthy(configured) ? str(configured) : usual)
}

const placeOf = async (ctx: FunctionContext, path: string | null, runas: string | null): Promise<string> =>
  path ? expanded(ctx, path) : rootOf(ctx, runas)

const isInstalled = async (ctx: FunctionContext, runas: Value): Promise<boolean> =>
  truthy(await ctx.call('cmd.has_exec', [`${await rootOf(ctx, runas)}/bin/pyenv`]))

/** Run pyenv; return undefined without pyenv. */
async function pyenv(
  ctx: FunctionContext,
  words: string,
  runas: string | null,
  env = '',
): Promise<CommandOutcome | undefined> {
  if (!(await isInstalled(ctx, runas))) return undefined
  const root = await rootOf(ctx, runas)
  const variables = env === '' ? '' : ` ${env}`
  return runAll(ctx, `env PYENV_ROOT=${root}${variables} ${root}/bin/pyenv ${words}`, { runas })
}

/** Return the output of pyenv; undefined after a failure. */
async function printed(ctx: FunctionContext, words: string, runas: string | null): Promise<string | undefined> {
  const outcome = await pyenv(ctx, words, runas)
  return outcome?.retcode === 0 ? outcome.stdout : undefined
}

async function install(ctx: FunctionContext, runas: string | null, path: string | null): Promise<boolean> {
  const place = await placeOf(ctx, path, runas)
  return (await isDirectory(ctx, place)) || succeeds(ctx, `git clone ${SOURCE} ${place}`, { runas })
}

async function update(ctx: FunctionContext, runas: string | null, path: string | null): Promise<boolean> {
  const place = await placeOf(ctx, path, runas)
  return (await isDirectory(ctx, place)) && succeeds(ctx, ['git', '-C', place, 'pull'], { runas })
}

const versionOf = (python: string): string => python.replace(/^python-/, '')

async function uninstall(ctx: FunctionContext, python: string, runas: string | null): Promise<true> {
  await pyenv(ctx, `uninstall --force ${versionOf(python)}`, runas)
  return true
}

async function installPython(ctx: FunctionContext, python: string, runas: string | null): Promise<Value> {
  const build = await ctx.call('config.option', ['pyenv.build_env'])
  const env = [...(BSD.has(ctx.grains.get('os') ?? null) ? ['MAKE=gmake'] : []), ...(truthy(build) ? [str(build)] : [])]
  const outcome = await pyenv(ctx, `install ${versionOf(python)}`, runas, env.join(' '))
  if (outcome?.retcode === 0) {
    await pyenv(ctx, 'rehash ', runas)
    return outcome.stderr
  }
  // remove the remains, which look like an installation
  await uninstall(ctx, python, runas)
  return false
}

async function chosen(ctx: FunctionContext, python: string | null, runas: string | null): Promise<Value> {
  if (!python) return ((await printed(ctx, 'global ', runas)) ?? '').trim()
  await pyenv(ctx, `global ${python}`, runas)
  return true
}

async function list(ctx: FunctionContext, runas: string | null): Promise<string[]> {
  const lines = splitLines((await printed(ctx, 'install --list', runas)) ?? '')
  return lines.filter((line) => line !== 'Available versions:').map((line) => line.trim())
}

/** Run a command with the shims first in the path. */
async function run(ctx: FunctionContext, cmdline: Value, runas: string | null): Promise<Value> {
  const words = splitWords(str(cmdline)).map(shlexQuote).join(' ')
  const line = `env PATH=${shlexQuote(await rootOf(ctx, runas))}/shims:$PATH  ${words}`
  const { retcode, stdout } = await runAll(ctx, line, { runas, python_shell: true })
  if (retcode !== 0) return false
  await pyenv(ctx, 'rehash ', runas)
  return stdout
}

const runas = arg.text('User who owns the pyenv', { optional: true })
const path = arg.text('Directory of pyenv', { optional: true })
const python = arg.text('Python version')

export default defineModule({
  name: 'pyenv',
  doc: 'Manage Python versions with pyenv.',
  functions: {
    install: changes({
      doc: 'Install pyenv.',
      args: { runas, path },
      run: (ctx, { runas, path }) => install(ctx, runas, path),
    }),
    update: changes({
      doc: 'Update pyenv.',
      args: { runas, path },
      run: (ctx, { runas, path }) => update(ctx, runas, path),
    }),
    is_installed: reads({
      doc: 'Return whether pyenv is installed.',
      args: { runas },
      returns: ret.boolean('Whether pyenv is installed'),
      run: (ctx, { runas }) => isInstalled(ctx, runas),
    }),
    install_python: changes({
      doc: 'Install a Python version.',
      example: 'pyenv.install_python 3.12.1',
      args: { python, runas },
      run: (ctx, given) => installPython(ctx, given.python, given.runas),
    }),
    uninstall_python: changes({
      doc: 'Remove a Python version.',
      example: 'pyenv.uninstall_python 3.12.1',
      args: { python, runas },
      run: (ctx, given) => uninstall(ctx, given.python, given.runas),
    }),
    versions: reads({
      doc: 'List the installed Python versions.',
      args: { runas },
      run: async (ctx, { runas }) => splitLines((await printed(ctx, 'versions --bare', runas)) ?? ''),
    }),
    default: changes({
      doc: 'Return the default Python version, or set it.',
      example: 'pyenv.default 3.12.1',
      args: { python: arg.text('Python version to set', { optional: true }), runas },
      run: (ctx, given) => chosen(ctx, given.python, given.runas),
    }),
    list: reads({
      doc: 'List the Python versions that can be installed.',
      calledAs: 'list_',
      args: { runas },
      returns: ret.texts('Python versions'),
      run: (ctx, { runas }) => list(ctx, runas),
    }),
    rehash: changes({
      doc: 'Rebuild the shims.',
      args: { runas },
      run: async (ctx, { runas }) => {
        await pyenv(ctx, 'rehash ', runas)
        return true
      },
    }),
    do: changes({
      doc: 'Run a command with the shims of pyenv.',
      example: "pyenv.do 'pip list'",
      args: { cmdline: arg.text('Command', { optional: true }), runas },
      run: (ctx, { cmdline, runas }) => run(ctx, cmdline, runas),
    }),
    do_with_python: changes({
      doc: 'Run a command with one Python version.',
      example: "pyenv.do_with_python 3.12.1 'pip list'",
      args: { python, cmdline: arg.text('Command'), runas },
      run: (ctx, { python, cmdline, runas }) =>
        run(ctx, python ? `PYENV_VERSION=${python} ${cmdline}` : cmdline, runas),
    }),
  },
})
