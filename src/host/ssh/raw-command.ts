// A plain command in the login shell of a target, as `salt-ssh -r` runs it: without our shell, and without another user.
import { SshConnection, type SshOptions } from './connection.ts'
import { connectionError } from './errors.ts'
import { SilenceWatch } from './silence.ts'
import type { SshTarget } from './target.ts'

export interface RawOptions {
  signal?: AbortSignal
  /** In seconds. */
  timeout?: number
}

export interface RawResult {
  retcode: number
  stdout: Uint8Array
  stderr: Uint8Array
}

const MOST_OUTPUT = 64 << 20

/** Run a line without a host; raises SshError when ssh cannot connect. */
export async function rawCommand(
  target: SshTarget,
  line: string,
  options: SshOptions & RawOptions,
): Promise<RawResult> {
  const connection = new SshConnection(target, options)
  try {
    return await runRaw(connection, line, options)
  } finally {
    await connection.close()
  }
}

export function runRaw(connection: SshConnection, line: string, { signal, timeout }: RawOptions): Promise<RawResult> {
  signal?.throwIfAborted()
  return new Promise((done, fail) => {
    const child = connection.spawn(connection.target.tty ? ['-tt'] : ['-T'], line)
    child.stdin.end()
    const watch = new SilenceWatch(connection, child)
    const gathered = [child.stdout, child.stderr].map((stream) => {
      const pieces: Buffer[] = []
      let size = 0
      stream.on('data', (piece: Buffer) => {
        watch.heard()
        size += piece.length
        if (size <= MOST_OUTPUT) pieces.push(piece)
      })
      return pieces
    })
    const end = (): void => void child.kill('SIGTERM')
    const timer = timeout === undefined ? undefined : setTimeout(end, timeout * 1000)
    signal?.addEventListener('abort', end)
    const finish = (): void => {
      clearTimeout(timer)
      watch.close()
      signal?.removeEventListener('abort', end)
    }
    child.once('error', (error) => {
      finish()
      fail(connectionError(connection.host, `Could not start ssh: ${error.message}`, 255))
    })
    child.once('close', (code) => {
      finish()
      if (signal?.aborted) return fail(signal.reason as Error)
      if (watch.failure) return fail(watch.failure)
      const [stdout, said] = gathered.map((pieces) => Buffer.concat(pieces)) as [Buffer, Buffer]
      const stderr = withoutSharing(said)
      if (code === 255 && stdout.length === 0 && isRefusal(stderr.toString())) {
        return fail(connectionError(connection.host, stderr.toString(), code))
      }
      done({ retcode: code ?? 255, stdout, stderr })
    })
  })
}

/** A command may end with 255 itself; then stderr has no words of ssh. */
const isRefusal = (said: string): boolean =>
  /^(ssh: |Host key verification failed|.*Permission denied \(|Connection (closed|reset|timed out)|kex_exchange|ssh_exchange|Timeout, server|client_loop|No ED|.*host key is known)/m.test(
    said,
  )

/** Two connections that begin at once to the same login: one is not shared, which is of no concern to the user. */
const NOT_SHARED = /^ControlSocket .* already exists, disabling multiplexing\r?\n/m

function withoutSharing(said: Buffer): Buffer {
  const text = said.toString('latin1')
  return NOT_SHARED.test(text) ? Buffer.from(text.replace(NOT_SHARED, ''), 'latin1') : said
}
