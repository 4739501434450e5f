// The servers of a case: its repositories over http (with and without a password), by the git daemon, and the sshd that all share.
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createConnection } from 'node:net'
import { freePort } from '../../free-port.ts'
import { until } from '../../until.ts'

export const USER = 'deploy'
export const PASSWORD = 's3cret-pw'

const AUTHORIZATION = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`

export interface Running {
  port: number
  stop(): Promise<void>
}

/** Serve the repositories of a directory by `git http-backend`. */
export async function serveHttp(repositories: string, isPrivate: boolean): Promise<Running> {
  const server = createServer((request, response) => {
    if (isPrivate && request.headers.authorization !== AUTHORIZATION) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="cases"' }).end()
    } else runBackend(repositories, request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { port: (server.address() as AddressInfo).port, stop: () => closed(server) }
}

const closed = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done())
    server.closeAllConnections()
  })

function runBackend(repositories: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: repositories,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  backend.stdin.on('error', () => undefined)
  request.pipe(backend.stdin)
  const chunks: Buffer[] = []
  backend.stdout.on('data', (bytes: Buffer) => chunks.push(bytes))
  backend.once('close', () => answer(Buffer.concat(chunks), response))
}

/** Send the output of a CGI program: its header sets the status. */
function answer(output: Buffer, response: ServerResponse): void {
  const end = output.indexOf('\r\n\r\n')
  const head = output.subarray(0, Math.max(end, 0)).toString()
  const fields = head
    .split('\r\n')
    .filter(Boolean)
    .map((line) => line.split(/: (.*)/s, 2) as [string, string])
  const status = fields.find(([name]) => name.toLowerCase() === 'status')?.[1]
  response.writeHead(
    end < 0 ? 500 : Number.parseInt(status ?? '200', 10),
    fields.filter(([name]) => name !== 'Status').flat(),
  )
  response.end(output.subarray(end < 0 ? 0 : end + 4))
}

/** Serve the repositories of a directory by the git daemon. */
export async function serveGit(repositories: string): Promise<Running> {
  const port = await freePort()
  const words = ['daemon', '--reuseaddr', '--export-all', '--listen=127.0.0.1', `--port=${port}`]
  const daemon = spawn('git', [...words, `--base-path=${repositories}`, repositories], {
    stdio: 'ignore',
    detached: true,
  })
  await until('the git daemon listens', () => listens(port, daemon))
  return { port, stop: () => endGroup(daemon) }
}

/** End a process and all that it started. */
export async function endGroup(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((done) => child.once('exit', done))
  try {
    process.kill(-child.pid!, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  await gone
}

/** Whether something accepts connections on a port of loopback. */
export function listens(port: number, server: ChildProcess): Promise<boolean> {
  if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`)
  return new Promise((done) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('connect', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
}
