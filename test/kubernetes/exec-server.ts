// Commands in the pods of the small API server: the exec subresource over a WebSocket, as a kubelet serves it. A "container" is a folder
// of this machine where commands run as processes.
import { spawn } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'

export interface ExecOptions {
  /** Where commands run. */
  folder: string
  /** Where programs are found; default: as on this machine. */
  path?: string
  /** Subprotocols that the server knows. */
  protocols?: readonly string[]
  /** Users who may not run commands. */
  forbidden?: ReadonlySet<string>
  /** Takes a connection in place of a command. */
  take?: ((socket: WebSocket) => void) | undefined
}

const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io']

/** Answer a request for an upgrade that is allowed. */
export function serveExec(
  message: IncomingMessage,
  stream: Duplex,
  head: Buffer,
  url: URL,
  options: ExecOptions,
): void {
  const known = options.protocols ?? PROTOCOLS
  const asked = (message.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  const protocol = asked.find((name) => known.includes(name))
  // servers before Kubernetes 1.30 refuse like this, without a body
  if (protocol === undefined) return void stream.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => protocol })
  sockets.handleUpgrade(message, stream, head, (socket) => {
    if (options.take) options.take(socket)
    else run(socket, url.searchParams, protocol === 'v5.channel.k8s.io', options)
  })
}

function run(socket: WebSocket, params: URLSearchParams, endsStdin: boolean, { folder, path }: ExecOptions): void {
  const [program = '', ...args] = params.getAll('command')
  const hasStdin = params.get('stdin') === 'true'
  const env = { ...process.env, PATH: path ?? process.env['PATH'] }
  // a separate process group, so that the end of the connection also ends the processes of a shell
  const child = spawn(program, args, { cwd: folder, env, detached: true })
  const send = (channel: number, data: Uint8Array | string): void =>
    socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(data)]))
  const end = (status: object): void => {
    send(3, JSON.stringify({ metadata: {}, ...status }))
    socket.close(1000)
  }
  // a kubelet begins with an empty message, which tells that the connection is there
  send(1, '')
  if (!hasStdin) child.stdin.end()
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', (data: Buffer) => send(1, data))
  child.stderr.on('data', (data: Buffer) => {
    if (params.get('stderr') === 'true') send(2, data)
  })
  socket.on('message', (data: Buffer) => {
    if (data[0] === 0 && hasStdin) child.stdin.write(data.subarray(1))
    if (data[0] === 255 && data[1] === 0 && endsStdin) child.stdin.end()
  })
  socket.on('close', () => {
    child.stdin.end()
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid)
  })
  child.once('error', () => end(notStarted(program)))
  child.once('close', (code) => {
    if (code !== null) end(code === 0 ? { status: 'Success' } : failed(code))
  })
}

const notStarted = (program: string): object => ({
  status: 'Failure',
  message: `Internal error occurred: error executing command in container: failed to exec in container: OCI runtime exec failed: exec failed: unable to start container process: exec: "${program}": executable file not found in $PATH: unknown`,
  reason: 'InternalError',
  details: { causes: [{ message: `exec: "${program}": executable file not found in $PATH` }] },
  code: 500,
})

const failed = (code: number): object => ({
  status: 'Failure',
  message: `command terminated with non-zero exit code: error executing command, exit code ${code}`,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
})
