// `mysql`: the data cache in a table of MySQL or MariaDB, as Salt lays it out: `bank`, `etcd_key`, `data` (msgpack) and `last_update`. The
// program mysql runs the statements, many at a time.
import { decodeBytes, decodeMsgpack, encodeMsgpack, failure, str, truthy, type Value } from '../../../data/mod.ts'
import { type CacheChange, type DataSourceContext, defineCache, type SharedBanks } from '../../../sdk/mod.ts'
import { findClient } from './module/client.ts'

const SECONDS = 60

/** Write bytes as a literal that no byte can end. */
const hex = (bytes: string | Uint8Array): string => {
  const text = Buffer.from(bytes as string).toString('hex')
  return text === '' ? "''" : `0x${text}`
}

/** Text of a column. */
const name = (text: string): string => `CONVERT(${hex(text)} USING utf8mb4)`

/** Ids of minions that differ by upper and lower case alone are different keys. */
const KEY = 'CHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'

class MysqlBanks implements SharedBanks {
  private readonly ctx: DataSourceContext
  private readonly table: string
  private isReady: Promise<void> | undefined

  constructor(ctx: DataSourceContext) {
    this.ctx = ctx
    this.table = `\`${(this.setting('table_name') || 'salt').replaceAll('`', '``')}\``
  }

  private setting(option: string): string {
    const value = this.ctx.opts.get(`mysql.${option}`) ?? null
    return truthy(value) ? str(value) : ''
  }

  /** Run statements; return the printed rows. */
  private async run(statements: readonly string[]): Promise<string[][]> {
    const client = await findClient(this.ctx.host)
    if (client === undefined) throw failure('The program mysql was not found')
    const socket = this.setting('unix_socket')
    const argv = [
      ...[client, '--no-defaults', '--batch', '--skip-column-names', '--default-character-set=utf8mb4'],
      ...(socket ? [`--socket=${socket}`] : [`--host=${this.setting('host') || '127.0.0.1'}`]),
      ...(socket ? [] : [`--port=${this.setting('port') || '3306'}`, '--protocol=tcp']),
      ...(this.setting('user') ? [`--user=${this.setting('user')}`] : []),
      `--database=${this.setting('database') || 'salt_cache'}`,
    ]
    const password = this.setting('password')
    const env = password ? { env: new Map([['MYSQL_PWD', password]]) } : {}
    const stdin = `${statements.join(';\n')};\n`
    const { retcode, stdout, stderr } = await this.ctx.host.run({ argv, stdin, timeout: SECONDS, ...env })
    const place = socket || `${this.setting('host') || '127.0.0.1'}:${this.setting('port') || '3306'}`
    if (retcode !== 0) throw failure(`${place}: ${decodeBytes(stderr).trim()}`)
    const lines = decodeBytes(stdout).split('\n')
    return lines.filter((line) => line !== '').map((line) => line.split('\t'))
  }

  private ready(): Promise<void> {
    const columns =
      `bank ${KEY}, etcd_key ${KEY}, data MEDIUMBLOB, ` +
      'last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, PRIMARY KEY(bank, etcd_key)'
    this.isReady ??= this.run([`CREATE TABLE IF NOT EXISTS ${this.table} (${columns})`]).then(
      () => undefined,
      (error) => {
        this.isReady = undefined
        throw error
      },
    )
    return this.isReady
  }

  async apply(changes: readonly CacheChange[]): Promise<void> {
    await this.ready()
    await this.run([
      'START TRANSACTION',
      ...changes.map(({ bank, key, value }) => {
        if (key === undefined) return `DELETE FROM ${this.table} WHERE bank = ${name(bank)}`
        if (value === undefined)
          return `DELETE FROM ${this.table} WHERE bank = ${name(bank)} AND etcd_key = ${name(key)}`
        const row = `${name(bank)}, ${name(key)}, ${hex(encodeMsgpack(value, 'bus'))}`
        return `REPLACE INTO ${this.table} (bank, etcd_key, data) VALUES (${row})`
      }),
      'COMMIT',
    ])
  }

  async fetch(bank: string, keys: readonly string[]): Promise<Map<string, Value>> {
    if (keys.length === 0) return new Map()
    await this.ready()
    const wanted = keys.map(name).join(', ')
    const where = `bank = ${name(bank)} AND etcd_key IN (${wanted})`
    const rows = await this.run([
      `SELECT HEX(CONVERT(etcd_key USING utf8mb4)), HEX(data) FROM ${this.table} WHERE ${where}`,
    ])
    return new Map(
      rows.map(([key, data]) => [
        Buffer.from(key!, 'hex').toString(),
        decodeMsgpack(Buffer.from(data ?? '', 'hex'), { dialect: 'bus' }),
      ]),
    )
  }

  async times(bank: string): Promise<Map<string, number>> {
    await this.ready()
    const columns = 'HEX(CONVERT(etcd_key USING utf8mb4)), UNIX_TIMESTAMP(last_update)'
    const rows = await this.run([`SELECT ${columns} FROM ${this.table} WHERE bank = ${name(bank)}`])
    return new Map(rows.map(([key, time]) => [Buffer.from(key!, 'hex').toString(), Math.trunc(Number(time))]))
  }

  async banks(): Promise<string[]> {
    await this.ready()
    const rows = await this.run([`SELECT DISTINCT HEX(CONVERT(bank USING utf8mb4)) FROM ${this.table}`])
    return rows.map(([bank]) => Buffer.from(bank!, 'hex').toString()).sort()
  }

  close(): void {}
}

export default defineCache({
  name: 'mysql',
  doc:
    'Keep the data in a table of MySQL or MariaDB. Options `mysql.host`, `mysql.port`, `mysql.unix_socket`, `mysql.user`, `mysql.password`, `mysql.database` ' +
    '(salt_cache) and `mysql.table_name` (salt); the program mysql must be installed.',
  open: (ctx) => new MysqlBanks(ctx),
})
