// MySQL and MariaDB through their command line client: connection options with Salt's names, results from its XML,
// where every value is text and NULL differs from the text "NULL". As in Salt, errors are kept in the memory of the
// loader, and the states report them.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, failure, float, int, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type FunctionContext } from '../../../../sdk/mod.ts'

export const connectionArgs = arg.open('Connection: connection_host, connection_user, connection_pass and so on')

/** Keywords `connection_host`, `connection_user` and so on. */
export type Connection = ReadonlyMap<string, Value>

export type Row = ReadonlyMap<string, string | null>

export interface Answer {
  /** Undefined for a statement that returns no rows. */
  rows: Row[] | undefined
  affected: number
}

export class MysqlError extends SaltError {
  readonly errno: number

  constructor(errno: number, text: string) {
    super('CommandExecutionError', `MySQL Error ${errno}: ${text}`)
    this.errno = errno
  }
}

const DELIMITER = '/*--end--*/'
const COUNT = 'SELECT ROW_COUNT() AS affected_rows'

/** Forget the error of an earlier call, and return the connection. */
export function fresh(ctx: FunctionContext, connection: Connection): Connection {
  ctx.memory.delete('mysql.error')
  return connection
}

export async function findClient(host: FunctionContext['host']): Promise<string | undefined> {
  return (await host.which('mysql')) ?? (await host.which('mariadb'))
}

async function setting(
  ctx: FunctionContext,
  connection: Connection,
  name: string,
  fromOptions: boolean,
): Promise<Value> {
  const given = connection.get(`connection_${name}`)
  if (given !== undefined) return given
  return fromOptions ? ctx.call('config.option', [`mysql.${name}`], { default: null }) : null
}

const FLAGS: readonly (readonly [flag: string, name: string])[] = [
  ['--host', 'host'],
  ['--user', 'user'],
  ['--port', 'port'],
  ['--socket', 'unix_socket'],
  ['--database', 'db'],
]

interface Line {
  words: string[]
  /** Text of a defaults file with the password, which must not show in the list of processes. */
  secret: string | undefined
  defaults: string | undefined
}

async function commandLine(ctx: FunctionContext, connection: Connection): Promise<Line> {
  // options do not overrule a defaults file that this call names
  const fromOptions = !connection.has('connection_default_file')
  const words: string[] = []
  for (const [flag, name] of FLAGS) {
    const value = await setting(ctx, connection, name, fromOptions)
    if (truthy(value)) words.push(`${flag}=${str(value)}`)
  }
  const charset = await setting(ctx, connection, 'charset', true)
  words.push(`--default-character-set=${truthy(charset) ? str(charset) : 'utf8mb4'}`)
  const password = await setting(ctx, connection, 'pass', fromOptions)
  const file = await setting(ctx, connection, 'default_file', fromOptions)
  const defaults = truthy(file) ? str(file) : undefined
  if (!truthy(password)) return { words, secret: undefined, defaults }
  const escaped = str(password).replace(/[\\"]/g, '\\$&')
  const include = defaults === undefined ? '' : `!include ${defaults}\n`
  return { words, secret: `${include}[client]\npassword="${escaped}"\n`, defaults }
}

async function run(
  ctx: FunctionContext,
  connection: Connection,
  script: string,
  format: readonly string[],
): Promise<string> {
  const program = await findClient(ctx.host)
  if (program === undefined) throw failure('The program mysql was not found')
  const { words, secret, defaults } = await commandLine(ctx, connection)
  const file = secret === undefined ? undefined : await ctx.host.tempFile({ prefix: '__salt.tmp.', suffix: '.cnf' })
  try {
    if (file !== undefined) await ctx.host.write(file, secret!)
    const from = file ?? defaults
    const argv = [
      program,
      from === undefined ? '--no-defaults' : `--defaults-file=${from}`,
      ...words,
      ...format,
      '--binary-mode',
      `--delimiter=${DELIMITER}`,
    ]
    const { retcode, stdout, stderr } = await ctx.host.run({ argv, stdin: script })
    if (retcode !== 0) throw failureOf(new TextDecoder().decode(stderr))
    return new TextDecoder().decode(stdout)
  } finally {
    if (file !== undefined) await ctx.host.remove(file)
  }
}

function failureOf(stderr: string): MysqlError {
  const [, number, text = ''] = /ERROR (\d+)(?: \(\w+\))?(?: at line \d+)?: ([\s\S]*)/.exec(stderr) ?? []
  return number === undefined ? new MysqlError(2000, stderr.trim()) : new MysqlError(Number(number), text.trim())
}

const ENTITIES: Readonly<Record<string, string>> = lookup({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" })
const unescaped = (text: string): string => text.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

function rowsOf(xml: string): Row[] {
  return [...xml.matchAll(/<row>([\s\S]*?)<\/row>/g)].map(([, row]) => {
    const fields = row!.matchAll(/<field name="([^"]*)"(?: xsi:nil="true" \/>|>([\s\S]*?)<\/field>)/g)
    return new Map([...fields].map(([, name, text]) => [unescaped(name!), text === undefined ? null : unescaped(text)]))
  })
}

/** Run statements over one connection, and return the answer of each. */
export async function runStatements(
  ctx: FunctionContext,
  connection: Connection,
  statements: readonly string[],
): Promise<Answer[]> {
  const script = statements.map((statement) => `${statement}\n${DELIMITER}\n${COUNT}\n${DELIMITER}\n`).join('')
  const output = await run(ctx, connection, script, ['--xml'])
  const answers: Answer[] = []
  let rows: Row[] | undefined
  for (const [, statement, body] of output.matchAll(/<resultset statement="([^"]*)"[^>]*>([\s\S]*?)<\/resultset>/g)) {
    const found = rowsOf(body!)
    if (statement!.trim() === COUNT) {
      answers.push({ rows, affected: rows?.length ?? Math.max(0, Number(found[0]?.get('affected_rows') ?? 0)) })
      rows = undefined
    } else rows ??= found
  }
  return answers
}

async function runStatement(ctx: FunctionContext, connection: Connection, statement: string): Promise<Answer> {
  return (await runStatements(ctx, connection, [statement]))[0] ?? { rows: undefined, affected: 0 }
}

/** Return the columns of a query, which an empty answer does not show. */
export async function columnsOf(ctx: FunctionContext, connection: Connection, query: string): Promise<string[]> {
  const output = await run(ctx, connection, `${query}\n${DELIMITER}\n`, ['--table', '--column-type-info'])
  return [...output.matchAll(/^Field +\d+: +`(.*)`$/gm)].map(([, name]) => name!)
}

/** Return the answer of a statement; undefined after a failure, which is logged and kept. */
export async function attempt(
  ctx: FunctionContext,
  connection: Connection,
  statement: string,
): Promise<Answer | undefined> {
  try {
    return await runStatement(ctx, connection, statement)
  } catch (error) {
    if (!(error instanceof MysqlError)) throw error
    keepError(ctx, error.message)
    return undefined
  }
}

export function keepError(ctx: FunctionContext, message: string): void {
  ctx.memory.set('mysql.error', message)
  ctx.log('error', message)
}

/** Return the rows of a query; undefined after a failure. */
export async function rows(ctx: FunctionContext, connection: Connection, query: string): Promise<Row[] | undefined> {
  const answer = await attempt(ctx, connection, query)
  return answer && (answer.rows ?? [])
}

export const literal = (text: string): string => `'${text.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0')}'`

/** Quote a name for a statement. In grants on whole databases `_` and `%` would be wildcards. */
export function identifier(name: string, forGrants = false): string {
  const doubled = name.replaceAll('`', '``')
  return `\`${forGrants ? doubled.replaceAll('_', '\\_') : doubled}\``
}

export const account = (user: string, host: string): string => `${literal(user)}@${literal(host)}`

/** Return a row as a dict, with numbers in the named columns. */
export function dictOf(row: Row, numbers: ReadonlySet<string> = new Set()): Dict {
  return new Map([...row].map(([name, text]) => [name, numbers.has(name) ? numberOf(text) : text]))
}

export function numberOf(text: string | null): Value {
  if (text === null || !/^-?\d+(\.\d+)?$/.test(text)) return text
  return text.includes('.') ? float(Number(text)) : int(BigInt(text))
}

/** Return the version of the server, which is queried once. */
export async function serverVersion(ctx: FunctionContext, connection: Connection): Promise<string> {
  const known = ctx.memory.get('mysql.version')
  if (known !== undefined) return str(known)
  const found = (await rows(ctx, connection, 'SELECT VERSION() AS version'))?.[0]?.get('version') ?? ''
  if (found !== '') ctx.memory.set('mysql.version', found)
  return found
}

export const isMaria = (version: string): boolean => version.includes('MariaDB')

/** Return whether a version is at least another one, by its numbers. */
export function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version, least].map((text) => (text.match(/^[\d.]+/)?.[0] ?? '').split('.').map(Number))
  for (const [i, part] of want!.entries()) {
    const own = have![i] ?? 0
    if (own !== part) return own > part
  }
  return true
}
