// Talking to MongoDB through its shell: a script in, one line of JSON out. Values go in as JSON, so that nothing a
// caller gives can become part of the script.
import { type Dict, dumpJson, isDict, loadJson, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

export type Given = Readonly<Record<string, Value>>

/** What the server refused, in its own words. */
export class MongoError extends SaltError {
  constructor(message: string) {
    super('CommandExecutionError', message)
  }
}

export async function findShell(host: FunctionContext['host']): Promise<string | undefined> {
  return (await host.which('mongosh')) ?? (await host.which('mongo'))
}

const MARK = 'brine-answer:'

async function setting(ctx: FunctionContext, given: Given, name: string): Promise<string> {
  const value = given[name] ?? null
  const chosen = truthy(value) ? value : await ctx.call('config.option', [`mongodb.${name}`], { default: '' })
  return truthy(chosen) ? str(chosen) : ''
}

/** The script, after the login it needs. */
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

/** Runs the body of a function over `target`, a database, and `given`, what it needs. */
export async function run(
  ctx: FunctionContext,
  given: Given,
  body: string,
  values: Readonly<Record<string, Value>> = {},
): Promise<Value> {
  const shell = await findShell(ctx.host)
  if (shell === undefined) throw new SaltError('CommandExecutionError', 'The program mongosh was not found')
  const database = truthy(given['database'] ?? null) ? str(given['database']!) : 'admin'
  const authdb = truthy(given['authdb'] ?? null) ? str(given['authdb']!) : database
  const login: Dict = new Map<Value, Value>([
    ['user', await setting(ctx, given, 'user')],
    ['password', await setting(ctx, given, 'password')],
    ['authdb', authdb],
    ['database', database],
  ])
  const host = (await setting(ctx, given, 'host')) || 'localhost'
  const port = (await setting(ctx, given, 'port')) || '27017'
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
  if (isDict(answer) && answer.has('error')) throw new MongoError(str(answer.get('error')!))
  return isDict(answer) ? (answer.get('value') ?? null) : null
}
