// Data directories, made by initdb, and Debian's clusters, which are directories with a version and a name.
import { type Dict, SaltError, splitWords, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { type Given, has, text } from './arguments.ts'
import { findProgram, option, serverUser, succeeded, withSecret } from './psql.ts'

export async function directoryExists(ctx: FunctionContext, name: Value): Promise<boolean> {
  const directory = str(name).replace(/\/$/, '')
  for (const file of ['PG_VERSION', 'postgresql.conf']) {
    if ((await ctx.host.stat(`${directory}/${file}`))?.type !== 'file') return false
  }
  return true
}

export async function initDirectory(ctx: FunctionContext, given: Given): Promise<boolean> {
  const name = text(given, 'name')
  if (await directoryExists(ctx, name)) {
    ctx.log('info', `${name} already exists`)
    return false
  }
  const runas = given['runas'] ?? serverUser(ctx)
  const program = await findProgram(ctx, 'initdb', await option(ctx, 'bins_dir'))
  if (program === undefined) throw new SaltError('CommandExecutionError', 'initdb executable not found.')
  const argv = [
    program,
    `--pgdata=${name}`,
    `--username=${str(given['user'] ?? runas)}`,
    `--auth=${text(given, 'auth')}`,
    `--encoding=${text(given, 'encoding')}`,
  ]
  if (given['locale'] !== null) argv.push(`--locale=${text(given, 'locale')}`)
  if (given['waldir'] !== null) argv.push('-X', text(given, 'waldir'))
  if (has(given, 'checksums')) argv.push('--data-checksums')
  const timeout = await option(ctx, 'timeout', 0)
  const run = async (words: readonly string[]): Promise<boolean> => {
    const answer = await ctx.call('cmd.run_all', [[...words]], { python_shell: false, runas, clean_env: true, timeout })
    return succeeded(answer as Dict)
  }
  const password = given['password'] ?? null
  if (password === null) return run(argv)
  return withSecret(ctx, str(password), runas, (path) => run([...argv, `--pwfile=${path}`]))
}

async function debianTool(ctx: FunctionContext, program: string, words: readonly string[]): Promise<Dict> {
  const path = await ctx.host.which(program)
  if (path === undefined) {
    throw new SaltError('CommandExecutionError', `The command ${program} of postgresql-common was not found`)
  }
  return ctx.call('cmd.run_all', [[path, ...words]], { python_shell: false })
}

const CREATION: readonly (readonly [flag: string, parameter: string])[] = [
  ['--port', 'port'],
  ['--locale', 'locale'],
  ['--encoding', 'encoding'],
  ['--datadir', 'datadir'],
]

export async function createCluster(ctx: FunctionContext, given: Given): Promise<Dict | false> {
  const words = CREATION.flatMap(([flag, name]) => (has(given, name) ? [flag, text(given, name)] : []))
  words.push(text(given, 'version'), text(given, 'name'))
  const further: string[] = []
  if (given['allow_group_access'] === true) further.push('--allow-group-access')
  if (given['data_checksums'] === true) further.push('--data-checksums')
  if (has(given, 'wal_segsize')) further.push('--wal-segsize', text(given, 'wal_segsize'))
  const answer = await debianTool(ctx, 'pg_createcluster', [
    ...words,
    ...(further.length > 0 ? ['--', ...further] : []),
  ])
  if (succeeded(answer)) return answer
  ctx.log('error', `Error creating a Postgresql cluster ${text(given, 'version')}/${text(given, 'name')}`)
  return false
}

export async function clusters(ctx: FunctionContext): Promise<Dict> {
  const answer = await debianTool(ctx, 'pg_lsclusters', ['--no-header'])
  if (!succeeded(answer)) ctx.log('error', 'Error listing clusters')
  const found: Dict = new Map()
  for (const line of str(answer.get('stdout') ?? '').split('\n')) {
    const [version, name, port, status, user, datadir, log] = splitWords(line)
    if (log === undefined) continue
    const facts: [Value, Value][] = [
      ['port', Number(port)],
      ['status', status!],
      ['user', user!],
      ['datadir', datadir!],
      ['log', log],
    ]
    found.set(`${version}/${name}`, new Map(facts))
  }
  return found
}

export async function removeCluster(ctx: FunctionContext, given: Given): Promise<Dict> {
  const [version, name] = [text(given, 'version'), text(given, 'name')]
  const stop = truthy(given['stop'] ?? null) ? ['--stop'] : []
  const answer = await debianTool(ctx, 'pg_dropcluster', [...stop, version, name])
  if (succeeded(answer)) answer.set('changes', `Successfully removed cluster ${version}/${name}`)
  else ctx.log('error', `Error removing a Postgresql cluster ${version}/${name}`)
  return answer
}
