// One call of salt-call: noted for other programs while it runs, and ended with the status and words of a failure.
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Log, makeOwnFolder, newJid, PRIVATE_FILE } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, encodeMsgpack, str, type Value } from '../../data/mod.ts'
import type { Registry } from '../../loader/mod.ts'
import { CallFailure, type CallResult, callOnce, readMetadata } from '../../minion/mod.ts'
import { ProgramExit } from '../optparse/exit.ts'
import type { Streams } from '../streams.ts'

export interface CallSurroundings {
  log: Log
  streams: Streams
}

export async function callFunction(
  opts: Dict,
  functions: Registry,
  { log, streams }: CallSurroundings,
): Promise<CallResult> {
  const fun = str(opts.get('fun')!)
  const jid = newJid(option(opts, 'unique_jid'))
  const metadata = opts.get('metadata') ?? null
  const published = new Map<string, Value>([
    ['fun', fun],
    ['pid', process.pid],
    ['jid', jid],
    ['tgt', 'salt-call'],
  ])
  if (typeof metadata === 'string') published.set('metadata', readMetadata(metadata))
  const note = functions.has(fun) ? noteJob(opts, jid, published, streams) : undefined
  try {
    const noParse = (opts.get('no_parse') ?? []) as Value[]
    return await callOnce(functions, { fun, jid, words: opts.get('arg') as Value[], noParse, published }, log)
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    throw new ProgramExit(error.status, { stdout: error.stdout, stderr: error.stderr })
  } finally {
    if (note !== undefined) rmSync(note, { force: true })
  }
}

/** Write the file that tells other programs about the running call; without write permission, skip it. */
function noteJob(opts: Dict, jid: string, job: ReadonlyMap<string, Value>, streams: Streams): string | undefined {
  const folder = join(option(opts, 'cachedir'), 'proc')
  const file = join(folder, jid)
  try {
    makeOwnFolder(dirname(folder))
    makeOwnFolder(folder)
    writeFileSync(file, encodeMsgpack(new Map<Value, Value>(job), 'bus'), { mode: PRIVATE_FILE })
    return file
  } catch {
    streams.err(`Cannot write to process directory. Do you have permissions to write to ${file} ?\n`)
    return undefined
  }
}
