// salt-cp: from the command line to the exit status; small files in one call, or with `--chunked` any files and directories in
// pieces.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Log } from '../../base/mod.ts'
import { ClientError, LocalClient, NOBODY_MATCHED } from '../../client/mod.ts'
import { clientConfig, isForClients, option } from '../../config/mod.ts'
import { type Dict, isDict, SaltError, str, truthy, type Value } from '../../data/mod.ts'
import { display } from '../../output/mod.ts'
import { unreturnedText } from '../../sdk/mod.ts'
import { configSources } from '../config-sources.ts'
import { ProgramExit } from '../optparse/exit.ts'
import { writeResult } from '../output-file.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_CP } from '../programs/salt-cp.ts'
import { masterIsGone } from '../salt/messages.ts'
import { targetKind, times } from '../salt/request.ts'
import type { Streams } from '../streams.ts'
import { findSources, placeOf } from './sources.ts'

interface Copying {
  client: LocalClient
  opts: Dict
  log: Log
  streams: Streams
}

export function saltCp(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_CP, argv, streams, async (line) => {
    const read = (path: string, log: Log) =>
      clientConfig({ path, log, ...configSources, program: 'salt-cp', needs: isForClients })
    const { opts, log } = await programOptions({ program: SALT_CP, line, streams, file: 'master', read })
    const client = await LocalClient.open(opts, log).catch((error) => {
      log('debug', String(error))
      throw new ProgramExit(2, { stderr: `${masterIsGone}\n` })
    })
    const work = { client, opts, log, streams }
    try {
      const result = await (truthy(opts.get('chunked') ?? false) ? inPieces(work) : atOnce(work))
      const text = display('nested', result, opts, { terminal: streams.terminal, log })
      writeResult(opts, streams, text)
      return 0
    } catch (error) {
      if (!(error instanceof ClientError) && !(error instanceof SaltError)) throw error
      throw new ProgramExit(2, { stderr: `${error.message}\n` })
    } finally {
      client.close()
    }
  })
}

const sourcesOf = (opts: Dict): string[] => ((opts.get('src') ?? []) as Value[]).map(str)

interface Answered {
  /** The targeted minions. */
  minions: readonly string[]
  /** The return of each minion that answered. */
  returns: Dict
}

/** The text for a minion that does not answer. */
const silence = (jid: string): string => unreturnedText({ jid })

async function call({ client, opts, streams }: Copying, fun: string, arg: Value[]): Promise<Answered> {
  const published = await client.publish({ tgt: opts.get('tgt')!, tgtType: targetKind(opts), fun, arg })
  if (!published) {
    streams.out(NOBODY_MATCHED)
    return { minions: [], returns: new Map() }
  }
  const returns: Dict = new Map()
  for await (const { id, data } of client.collect(published, times(opts))) {
    returns.set(id, data ? (data.get('return') ?? null) : silence(published.jid))
  }
  return { minions: published.minions, returns }
}

async function atOnce(work: Copying): Promise<Dict> {
  const files: Dict = new Map()
  for (const path of sourcesOf(work.opts)) {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isDirectory()) {
      const how = 'only files are supported in non-chunked mode. Use "--chunked" command line argument.'
      throw new ProgramExit(1, { stdout: `${path} is a directory, ${how}\n` })
    }
    if (stat) files.set(path, contentOf(readFileSync(path)))
  }
  return (await call(work, 'cp.recv', [files, work.opts.get('dest')!])).returns
}

/** Return the content as text if possible, which all kinds of minions accept. */
function contentOf(bytes: Buffer): Value {
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : new Uint8Array(bytes)
}

async function inPieces(work: Copying): Promise<Dict> {
  const { opts } = work
  const given = sourcesOf(opts)
  const { files, emptyDirectories } = findSources(given)
  const dest = str(opts.get('dest')!)
  const isDirectory = emptyDirectories.length > 0 || files.size > 1 || /[\\/]$/.test(dest)
  const result: Dict = new Map()
  for (const [path, mode] of files) {
    const place = placeOf(path, given, dest, isDirectory)
    await copyFile(work, { path, mode, place }, result)
  }
  for (const path of emptyDirectories) {
    const place = placeOf(path, given, dest, isDirectory)
    note(result, place, (await call(work, 'cp.recv_chunked', [place, null])).returns)
  }
  return result
}

interface Copied {
  path: string
  mode: number
  place: string
}

/** Copy a file; the first failure of a minion is its result. */
async function copyFile(work: Copying, { path, mode, place }: Copied, result: Dict): Promise<void> {
  const size = option(work.opts, 'salt_cp_chunk_size')
  const isCompressed = truthy(work.opts.get('gzip') ?? true)
  const failures: Dict = new Map()
  let isFirst = true
  for (const piece of piecesOf(path, size, isCompressed)) {
    // the line feed keeps a piece that ends in `=` from being read as the name of an argument
    const chunk = `\n${(isCompressed ? gzipSync(piece, { level: 9 }) : piece).toString('base64')}`
    const { minions, returns } = await call(work, 'cp.recv_chunked', [place, chunk, !isFirst, isCompressed, mode])
    if (returns.size === 0) {
      const partly = isFirst ? '' : ' File partially transferred.'
      const advice = `It may be necessary to decrease salt_cp_chunk_size (current value: ${size})`
      note(result, place, new Map(minions.map((id) => [id, `Publish failed.${partly} ${advice}`])))
      break
    }
    note(result, place, returns)
    for (const [id, answer] of returns) if (answer !== true && !failures.has(id)) failures.set(id, answer)
    isFirst = false
  }
  note(result, place, failures)
}

/** An empty file is one empty piece, where pieces are compressed. */
function* piecesOf(path: string, size: number, isCompressed: boolean): Generator<Buffer> {
  const file = openSync(path, 'r')
  try {
    for (let count = size; count === size; ) {
      const piece = Buffer.alloc(size)
      count = readSync(file, piece, 0, size, null)
      if (count > 0 || isCompressed) yield piece.subarray(0, count)
    }
  } finally {
    closeSync(file)
  }
}

function note(result: Dict, place: string, returns: Dict): void {
  for (const [id, answer] of returns) {
    const known = result.get(id)
    const places: Dict = known !== undefined && isDict(known) ? known : new Map()
    result.set(id, places.set(place, answer))
  }
}
