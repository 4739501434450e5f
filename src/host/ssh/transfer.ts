// Content of any size, over a channel of its own: compressed where that pays, and put in place only when the target has all of it.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createGzip, gzipSync } from 'node:zlib'
import { randomName } from '../random-name.ts'
import type { Answer } from './agent.ts'
import type { Agents } from './agents.ts'
import type { SshConnection } from './connection.ts'
import { lostError } from './errors.ts'
import { contentWords, INLINE, word } from './shell-text.ts'
import { toolError } from './tool-errors.ts'

/** Content that gzip makes smaller than this share is sent compressed. */
const WORTHWHILE = 0.8
const SAMPLE = 64 << 10

export interface UploadTarget {
  path: string
  /** Shell text that prints the file to fill, beside the one to write. */
  beside: string
  /** Shell text that puts the filled file in place. */
  into: (file: string) => string
}

export interface UploadTools {
  agents: Agents
  connection: SshConnection
  tools: ReadonlySet<string>
}

/** Fill a new file beside the one to write, check it, and put it in place. */
export async function upload(
  { agents, connection, tools }: UploadTools,
  pieces: AsyncIterable<Uint8Array>,
  { path, beside, into }: UploadTarget,
): Promise<void> {
  const name = randomName(16)
  const made = succeeded(
    await agents.request(`_tmp=$( LC_ALL=C; export LC_ALL; ${beside} ${name} </dev/null ) && _keep "$_tmp"`),
    path,
  )
  const file = word(made.stdout.toString())
  const hash = createHash('sha256')
  let size = 0
  const counted = (async function* () {
    for await (const piece of pieces) {
      hash.update(piece)
      size += piece.length
      yield piece
    }
  })()
  const inFolder = (text: string): string => `( LC_ALL=C; export LC_ALL; ${text} ) </dev/null`
  try {
    if (connection.usesTerminal) await fillInPieces(agents, counted, file, path)
    else await fill(connection, tools, counted, file, path)
    const check = tools.has('sha256sum') ? hash.digest('hex') : ''
    succeeded(await agents.request(inFolder(`_same ${file} ${size} ${word(check)} && ${into(file)}`)), path)
  } catch (error) {
    // a lost connection removes the file itself
    await agents.request(inFolder(`rm -f ${file}`)).catch(() => {})
    throw error
  }
}

function succeeded(answer: Answer, path: string): Answer {
  if (answer.status !== 0) throw toolError(answer, path)
  return answer
}

async function fill(
  connection: SshConnection,
  tools: ReadonlySet<string>,
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  path: string,
): Promise<void> {
  const source = pieces[Symbol.asyncIterator]()
  const first = await source.next()
  const sample = first.done ? new Uint8Array() : first.value.subarray(0, SAMPLE)
  const isPacked =
    tools.has('gzip') && sample.length > 0 && gzipSync(sample, { level: 1 }).length < sample.length * WORTHWHILE
  const unpack = isPacked ? 'gzip -dc' : 'cat'
  // the end of a lost connection looks like the end of the content, but then nobody hears the last word
  const filling = `[ -f ${file} ] && ${unpack} >> ${file} && echo filled || { rm -f ${file}; exit 1; }`
  const channel = connection.open(`LC_ALL=C; export LC_ALL; trap : HUP INT PIPE TERM; ${filling}`)
  const { child } = channel
  let said = ''
  const ended = once(child, 'close')
  await channel.ready
  child.stderr.on('data', (piece) => {
    said += piece
  })
  child.stdout.resume()
  child.stderr.resume()
  const packer = isPacked ? createGzip({ level: 1 }) : undefined
  packer?.pipe(child.stdin)
  const sink = packer ?? child.stdin
  try {
    for (let next = first; !next.done && child.exitCode === null; next = await source.next()) {
      if (!sink.write(next.value)) await Promise.race([once(sink, 'drain'), ended])
    }
  } catch (error) {
    child.kill('SIGTERM')
    throw error
  }
  sink.end()
  const [code] = await ended
  if (code === 0) return
  if (code === 255 || code === null) throw lostError(connection.host, said)
  throw toolError({ stderr: Buffer.from(said), status: code }, path)
}

/** A terminal has no end of input, so the content goes in requests. */
async function fillInPieces(
  agents: Agents,
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  path: string,
): Promise<void> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += INLINE) {
      const words = contentWords(piece.subarray(at, at + INLINE))
      succeeded(await agents.request(`( LC_ALL=C; export LC_ALL; printf ${words} | cat >> ${file} ) </dev/null`), path)
    }
  }
}

/** The output of a shell line, piece by piece, over a channel of its own. */
export async function* download(connection: SshConnection, line: string, path: string): AsyncIterable<Uint8Array> {
  const channel = connection.open(`LC_ALL=C; export LC_ALL; ${line}`)
  const { child } = channel
  await channel.ready
  let said = ''
  child.stderr.on('data', (piece) => {
    said += piece
  })
  child.stderr.resume()
  const ended = once(child, 'close')
  try {
    yield* child.stdout
    const [code] = await ended
    if (code === 255) throw lostError(connection.host, said)
    if (code !== 0) throw toolError({ stderr: Buffer.from(said), status: code ?? 255 }, path)
  } finally {
    child.kill('SIGTERM')
  }
}
