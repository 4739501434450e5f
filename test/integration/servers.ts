// Real servers for tests, from Debian's packages: each in a separate temporary directory, on a free port or socket. A
// test whose server is not installed is skipped with a message.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

export interface Server {
  directory: string
  port: number
  /** Ends it and removes its directory, unless that is kept for the next start. */
  stop(isKept?: boolean): Promise<void>
}

/** Whether the programs exist and this is root, who alone can run servers as their users; else log the reason. */
export function canServe(what: string, ...programs: string[]): boolean {
  const missing = programs.filter((path) => !existsSync(path))
  const why = process.getuid?.() !== 0 ? 'not root' : missing.length > 0 ? `no ${missing.join(', ')}` : ''
  if (why !== '') process.stderr.write(`Skipping the tests with ${what}: ${why}\n`)
  return why === ''
}

const answers = (target: { path: string } | { port: number }): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(target)
    socket.once('connect', () => socket.destroy(resolve(true) as never))
    socket.once('error', () => resolve(false))
  })

async function awaited(child: ChildProcess, target: { path: string } | { port: number }): Promise<void> {
  await until(`${child.spawnfile} answers`, () => {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
    return answers(target)
  })
}

function scratchFor(user: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'brine-server-'))
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' })))
  chownSync(directory, uid!, gid!)
  chmodSync(directory, 0o755)
  return directory
}

const asUser = (user: string, argv: readonly string[], group = user): string[] => [
  'setpriv',
  `--reuid=${user}`,
  `--regid=${group}`,
  '--clear-groups',
  ...argv,
]

interface Recipe {
  user: string
  /** That of the user's name when not given. */
  group?: string
  directory: string
  port: number
  argv: readonly string[]
  /** Ends it at once, without saving its data. */
  signal: NodeJS.Signals
  target: { path: string } | { port: number }
}

async function serve({ user, group, directory, port, argv, signal, target }: Recipe): Promise<Server> {
  const [command, ...args] = asUser(user, argv, group)
  const child = spawn(command!, args, { cwd: directory, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async (isKept = false): Promise<void> => {
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(timer)
    if (!isKept) rmSync(directory, { recursive: true, force: true })
  }
  try {
    await awaited(child, target)
  } catch (error) {
    await stop()
    throw error
  }
  return { directory, port, stop }
}

const run = (user: string, ...argv: string[]): void => {
  const [command, ...args] = asUser(user, argv)
  execFileSync(command!, args, { stdio: 'ignore', cwd: '/' })
}

/** The directory of the newest PostgreSQL server's programs. */
export function postgresPrograms(): string {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0] ?? 'none'
  return `/usr/lib/postgresql/${newest}/bin`
}

/** A PostgreSQL that listens on a socket in its directory; a stopped one whose directory was kept is started again. */
export async function startPostgres(kept?: Server): Promise<Server> {
  const directory = kept?.directory ?? scratchFor('postgres')
  const port = kept?.port ?? (await freePort())
  const programs = postgresPrograms()
  const data = join(directory, 'data')
  if (!kept) run('postgres', `${programs}/initdb`, '-D', data, '-A', 'trust', '--no-sync', '--locale=C', '-E', 'UTF8')
  const settings = ['fsync=off', 'listen_addresses=', `unix_socket_directories=${directory}`]
  const argv = [`${programs}/postgres`, '-D', data, '-p', `${port}`, ...settings.flatMap((one) => ['-c', one])]
  const target = { path: join(directory, `.s.PGSQL.${port}`) }
  const server = await serve({ user: 'postgres', directory, port, argv, signal: 'SIGQUIT', target })
  // the socket is there before the database is
  const ready = ['-q', '-h', directory, '-p', `${port}`]
  await until('PostgreSQL is ready', () => spawnSync(`${programs}/pg_isready`, ready).status === 0)
  return server
}

/** A MariaDB that listens on a port and on `mysql.sock` in its directory; its root has no password. */
export async function startMariadb(): Promise<Server> {
  const directory = scratchFor('mysql')
  const port = await freePort()
  const data = join(directory, 'data')
  const install = ['--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db']
  run('mysql', 'mariadb-install-db', ...install, `--datadir=${data}`)
  const socket = join(directory, 'mysql.sock')
  const argv = [
    '/usr/sbin/mariadbd',
    '--no-defaults',
    `--datadir=${data}`,
    `--socket=${socket}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--innodb-flush-log-at-trx-commit=0',
    `--pid-file=${directory}/pid`,
  ]
  return serve({ user: 'mysql', directory, port, argv, signal: 'SIGKILL', target: { path: socket } })
}

/** Start a Redis on a free port, or on that of `--port`. */
export async function startRedis(...options: string[]): Promise<Server> {
  const directory = scratchFor('redis')
  const named = options.indexOf('--port')
  const port = named < 0 ? await freePort() : Number(options[named + 1])
  const argv = [
    'redis-server',
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--dir',
    directory,
    ...options,
  ]
  return serve({ user: 'redis', directory, port, argv, signal: 'SIGTERM', target: { port } })
}

/** A memcached on a port. */
export async function startMemcached(): Promise<Server> {
  const directory = scratchFor('memcache')
  const port = await freePort()
  const argv = ['/usr/bin/memcached', '-l', '127.0.0.1', '-p', `${port}`, '-U', '0']
  return serve({ user: 'memcache', directory, port, argv, signal: 'SIGTERM', target: { port } })
}

/** An etcd of one member, with the API v2 beside v3. */
export async function startEtcd(): Promise<Server> {
  const directory = scratchFor('nobody')
  const [port, peers] = [await freePort(), await freePort()]
  const [clients, others] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`]
  const argv = [
    ...[
      '/usr/bin/etcd',
      '--enable-v2',
      '--unsafe-no-fsync',
      '--data-dir',
      join(directory, 'data'),
      '--log-level',
      'error',
    ],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients, '--listen-peer-urls', others],
    ...['--initial-advertise-peer-urls', others, '--initial-cluster', `default=${others}`],
  ]
  return serve({ user: 'nobody', group: 'nogroup', directory, port, argv, signal: 'SIGKILL', target: { port } })
}

/** An InfluxDB 1.x. */
export async function startInflux(): Promise<Server> {
  const directory = scratchFor('nobody')
  const [port, backup] = [await freePort(), await freePort()]
  const file = join(directory, 'influxdb.conf')
  const folders = `[meta]\n  dir = "${directory}/meta"\n[data]\n  dir = "${directory}/data"\n  wal-dir = "${directory}/wal"\n`
  const ports = `[http]\n  bind-address = "127.0.0.1:${port}"\n  log-enabled = false\n`
  writeFileSync(file, `reporting-disabled = true\nbind-address = "127.0.0.1:${backup}"\n${folders}${ports}`)
  const argv = ['/usr/bin/influxd', '-config', file]
  return serve({ user: 'nobody', group: 'nogroup', directory, port, argv, signal: 'SIGKILL', target: { port } })
}

/** A directory alone, for programs without a server. */
export async function startNothing(): Promise<Server> {
  const directory = scratchFor('root')
  return { directory, port: 0, stop: async () => rmSync(directory, { recursive: true, force: true }) }
}

/** An HAProxy with a configuration, and its admin socket at `admin.sock`. */
export async function startHaproxy(configuration: (port: number) => string): Promise<Server> {
  const directory = scratchFor('haproxy')
  const port = await freePort()
  const file = join(directory, 'haproxy.cfg')
  const socket = join(directory, 'admin.sock')
  const global = `global\n  stats socket ${socket} mode 666 level admin\n`
  writeFileSync(file, `${global}${configuration(port)}`)
  return serve({
    user: 'haproxy',
    directory,
    port,
    argv: ['haproxy', '-db', '-f', file],
    signal: 'SIGTERM',
    target: { path: socket },
  })
}

/** An nginx whose status page is at `/status`. */
export async function startNginx(): Promise<Server> {
  const directory = scratchFor('www-data')
  const port = await freePort()
  const file = join(directory, 'nginx.conf')
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(' ')
  const site = `server { listen 127.0.0.1:${port}; location /status { stub_status; } }`
  const http = `http { access_log off; ${places} ${site} }`
  writeFileSync(file, `daemon off; pid ${directory}/pid; error_log ${directory}/log; events {} ${http}`)
  const argv = ['/usr/sbin/nginx', '-c', file]
  return serve({ user: 'www-data', directory, port, argv, signal: 'SIGTERM', target: { port } })
}

/** An OpenLDAP on a port, and with TLS on another one; `prepare` makes its files and gives the path of its configuration. */
export async function startSlapd(prepare: (directory: string) => string, tlsPort?: number): Promise<Server> {
  const directory = scratchFor('root')
  const port = await freePort()
  const urls = [`ldap://127.0.0.1:${port}`, ...(tlsPort === undefined ? [] : [`ldaps://127.0.0.1:${tlsPort}`])]
  const argv = ['/usr/sbin/slapd', '-d', '0', '-f', prepare(directory), '-h', urls.join(' ')]
  return serve({ user: 'root', directory, port, argv, signal: 'SIGTERM', target: { port } })
}
