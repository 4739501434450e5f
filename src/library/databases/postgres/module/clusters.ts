// Data directories, created by initdb, and clusters of Debian, which are directories with a version and a name.
import { type Dict, failure, splitWords, str, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { findProgram, option, serverUser, succeeded, withSecret } from './psql.ts'

export async function directoryExists(ctx: FunctionContext, name: string): Promise<boolean> {
  const directory = name.replace(/\/$/, '')
  for (const file of ['PG_VERSION', 'postgresql.conf']) {
    if ((await ctx.host.stat(`${directory}/${file}`))?.type !== 'file') return false
  }
  return true
}

interface DirectoryOptions {
  readonly name: string
  readonly auth: string
  readonly user: string | null
  readonly password: string | null
  readonly encoding: string
  readonly locale: string | null
  readonly waldir: string | null
  readonly checksums: boolean
  readonly runas: string | null
}

export async function initDirectory(ctx: FunctionContext, given: DirectoryOptions): Promise<boolean> {
  const { name, auth, user, password, encoding, locale, waldir, checksums } = given
  if (await directoryExists(ctx, name)) {
    ctx.log('info', `${name} already exists`)
    return false
  }
  const runas = given.runas ?? serverUser(ctx)
  const program = await findProgram(ctx, 'initdb', await option(ctx, 'bins_dir'))
  if (program === undefined) throw failure('initdb executable not found.')
  const argv = [program, `--pgdata=${name}`, `--username=${user ?? runas}`, `--auth=${auth}`, `--encoding=${encoding}`]
  if (locale !== null) argv.push(`--locale=${locale}`)
  if (waldir !== null) argv.push('-X', waldir)
  if (checksums) argv.push('--data-checksums')
  const timeout = await option(ctx, 'timeout', 0)
  const run = async (words: readonly string[]): Promise<boolean> => {
    const answer = await ctx.call('cmd.run_all', [[...words]], { python_shell: false, runas, clean_env: true, timeout })
    return succeeded(answer)
  }
  if (password === null) return run(argv)
  return withSecret(ctx, password, runas, (path) => run([...argv, `--pwfile=${path}`]))
}

async function debianTool(ctx: FunctionContext, program: string, words: readonly string[]): Promise<Dict> {
  const path = await ctx.host.which(program)
  if (path === undefined) {
    throw failure(`The command ${program} of postgresql-common was not found`)
  }
  return ctx.call('cmd.run_all', [[path, ...words]], { python_shell: false })
}

interface Cluster {
  readonly version: string
  readonly name: string
}

interface ClusterOptions extends Cluster {
  readonly port: string | null
  readonly locale: string | null
  readonly encoding: string | null
  readonly datadir: string | null
  readonly allow_group_access: Value
  readonly data_checksums: Value
  readonly wal_segsize: string | null
}

export async function createCluster(ctx: FunctionContext, given: ClusterOptions): Promise<Dict | false> {
  const { version, name, wal_segsize } = given
  const words = (['port', 'locale', 'encoding', 'datadir'] as const).flatMap((option) => {
    const value = given[option]
    return value ? [`--${option}`, value] : []
  })
  words.push(version, name)
  const further: string[] = []
  if (given.allow_group_access === true) further.push('--allow-group-access')
  if (given.data_checksums === true) further.push('--data-checksums')
  if (wal_segsize) further.push('--wal-segsize', wal_segsize)
  const answer = await debianTool(ctx, 'pg_createcluster', [
    ...words,
    ...(further.length > 0 ? ['--', ...further] : []),
  ])
  if (succeeded(answer)) return answer
  ctx.log('error', `Error creating a Postgresql cluster ${version}/${name}`)
  return false
}

export async function clusters(ctx: FunctionContext): Promise<Dict> {
  const answer = await debianTool(ctx, 'pg_lsclusters', ['--no-header'])
  if (!succeeded(answer)) ctx.log('error', 'Error listing clusters')
  const found: Dict = new Map()
  for (const line of str(answer.get('stdout') ?? '').split('\n')) {
    const [version, name, port, ...texts] = splitWords(line)
    if (texts.length < 4) continue
    const facts = ['status', 'user', 'datadir', 'log'].map((fact, i): [Value, Value] => [fact, texts[i] ?? null])
    found.set(`${version}/${name}`, new Map<Value, Value>([['port', Number(port)], ...facts]))
  }
  return found
}

export async function removeCluster(ctx: FunctionContext, given: Cluster & { stop: boolean }): Promise<Dict> {
  const { version, name, stop } = given
  const answer = await debianTool(ctx, 'pg_dropcluster', [...(stop ? ['--stop'] : []), version, name])
  if (succeeded(answer)) answer.set('changes', `Successfully removed cluster ${version}/${name}`)
  else ctx.log('error', `Error removing a Postgresql cluster ${version}/${name}`)
  return answer
}
