// Starts the worker on another machine, over standard streams. Its code is sent through them too, so that no file is
// written there: `python3 -c` gets a short text that reads the rest.
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { deflateSync } from 'node:zlib'
import type { RemotePrograms } from '../host/mod.ts'
import { WorkerError } from './errors.ts'
import { workerFile } from './interpreter.ts'
import { type LaunchedWorker, type WorkerSettings, workerWords } from './launch.ts'
import { printable } from './output-lines.ts'

/** Finds Python 3; enterprise Linux may have one for its own programs only. */
const FIND_PYTHON =
  'for p in python3 /usr/libexec/platform-python; do command -v "$p" >/dev/null 2>&1 && exec "$p" -S -c "$@"; done; exit 127'

/** Status of a shell that finds no program, and of our own text when Python is too old. */
const [NOT_FOUND, TOO_OLD] = [127, 126]

/** A login may print texts before the worker does. */
const MOST_BEFORE = 1 << 16
const START_MS = 60_000
const MOST_WORDS = 1000

let packed: Buffer | undefined

/** The worker's code: its files by path, compressed, behind their length. */
function workerCode(): Buffer {
  if (packed) return packed
  const root = dirname(workerFile())
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.py'))
    .map((entry) => join(entry.parentPath, entry.name))
  const files = Object.fromEntries(names.map((path) => [relative(root, path), readFileSync(path, 'utf8')]))
  const body = deflateSync(JSON.stringify(files))
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length, 0)
  packed = Buffer.concat([head, body])
  return packed
}

const bootText = (): string => readFileSync(join(dirname(workerFile()), 'boot.py'), 'utf8')

export async function launchOnTarget(remote: RemotePrograms, settings: WorkerSettings): Promise<LaunchedWorker> {
  const marker = `brine-${randomBytes(16).toString('hex')}`
  const words = [bootText(), marker, ...workerWords({ ...settings, upstream: false })]
  const child = await remote.spawn(['sh', '-c', FIND_PYTHON, 'sh', ...words])
  const [to, from, errors] = [child.stdin!, child.stdout!, child.stderr!]
  // the exit of the process reports the reason
  for (const stream of [to, from, errors]) stream.on('error', () => {})
  await started(child, from, errors, `${marker}\n`)
  to.write(workerCode())
  return { child, program: 'python3', to, from, printed: [errors] }
}

/** Wait for the marker, and leave the following data in the stream. */
function started(child: ChildProcess, from: Readable, errors: Readable, marker: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0)
    let said = ''
    const hear = (piece: Buffer): void => {
      said = (said + piece.toString()).slice(-MOST_WORDS)
    }
    const settle = (failure?: WorkerError): void => {
      clearTimeout(timer)
      from.removeListener('data', read)
      errors.removeListener('data', hear)
      child.removeListener('error', broken)
      child.removeListener('close', closed)
      from.pause()
      errors.pause()
      if (!failure) return resolve()
      child.on('error', () => {})
      child.kill('SIGKILL')
      reject(failure)
    }
    const read = (piece: Buffer): void => {
      head = Buffer.concat([head, piece])
      const at = head.indexOf(marker)
      if (at < 0 && head.length > MOST_BEFORE) settle(unstarted('it printed too much before it began'))
      if (at < 0) return
      const rest = head.subarray(at + marker.length)
      settle()
      if (rest.length > 0) from.unshift(rest)
    }
    const closed = (code: number | null): void => settle(refusal(code, said))
    const broken = (error: Error): void => settle(unstarted(error.message))
    const timer = setTimeout(() => settle(unstarted(`it did not begin within ${START_MS / 1000} seconds`)), START_MS)
    from.on('data', read)
    errors.on('data', hear)
    child.once('error', broken)
    child.once('close', closed)
  })
}

const unstarted = (why: string): WorkerError =>
  new WorkerError('WorkerDied', `Python could not be started on the target: ${why}`)

function refusal(code: number | null, said: string): WorkerError {
  if (code === NOT_FOUND) return new WorkerError('PythonMissing', 'the target has no python3')
  const words = printable(said).trim()
  if (code === TOO_OLD) return new WorkerError('PythonMissing', `the target's python3 is older than 3.6 (${words})`)
  return unstarted(words === '' ? `it ended with status ${code}` : `it ended with status ${code}: ${words}`)
}
