// salt: from the command line to the exit status. It publishes a job and prints returns as they arrive.
import type { Log } from '../../base/mod.ts'
import { ClientError, LocalClient } from '../../client/mod.ts'
import { clientConfig, isForClients, option } from '../../config/mod.ts'
import { type Dict, SaltError, str, truthy } from '../../data/mod.ts'
import { configSources } from '../config-sources.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { inProgramSpan } from '../program-span.ts'
import { SALT } from '../programs/salt.ts'
import type { Streams } from '../streams.ts'
import { runJob } from './gather.ts'
import { masterIsGone } from './messages.ts'
import { isOptionSet } from './request.ts'
import { showOutcome, showValue } from './show.ts'
import type { SaltWork } from './work.ts'

/** No return, or the user was refused. Salt exits with 0 when it was refused or reached no master. */
const EX_NOTHING = 2

export function salt(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT, argv, streams, async (line) => {
    const read = (path: string, log: Log) =>
      clientConfig({ path, log, ...configSources, program: 'salt', needs: isForClients })
    const { opts, log } = await programOptions({ program: SALT, line, streams, file: 'master', read })
    const client = await reach(opts, log)
    if (!client) {
      await showValue({ opts, log, streams }, masterIsGone, '', 1)
      return EX_NOTHING
    }
    const work = { client, opts, log, streams }
    try {
      const fun = str(opts.get('fun') ?? '')
      const attributes = { 'salt.cli.tgt': str(opts.get('tgt') ?? ''), 'salt.cli.fun': fun }
      return await inProgramSpan({ opts, log, name: `salt.cli.${fun}`, attributes }, () => perform(work))
    } catch (error) {
      if (!(error instanceof ClientError) && !(error instanceof SaltError)) throw error
      await showValue(work, error.message, '', 1)
      return error instanceof ClientError ? EX_NOTHING : 0
    } finally {
      client.close()
    }
  })
}

async function reach(opts: Dict, log: Log): Promise<LocalClient | undefined> {
  try {
    return await LocalClient.open(opts, log)
  } catch (error) {
    log('debug', String(error))
    return undefined
  }
}

/** Parts of the program that most calls do not need. */
const runBatch = async (work: SaltWork, size: string, isQuiet: boolean): Promise<number> =>
  (await import('./batch.ts')).runBatch(work, size, isQuiet)

const previewed = async (work: SaltWork): Promise<string[]> => (await import('./targets.ts')).previewed(work)

async function perform(work: SaltWork): Promise<number> {
  const { opts, streams } = work
  const batch = opts.get('batch') ?? null
  if (option(opts, 'static')) return runBatch(work, truthy(batch) ? str(batch) : '100%', true)
  if (truthy(batch)) return runBatch(work, str(batch), false)
  if (isOptionSet(opts, 'preview_target')) return showOutcome(work, await previewed(work), 'nested')
  const limit = option(opts, 'batch_safe_limit')
  if (limit > 1 && (await previewed(work)).length >= limit) {
    streams.out('\nNOTICE: Too many minions targeted, switching to batch execution.\n')
    return runBatch(work, str(option(opts, 'batch_safe_size')), false)
  }
  return runJob(work)
}
