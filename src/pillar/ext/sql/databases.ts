// The queries of each database: PostgreSQL and MySQL through their command-line clients, which report the types of
// columns, and SQLite directly.
import { lookup } from '../../../base/mod.ts'
import {
  type Dict,
  decodeBytes,
  float,
  int,
  isDict,
  isList,
  loadJson,
  numberOf,
  SaltError,
  str,
  type Value,
} from '../../../data/mod.ts'
import type { ExtPillarContext } from '../../../sdk/mod.ts'
import { ForeignDatabase } from '../../../store/mod.ts'
import { filledIn, type Table } from './rows.ts'

/** The statement failed; earlier results remain valid. */
export class QueryError extends Error {}

export interface DatabaseConnection {
  ask(query: string): Promise<Table>
  close(): void
}

/** Return the options of a database with defaults for missing ones. */
function settings(ctx: ExtPillarContext, name: string, defaults: Record<string, Value>): Record<string, Value> {
  const given = ctx.opts.get(name)
  const known = given !== undefined && isDict(given) ? given : new Map()
  return Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, known.get(key) ?? value]))
}

const SERVER = { host: 'localhost', user: 'salt', pass: 'salt', db: 'salt' }

interface ClientRun {
  /** The server and its port, for errors of the connection. */
  server: string
  argv: string[]
  stdin: string
  env?: ReadonlyMap<string, string>
  /** Whether a failure is one of the statement. */
  isMistake(retcode: number, stderr: string): boolean
}

async function printed(
  { host }: ExtPillarContext,
  { server, argv, stdin, env, isMistake }: ClientRun,
): Promise<string> {
  if ((await host.which(argv[0]!)) === undefined) {
    throw new SaltError('CommandExecutionError', `The program ${argv[0]} was not found, which asks the database`)
  }
  const { retcode, stdout, stderr } = await host.run({ argv, stdin, ...(env && { env }) })
  if (retcode === 0) return decodeBytes(stdout)
  const said = decodeBytes(stderr).trim()
  // mysql repeats the statement before its error message
  const why = /^ERROR \d+[\s\S]*/m.exec(said)?.[0] ?? said
  if (isMistake(retcode, why)) throw new QueryError(why)
  throw new SaltError('CommandExecutionError', `${argv[0]} could not use the database at ${server}: ${why}`)
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** Exit statuses of psql: 2 when the connection failed, 3 when the script did. */
const PSQL_SCRIPT_FAILED = 3

export function postgres(ctx: ExtPillarContext): DatabaseConnection {
  const { host, user, pass, db, port } = settings(ctx, 'postgres', { ...SERVER, port: 5432 })
  const place = ['-h', str(host!), '-p', str(port!), '-U', str(user!), '-d', str(db!)]
  const server = `${str(host!)}:${str(port!)}`
  const argv = ['psql', '-X', '-q', '-A', '-t', '-w', '-F', '\t', '-v', 'ON_ERROR_STOP=1', ...place]
  const env = new Map([['PGPASSWORD', str(pass!)]])
  const isMistake = (retcode: number): boolean => retcode === PSQL_SCRIPT_FAILED
  const run = (stdin: string): Promise<string> => printed(ctx, { server, argv, stdin, env, isMistake })
  const literal = `E'${ctx.minionId.replace(/[\\']/g, '\\$&')}'`
  return {
    ask: async (query) => {
      const sql = filledIn(query, literal)
      const columns = lines(await run(`${sql} \\gdesc\n`)).map((line) => line.split('\t'))
      const names = columns.map((_, index) => `c${index}`).join(', ')
      const text = await run(`SELECT json_build_array(${names}) FROM (${sql}\n) AS found(${names})\n;\n`)
      const isFloat = columns.map(([, type]) => type === 'real' || type === 'double precision')
      return {
        fields: columns.map(([name]) => name!),
        rows: lines(text).map((line) => typed(loadJson(line), isFloat)),
      }
    },
    close: () => {},
  }
}

/** Whole numbers of a column of floats are floats all the same. */
function typed(row: Value, isFloat: readonly boolean[]): Value[] {
  if (!isList(row)) return []
  return [...row].map((value, index) => (isFloat[index] && typeof value === 'number' ? float(value) : value))
}

/** Conversions by type name of the client. */
const MYSQL_TYPES: Readonly<Record<string, (text: string) => Value>> = lookup({
  ...Object.fromEntries(
    ['TINY', 'SHORT', 'LONG', 'LONGLONG', 'INT24', 'YEAR'].map((type) => [type, (text: string) => int(BigInt(text))]),
  ),
  ...Object.fromEntries(
    ['FLOAT', 'DOUBLE', 'DECIMAL', 'NEWDECIMAL'].map((type) => [type, (text: string) => float(Number(text))]),
  ),
})

const ENTITIES: Readonly<Record<string, string>> = lookup({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" })
const unescaped = (text: string): string => text.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

/** Errors of the connection rather than of a statement: no server, no permission, no such database. */
const MYSQL_LOST = /^ERROR (?:2\d{3}|1044|1045|1049|1130|1698)\b/m

export function mysql(ctx: ExtPillarContext): DatabaseConnection {
  const { host, user, pass, db, port, ssl } = settings(ctx, 'mysql', { ...SERVER, port: 3306, ssl: new Map() })
  const place = [`--host=${str(host!)}`, `--port=${str(port!)}`, `--user=${str(user!)}`, `--database=${str(db!)}`]
  const server = `${str(host!)}:${str(port!)}`
  const argv = ['mysql', '--no-defaults', ...place, ...mysqlTls(ssl!), '--default-character-set=utf8mb4']
  const env = new Map([['MYSQL_PWD', str(pass!)]])
  const isMistake = (_: number, stderr: string): boolean => !MYSQL_LOST.test(stderr)
  const literal = `'${ctx.minionId.replace(/[\\']/g, '\\$&')}'`
  return {
    ask: async (query) => {
      const stdin = `${filledIn(query, literal)}\n;\n`
      const run = (...form: string[]): Promise<string> =>
        printed(ctx, { server, argv: [...argv, '--binary-mode', ...form], stdin, env, isMistake })
      const info = await run('--table', '--column-type-info')
      const fields = [...info.matchAll(/^Field +\d+: +`(.*)`$/gm)].map(([, name]) => name!)
      const readers = [...info.matchAll(/^Type: +(\w+)/gm)].map(([, type]) => MYSQL_TYPES[type!])
      return { fields, rows: xmlRows(await run('--xml'), readers) }
    },
    close: () => {},
  }
}

/** Return the client options for `ssl`, with the names of Python's driver. */
function mysqlTls(ssl: Value): string[] {
  const files: Dict = isDict(ssl) ? ssl : new Map()
  return ['ca', 'cert', 'key', 'capath', 'cipher'].flatMap((name) =>
    files.has(name) ? [`--ssl-${name}=${str(files.get(name)!)}`] : [],
  )
}

function xmlRows(xml: string, readers: ReadonlyArray<((text: string) => Value) | undefined>): Value[][] {
  return [...xml.matchAll(/<row>([\s\S]*?)<\/row>/g)].map(([, row]) => {
    const found = [...row!.matchAll(/<field name="[^"]*"(?: xsi:nil="true" \/>|>([\s\S]*?)<\/field>)/g)]
    return found.map(([, text], index) => {
      if (text === undefined) return null
      const plain = unescaped(text)
      return readers[index]?.(plain) ?? plain
    })
  })
}

export function sqlite3(ctx: ExtPillarContext): DatabaseConnection {
  const defaults = { database: '/var/lib/salt/pillar.db', timeout: 5 }
  const given = ctx.opts.get('sqlite3')
  const isGiven = given !== undefined && isDict(given) && given.has('database')
  const { database, timeout } = isGiven ? settings(ctx, 'sqlite3', defaults) : defaults
  const db = new ForeignDatabase(str(database!), numberOf(timeout!) ?? 5)
  return {
    ask: async (query) => {
      try {
        return db.select(query, [ctx.minionId])
      } catch (error) {
        throw new QueryError((error as Error).message)
      }
    },
    close: () => db.close(),
  }
}
