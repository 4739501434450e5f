// `mysql`: jobs in MySQL or MariaDB, through their own client.
import { str, type Value } from '../../../data/mod.ts'
import { defineReturner, returnerOptions } from '../../../sdk/mod.ts'
import { runClient, tableReturner } from './sql/tables.ts'

const DEFAULTS = {
  host: 'salt',
  user: 'salt',
  pass: 'salt',
  db: 'salt',
  port: 3306,
  unix_socket: '',
  ssl_ca: null,
  ssl_cert: null,
  ssl_key: null,
} satisfies Record<string, Value>

/** Return a text as a literal. */
const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\0', '')}'`

export default defineReturner({
  name: 'mysql',
  doc: 'Store jobs in tables of MySQL.',
  functions: tableReturner({
    json: 'JSON_OBJECT',
    keep: ['INSERT IGNORE INTO', ''],
    from: ' FROM DUAL',
    // the end of the connection gives the lock back
    alone: (key, sql) => `SELECT GET_LOCK(MD5(${text(key)}), 20);\n${sql}`,
    name: (column) => `\`${column}\``,
    text,
    run: async (ctx, sql, ret) => {
      const options = await returnerOptions(ctx, 'mysql', DEFAULTS, ret)
      const { host, user, pass, db, port, unix_socket } = options
      const place = unix_socket === '' ? ['-h', str(host), '-P', str(port), '--protocol=TCP'] : ['-S', str(unix_socket)]
      const certificates = ['ssl_ca', 'ssl_cert', 'ssl_key'] as const
      const tls = certificates.flatMap((name) =>
        options[name] === null ? [] : [`--${name.replace('_', '-')}=${str(options[name])}`],
      )
      const argv = [
        'mysql',
        '--batch',
        '--raw',
        '-N',
        '--connect-timeout=10',
        '--default-character-set=utf8mb4',
        ...place,
        ...tls,
      ]
      const client = { argv: [...argv, '-u', str(user), str(db)], env: new Map([['MYSQL_PWD', str(pass)]]) }
      return runClient(
        ctx,
        { ...client, place: unix_socket === '' ? `${str(host)}:${str(port)}` : str(unix_socket) },
        sql,
      )
    },
  }),
})
