// `brine bootstrap HOST…`: a minion of this master on hosts that are reached by SSH. One line for each host says what was done, or which
// step failed and why.
import { BrineError, type Log, shownText, toError, withHint } from '../base/mod.ts'
import { LocalClient } from '../client/mod.ts'
import { bootstrapHost, readMaster, readPackage, type Site } from '../cloud/mod.ts'
import { clientConfig } from '../config/mod.ts'
import { type Dict, quote, textOf } from '../data/mod.ts'
import { socketAccess } from '../runner/mod.ts'
import { type RosterEntry, rosterTargets } from '../ssh/mod.ts'
import { configSources } from './config-sources.ts'
import { ProgramExit, UsageError } from './optparse/exit.ts'
import { programOptions } from './program-options.ts'
import { runProgram } from './program-run.ts'
import { BRINE_BOOTSTRAP } from './programs/brine-bootstrap.ts'
import { masterIsGone } from './salt/messages.ts'
import { processStreams, type Streams } from './streams.ts'

export const PROGRAM = BRINE_BOOTSTRAP

/** How many hosts are worked on at once. */
const AT_ONCE = 8

/** How much of a failure is shown, in characters. */
const LONGEST = 2000

const EX_FAILED = 1
const EX_INTERRUPTED = 130

export function run(argv: readonly string[], streams: Streams = processStreams): Promise<number> {
  return runProgram(PROGRAM, argv, streams, async (line) => {
    const text = (name: string): string | undefined => textOf(line.values.get(name) ?? null)
    const id = text('id')
    if (line.args.length === 0) throw new UsageError('name at least one host')
    const file = text('package')
    if (!file) throw new UsageError('name the package of the minion with --package')
    // not an option of the master, whose own id would be replaced
    line.values.delete('id')
    const read = (path: string, log: Log) => clientConfig({ path, log, ...configSources, program: 'salt-ssh' })
    const { opts, log } = await programOptions({ program: PROGRAM, line, streams, file: 'master', read })
    const access = socketAccess(opts, log)
    const stopped = new AbortController()
    const stop = (): void => stopped.abort()
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
    try {
      const reading = { opts, log, host: access.host, cache: access.stores.cache, keys: access.stores.keys }
      const entries = await entriesOf(line.args, (tgt) => rosterTargets({ ...reading, tgt, tgtType: 'glob' }))
      if (id !== undefined && entries.length > 1) throw new UsageError('--id is for one host')
      const master = await readMaster(opts, access.host, text('bootstrap_master'))
      await assertMasterRuns(opts, log)
      const site: Site = {
        ...{ access, master, log, signal: stopped.signal, id },
        package: readPackage(file),
        timeout: Number(line.values.get('bootstrap_timeout')),
        isTest: line.values.get('bootstrap_test') === true,
        isForced: line.values.get('bootstrap_force') === true,
      }
      const failed = await inTurns(entries, (entry) => report(site, entry, streams))
      if (stopped.signal.aborted) return EX_INTERRUPTED
      return failed ? EX_FAILED : 0
    } finally {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
      access.close()
    }
  })
}

/** Refuse to begin while the master does not run: it could not see the minion. */
async function assertMasterRuns(opts: Dict, log: Log): Promise<void> {
  try {
    ;(await LocalClient.open(opts, log)).close()
  } catch (error) {
    log('debug', String(error))
    throw new ProgramExit(EX_FAILED, { stderr: `${masterIsGone}\n` })
  }
}

/** The hosts that the words mean, each once. */
async function entriesOf(
  words: readonly string[],
  targetsOf: (word: string) => Promise<RosterEntry[]>,
): Promise<RosterEntry[]> {
  const found = new Map<string, RosterEntry>()
  for (const word of words) {
    const entries = await targetsOf(word)
    if (entries.length === 0)
      throw new UsageError(`${quote(word)} is neither in the roster nor a name that can be resolved`)
    for (const entry of entries) found.set(entry.id, entry)
  }
  return [...found.values()]
}

async function report(site: Site, entry: RosterEntry, streams: Streams): Promise<boolean> {
  try {
    streams.out(`${entry.id}: ${await bootstrapHost(site, entry)}\n`)
    return true
  } catch (thrown) {
    const error = toError(thrown)
    const hint = error instanceof BrineError ? error.hint : undefined
    // the host is not trusted yet, so escape its text
    const text = withHint(error.message, hint).replace(/\s*\n\s*/g, '; ')
    streams.err(`${entry.id}: ${shownText(text, LONGEST)}\n`)
    return false
  }
}

/** Work on some hosts at once; return whether one failed. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<boolean>): Promise<boolean> {
  const waiting = [...items]
  let failed = false
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) if (!(await work(item))) failed = true
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker))
  return failed
}
