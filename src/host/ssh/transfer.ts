// Content of any size, over a separate channel: compressed if useful, and moved into place only when the target has all
// of it.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { createGunzip, createGzip, gzipSync } from 'node:zlib'
import { randomName } from '../random-name.ts'
import type { AgentAnswer } from './agent.ts'
import type { Agents } from './agents.ts'
import type { SshConnection } from './connection.ts'
import { lostError } from './errors.ts'
import { lastWords } from './said.ts'
import { contentWords, INLINE, pathWord, word } from './shell-text.ts'
import { SilenceWatch } from './silence.ts'
import { toolError } from './tool-errors.ts'

/** Content that gzip makes smaller than this share is sent compressed. */
const WORTHWHILE = 0.8
const SAMPLE = 64 << 10

export interface UploadTarget {
  path: string
  /** Shell text that prints the path of the temporary file beside the target. */
  beside: string
  /** Shell text that puts the filled file in place when it has this size and checksum. */
  into: (file: string, size: number, checksum: string) => string
}

export interface UploadTools {
  agents: Agents
  connection: SshConnection
  tools: ReadonlySet<string>
  /** Whether the target works out SHA-256 sums. */
  isSummed: boolean
}

/** Write a temporary file beside the target, check it, and move it into place. */
export async function upload(
  { agents, connection, tools, isSummed }: UploadTools,
  pieces: AsyncIterable<Uint8Array>,
  { path, beside, into }: UploadTarget,
): Promise<void> {
  const name = randomName(16)
  const made = succeeded(
    await agents.request(`_tmp=$( LC_ALL=C; export LC_ALL; ${beside} ${name} </dev/null ) && _keep "$_tmp"`, {
      leavesFiles: true,
    }),
    path,
  )
  const file = made.stdout.toString()
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
    const check = isSummed ? hash.digest('hex') : ''
    succeeded(await agents.request(inFolder(into(file, size, check))), path)
  } catch (error) {
    // a lost connection removes the file itself
    await agents.request(inFolder(`_drop ${word(file)}`)).catch(() => {})
    throw error
  }
}

function succeeded(answer: AgentAnswer, path: string): AgentAnswer {
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
  const isPacked = tools.has('gzip') && isWorthwhile(sample)
  const unpack = isPacked ? 'gzip -dc' : 'cat'
  // the end of a lost connection looks like the end of the content, but then the final message is missing
  const { enter, name } = placeOf(file)
  const filling = `${enter}[ -f ${name} ] && ${unpack} >> ${name} && echo filled || { rm -f ${name}; exit 1; }`
  const channel = connection.open(`LC_ALL=C; export LC_ALL; trap : HUP INT PIPE TERM; ${filling}`)
  const { child } = channel
  const ended = once(child, 'close')
  await channel.ready
  const said = lastWords(child.stderr)
  child.stdout.resume()
  child.stderr.resume()
  const packer = isPacked ? createGzip({ level: 1 }) : undefined
  packer?.pipe(child.stdin)
  const sink = packer ?? child.stdin
  const watch = new SilenceWatch(connection, child)
  try {
    for (let next = first; !next.done && child.exitCode === null && !watch.failure; next = await source.next()) {
      if (!sink.write(next.value)) await Promise.race([once(sink, 'drain'), ended])
      watch.heard()
    }
    sink.end()
    await ended
  } catch (error) {
    child.kill('SIGTERM')
    throw error
  } finally {
    watch.close()
  }
  if (watch.failure) throw watch.failure
  const [code] = await ended
  if (code === 0) return
  if (code === 255 || code === null) throw lostError(connection.host, said())
  throw toolError({ stderr: Buffer.from(said()), status: code }, path)
}

/**
 * Return the temporary file. In a directory of another user it is in a private directory, which is entered and checked:
 * its name may lead elsewhere by now.
 */
function placeOf(file: string): { enter: string; name: string } {
  if (!file.endsWith('/content')) return { enter: '', name: word(file) }
  const folder = word(file.slice(0, file.lastIndexOf('/')))
  const isOurs = '[ -O . ] && case $(ls -ld .) in drwx------*) ;; *) false;; esac'
  const refused = "{ echo '!EACCES' >&2; exit 1; }"
  return { enter: `cd ${folder} && ${isOurs} || ${refused}; `, name: './content' }
}

/** A terminal has no end of input, so the content goes in requests. */
async function fillInPieces(
  agents: Agents,
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  path: string,
): Promise<void> {
  const { enter, name } = placeOf(file)
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += INLINE) {
      const text = `printf ${contentWords(piece.subarray(at, at + INLINE))} | cat >> ${name}`
      succeeded(await agents.request(`( LC_ALL=C; export LC_ALL; ${enter}${text} ) </dev/null`), path)
    }
  }
}

/** Whether content like this is worth compressing. */
const isWorthwhile = (sample: Uint8Array): boolean =>
  sample.length > 0 && gzipSync(sample, { level: 1 }).length < sample.length * WORTHWHILE

/**
 * The rest of a file after its first piece, over a separate channel. Compressed content is read up to the initial size
 * of the file, so that a target cannot expand little data to endless content.
 */
export async function* downloadRest(
  connection: SshConnection,
  tools: ReadonlySet<string>,
  path: string,
  first: Uint8Array,
): AsyncIterable<Uint8Array> {
  const file = pathWord(path)
  const tail = `tail -c +${first.length + 1} ${file}`
  if (!tools.has('gzip') || !isWorthwhile(first.subarray(0, SAMPLE))) {
    yield* outputOf(connection, `exec ${tail}`, path)
    return
  }
  const line = `wc -c < ${file} || exit 1; { ${tail} || kill $$; } | gzip -1c`
  const output = outputOf(connection, line, path)[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (!head.includes('\n')) {
    const { done, value } = await output.next()
    if (done) throw toolError({ stderr: Buffer.alloc(0), status: 1 }, path)
    head = Buffer.concat([head, value])
  }
  const end = head.indexOf('\n')
  const packed = async function* (): AsyncGenerator<Uint8Array> {
    yield head.subarray(end + 1)
    yield* { [Symbol.asyncIterator]: () => output }
  }
  yield* firstBytes(
    Readable.from(packed()).compose(createGunzip()),
    Number(head.toString('utf8', 0, end)) - first.length,
  )
}

async function* firstBytes(pieces: AsyncIterable<Uint8Array>, count: number): AsyncIterable<Uint8Array> {
  let left = count
  for await (const piece of pieces) {
    if (left > 0) yield piece.subarray(0, left)
    left -= piece.length
    if (left < 0) return
  }
}

/** Yield the output of a shell line over a separate channel. */
async function* outputOf(connection: SshConnection, line: string, path: string): AsyncGenerator<Uint8Array> {
  const channel = connection.open(`LC_ALL=C; export LC_ALL; ${line}`)
  const { child } = channel
  await channel.ready
  const said = lastWords(child.stderr)
  child.stderr.resume()
  const ended = once(child, 'close')
  const watch = new SilenceWatch(connection, child)
  try {
    for await (const piece of child.stdout) {
      watch.heard()
      yield piece
    }
    const [code] = await ended
    if (code === 255) throw lostError(connection.host, said())
    if (code !== 0) throw toolError({ stderr: Buffer.from(said()), status: code ?? 255 }, path)
  } catch (error) {
    throw watch.failure ?? error
  } finally {
    watch.close()
    child.kill('SIGTERM')
  }
}
