// salt from its words to its exit status: publishes a job and shows what comes back, as it comes.
import { consoleLog, type Log } from '../../base/mod.ts'
import { ClientError, LocalClient, type Published } from '../../client/mod.ts'
import { clientConfig } from '../../config/mod.ts'
import { type Dict, numberOf, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { readArgument } from '../../sdk/mod.ts'
import { logSettings, openLog } from '../logging.ts'
import { ProgramExit } from '../optparse/exit.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT } from '../programs/salt.ts'
import type { Streams } from '../streams.ts'
import { credentials } from './credentials.ts'
import { announce, answerOf, type MinionAnswer, showAnswer, showDocs, showWhole } from './show.ts'
import { summaryText } from './summary.ts'

const EX_NOTHING = 2

export interface SaltWork {
  client: LocalClient
  opts: Dict
  log: Log
  streams: Streams
}

export function salt(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT, argv, streams, async (line) => {
    const early = consoleLog('warning', streams.err)
    const read = (path: string) => clientConfig({ path, log: early, program: 'salt' })
    const opts = await programOptions({ program: SALT, line, streams, log: early, file: 'master', read })
    const log = openLog(logSettings(opts), streams.err)
    const client = await reach(opts, log)
    try {
      return await perform({ client, opts, log, streams })
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      streams.out(`${error.message}\n`)
      return EX_NOTHING
    } finally {
      client.close()
    }
  })
}

async function reach(opts: Dict, log: Log): Promise<LocalClient> {
  try {
    return await LocalClient.open(opts, log)
  } catch (error) {
    log('debug', String(error))
    const why =
      'Salt request timed out. The master is not responding. You may need to run your command with `--async` in order to bypass the congested event bus.'
    throw new ProgramExit(EX_NOTHING, { stderr: `${why}\nIs the salt-master running here?\n` })
  }
}

const flag = (opts: Dict, name: string): boolean => truthy(opts.get(name) ?? false)

async function perform(work: SaltWork): Promise<number> {
  const { opts, streams } = work
  if (flag(opts, 'preview_target')) return preview(work)
  const published = await publish(work)
  if (!published) {
    streams.out('No minions matched the target. No command was sent, no jid was assigned.\n')
    streams.err('ERROR: No return received\n')
    return EX_NOTHING
  }
  if (flag(opts, 'async')) {
    streams.out(`Executed command with job ID: ${published.jid}\n`)
    return 0
  }
  announce(published.jid, opts, streams)
  return gather(work, published)
}

/** The minions that would be meant. */
async function preview(work: SaltWork): Promise<number> {
  const { client, opts } = work
  const { resolveTarget } = await import('../../client/mod.ts')
  const { fileCache, PkiKeys } = await import('../../store/mod.ts')
  const known = {
    opts: client.opts,
    keys: new PkiKeys(str(opts.get('pki_dir')!)),
    cache: fileCache(str(opts.get('cachedir')!)),
    log: work.log,
  }
  const { minions } = resolveTarget(known, opts.get('tgt')!, targetKind(opts))
  showWhole(work, minions, 'nested')
  return 0
}

const targetKind = (opts: Dict): string => textOf(opts.get('selected_target_option') ?? null) ?? 'glob'

/** What goes along with a job besides its function. */
async function extras(opts: Dict, streams: Streams): Promise<Dict> {
  const more: Dict = new Map()
  const delimiter = textOf(opts.get('delimiter') ?? null)
  if (delimiter !== undefined && delimiter !== ':') more.set('delimiter', delimiter)
  for (const name of ['metadata', 'module_executors', 'executor_opts', 'return_kwargs']) {
    const text = textOf(opts.get(name) ?? null)
    if (text) more.set(name === 'return_kwargs' ? 'ret_kwargs' : name, readArgument(text))
  }
  const config = textOf(opts.get('return_config') ?? null)
  if (config) more.set('ret_config', config)
  if (flag(opts, 'start_event')) more.set('start_event', true)
  for (const [name, value] of await credentials(opts, streams)) more.set(name, value)
  return more
}

async function publish({ client, opts, streams }: SaltWork): Promise<Published | undefined> {
  const request = {
    tgt: opts.get('tgt')!,
    tgtType: targetKind(opts),
    fun: opts.get('fun')!,
    arg: opts.get('arg') ?? [],
    ret: str(opts.get('return') ?? ''),
    kwargs: await extras(opts, streams),
  }
  const most = numberOf(opts.get('subset') ?? 0) ?? 0
  if (most <= 0) return client.publish(request)
  const chosen = await subset({ client, opts }, most)
  return chosen.length === 0 ? undefined : client.publish({ ...request, tgt: chosen, tgtType: 'list' })
}

/** Minions that have the function, in random order. */
async function subset({ client, opts }: Pick<SaltWork, 'client' | 'opts'>, most: number): Promise<string[]> {
  const asked = await client.publish({
    tgt: opts.get('tgt')!,
    tgtType: targetKind(opts),
    fun: 'sys.list_functions',
    arg: [],
  })
  if (!asked) return []
  const wanted = str(opts.get('fun')!)
  const able: string[] = []
  for await (const { id, data } of client.collect(asked, times(opts))) {
    const functions = data?.get('return') ?? []
    if (Array.isArray(functions) && functions.includes(wanted)) able.push(id)
  }
  for (let at = able.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1))
    ;[able[at], able[other]] = [able[other]!, able[at]!]
  }
  return able.slice(0, most)
}

function times(opts: Dict): { timeout: number; gatherJobTimeout: number } {
  const timeout = numberOf(opts.get('timeout') ?? 5) ?? 5
  const gather = numberOf(opts.get('gather_job_timeout') ?? 10) ?? 10
  return { timeout: timeout > 0 ? timeout : 5, gatherJobTimeout: gather }
}

async function gather(work: SaltWork, published: Published): Promise<number> {
  const { client, opts, streams } = work
  const isDocs = opts.get('fun') === 'sys.doc'
  const isWhole = flag(opts, 'static') || isDocs
  const answers: MinionAnswer[] = []
  const stop = tellHowToLookUp(published.jid, streams)
  try {
    for await (const gathered of client.collect(published, times(opts))) {
      const answer = answerOf(gathered, published.jid)
      if (gathered.reason !== undefined && !flag(opts, 'show_timeout') && !flag(opts, 'verbose')) continue
      answers.push(answer)
      if (!isWhole) showAnswer(work, answer)
    }
  } finally {
    stop()
  }
  if (isDocs) return showDocs(work, answers)
  if (isWhole) {
    showWhole(work, new Map<Value, Value>(answers.map(({ id, value }) => [id, value])), '')
    return 0
  }
  if (flag(opts, 'cli_summary') && (opts.get('output') ?? null) === null) {
    streams.out(summaryText(answers, flag(opts, 'verbose')))
  }
  if (answers.every(({ retcode }) => retcode === 0)) return 0
  streams.err('ERROR: Minions returned with non-zero exit code\n')
  return 1
}

/** Who stops waiting is told how to see the rest. */
function tellHowToLookUp(jid: string, streams: Streams): () => void {
  const tell = (): void => {
    const how = `This job's jid is: ${jid}\nThe minions may not have all finished running and any remaining minions will return upon completion. To look up the return data for this job later, run the following command:\n\nsalt-run jobs.lookup_jid ${jid}\n`
    streams.err(`\nExiting gracefully on Ctrl-c\n${how}`)
    process.exit(1)
  }
  process.once('SIGINT', tell)
  return () => process.off('SIGINT', tell)
}
