// Commands in containers, by the exec subresource of a pod over a WebSocket. The first byte of a message is its channel. The subprotocol
// v5 can end stdin, v4 (Kubernetes up to 1.29) cannot.
import { type Dict, failure, isDict, isList, loadJson, type SaltError, str, type Value } from '../../../../data/mod.ts'
import type { HttpSocket } from '../../../../sdk/mod.ts'
import { ApiError, isStatus, type KubernetesClient } from './client.ts'
import { objectPath, type Reference } from './objects.ts'

const V5 = 'v5.channel.k8s.io'
const V4 = 'v4.channel.k8s.io'

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const

/** Bytes of the status of a command, which is a short object. */
const MOST_STATUS = 64 * 1024
/** Characters of a status in an error. */
const SHOWN = 300
/** Bytes of stdin in one message. */
const PIECE = 32 * 1024
/** Milliseconds that a server may take to close the connection after the status. */
const CLOSING = 5000

export interface ExecRequest {
  pod: Reference
  container: string | null
  command: readonly string[]
  /** The command where the server cannot end stdin; default: the same command. */
  commandWithoutEnd?: readonly string[]
  stdin?: AsyncIterable<Uint8Array> | undefined
  tty?: boolean
  /** Seconds that the command may take. */
  seconds: number
}

export interface Output {
  stream: 'stdout' | 'stderr'
  data: Uint8Array
}

/** A command that runs in a container. */
export class Execution {
  /** Whether the seconds were over before the command ended. */
  timedOut = false
  /** Whether the output has ended. */
  isOver = false
  /** Whether the server can signal the end of stdin to the command. */
  readonly endsStdin: boolean
  private status = ''
  private readonly request: ExecRequest
  private readonly socket: HttpSocket
  private readonly limit: AbortSignal
  private feeding: Promise<void> | undefined
  private unfed: unknown

  private constructor(request: ExecRequest, socket: HttpSocket, limit: AbortSignal) {
    this.request = request
    this.socket = socket
    this.limit = limit
    this.endsStdin = socket.protocol === V5
  }

  static async start(client: KubernetesClient, request: ExecRequest): Promise<Execution> {
    const limit = AbortSignal.timeout(request.seconds * 1000)
    const { stdin, command, commandWithoutEnd } = request
    const open = async (protocols: readonly string[], argv: readonly string[]): Promise<Execution> =>
      new Execution(request, await openSocket(client, request, argv, protocols, limit), limit)
    let execution: Execution
    if (commandWithoutEnd === undefined) execution = await open([V5, V4], command)
    else {
      execution = await open([V5], command).catch((error: unknown) => {
        if (!isOtherProtocol(error)) throw error
        return open([V4], commandWithoutEnd)
      })
    }
    if (stdin !== undefined) execution.feed(stdin)
    return execution
  }

  /** Return the output piece by piece, until the command ends or its time is over. */
  async *output(): AsyncGenerator<Output> {
    let closing: NodeJS.Timeout | undefined
    try {
      for await (const message of this.socket.messages) {
        const [channel, data] = [message[0], message.subarray(1)]
        if (channel === CHANNEL.status) {
          this.status = `${this.status}${Buffer.from(data)}`.slice(0, MOST_STATUS)
          closing ??= setTimeout(() => this.socket.close(), CLOSING)
        } else if (data.length > 0 && (channel === CHANNEL.stdout || channel === CHANNEL.stderr))
          yield { stream: channel === CHANNEL.stdout ? 'stdout' : 'stderr', data }
      }
    } catch (error) {
      if (this.unfed !== undefined) throw this.unfed
      if (this.limit.aborted) this.timedOut = true
      // after the status, a broken connection loses nothing
      else if (this.status === '') throw this.broken((error as Error).message)
    } finally {
      clearTimeout(closing)
      this.isOver = true
      this.socket.close()
    }
    await this.feeding
  }

  /** Return the exit code. Fails when the command did not run. */
  get retcode(): number {
    if (this.status === '') throw this.broken('the API server closed the connection')
    let status: Value = null
    try {
      status = loadJson(this.status)
    } catch {
      // reported below
    }
    if (!isDict(status))
      throw failure(`The API server ends the command with a status that is no object: ${this.status.slice(0, SHOWN)}`)
    if (status.get('status') === 'Success') return 0
    const code = exitCode(status)
    if (code !== undefined) return code
    throw failure(
      `Cannot run '${this.request.command[0]}' in ${this.place}: ${str(status.get('message') ?? this.status)}`,
    )
  }

  /** Cut the connection. The command may go on. */
  abort(): void {
    this.socket.abort()
  }

  private get place(): string {
    const { pod, container } = this.request
    return `${container ? `container ${container} of ` : ''}pod ${pod.namespace}/${pod.name}`
  }

  private broken(why: string): SaltError {
    return failure(`The connection to ${this.place} ended before the command '${this.request.command[0]}' did: ${why}`)
  }

  /** Send stdin beside the reading of output. A command may end before it has read all. */
  private feed(stdin: AsyncIterable<Uint8Array>): void {
    const send = (channel: number, data: Uint8Array): Promise<boolean> =>
      this.socket.send(Buffer.concat([Buffer.of(channel), data])).then(
        () => true,
        () => false,
      )
    const all = async (): Promise<void> => {
      for await (const data of stdin)
        for (let at = 0; at < data.length; at += PIECE)
          if (!(await send(CHANNEL.stdin, data.subarray(at, at + PIECE)))) return
      if (this.endsStdin) await send(CHANNEL.close, Buffer.of(CHANNEL.stdin))
    }
    this.feeding = all().catch((error: unknown) => {
      // stdin itself failed: the command must not take its start for all of it
      this.unfed = error
      this.socket.abort()
    })
  }
}

async function openSocket(
  client: KubernetesClient,
  { pod, container, stdin, tty = false, seconds }: ExecRequest,
  command: readonly string[],
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<HttpSocket> {
  const params = {
    container: container ?? undefined,
    command,
    stdin: String(stdin !== undefined),
    stdout: 'true',
    // a terminal has one output
    stderr: String(!tty),
    tty: String(tty),
  }
  try {
    return await client.socket({ path: `${objectPath(pod)}/exec`, params, signal }, protocols)
  } catch (error) {
    if (signal.aborted) throw failure(`Pod ${pod.name} does not take commands within ${seconds} seconds`)
    if (isStatus(error, 404)) throw failure(`Pod ${pod.name} not found in ${pod.namespace}`)
    if (isStatus(error, 403) && error.apiReason !== '') {
      throw failure(`${error.message}. Commands in pods need the verbs get and create for pods/exec`)
    }
    throw error
  }
}

/** Return whether a server refuses a subprotocol, which older servers do without an object that says why. */
const isOtherProtocol = (error: unknown): boolean =>
  error instanceof ApiError ? error.apiReason === '' && error.status !== 401 : /subprotocol/.test(String(error))

function exitCode(status: Dict): number | undefined {
  const details = status.get('details') ?? null
  const causes = isDict(details) ? (details.get('causes') ?? null) : null
  const cause = (isList(causes) ? causes : []).filter(isDict).find((one) => one.get('reason') === 'ExitCode')
  const code = Number(str(cause?.get('message') ?? ''))
  return cause !== undefined && Number.isInteger(code) ? code : undefined
}
