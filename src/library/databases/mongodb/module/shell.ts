// MongoDB through its shell: a script in, one line of JSON out. Values go in as JSON, so that no value can become part
// of the script.
import {
  type Dict,
  dumpJson,
  failure,
  isDict,
  loadJson,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

/** Address, login and database; a missing or empty part comes from the options. */
export type Server = Readonly<
  Partial<Record<'user' | 'password' | 'host' | 'port' | 'database' | 'authdb', string | null>>
>

/** An error of the server, in its own words. */
export class MongoError extends SaltError {
  constructor(message: string) {
    super('CommandExecutionError', message)
  }
}

export async function findShell(host: FunctionContext['host']): Promise<string | undefined> {
  return (await host.which('mongosh')) ?? (await host.which('mongo'))
}

const MARK = 'brine-answer:'

async function setting(ctx: FunctionContext, server: Server, name: keyof Server): Promise<string> {
  const chosen = server[name] || (await ctx.call('config.option', [`mongodb.${name}`], { default: '' }))
  return truthy(chosen) ? str(chosen) : ''
}

/** Return the script, after the login. */
function scriptOf(body: string, values: Dict, login: Dict): string {
  return [
    `const given = ${dumpJson(values)}, login = ${dumpJson(login)}`,
    'let answer',
    'try {',
    '  if (login.user && login.password) db.getSiblingDB(login.authdb).auth(login.user, login.password)',
    '  const target = db.getSiblingDB(login.database)',
    `  answer = { value: (() => { ${body} })() }`,
    '} catch (error) { answer = { error: error.message } }',
    `print('${MARK}' + (typeof EJSON === 'undefined' ? JSON : EJSON).stringify(answer))`,
  ].join('\n')
}

/** Run the body of a JavaScript function that sees the database as `target` and the values as `given`. */
export async function run(
  ctx: FunctionContext,
  server: Server,
  body: string,
  values: Readonly<Record<string, Value>> = {},
): Promise<Value> {
  const shell = await findShell(ctx.host)
  if (shell === undefined) throw failure('The program mongosh was not found')
  const database = server.database || 'admin'
  const login: Dict = new Map<Value, Value>([
    ['user', await setting(ctx, server, 'user')],
    ['password', await setting(ctx, server, 'password')],
    ['authdb', server.authdb || database],
    ['database', database],
  ])
  const host = (await setting(ctx, server, 'host')) || 'localhost'
  const port = (await setting(ctx, server, 'port')) || '27017'
  const script = await ctx.host.tempFile({ prefix: '__salt.tmp.', suffix: '.js' })
  try {
    await ctx.host.write(script, scriptOf(body, new Map(Object.entries(values)), login))
    const argv = [shell, '--quiet', '--norc', '--host', host, '--port', port, script]
    const { stdout, stderr } = await ctx.host.run({ argv })
    return answerOf(new TextDecoder().decode(stdout), new TextDecoder().decode(stderr))
  } finally {
    await ctx.host.remove(script)
  }
}

function answerOf(stdout: string, stderr: string): Value {
  const line = stdout.split('\n').find((each) => each.startsWith(MARK))
  if (line === undefined) throw new MongoError((stderr.trim() || stdout.trim()).split('\n').at(-1) ?? '')
  const answer = loadJson(line.slice(MARK.length))
  if (!isDict(answer)) return null
  const error = answer.get('error')
  if (error !== undefined) throw new MongoError(str(error))
  return answer.get('value') ?? null
}
