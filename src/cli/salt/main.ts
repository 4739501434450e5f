// salt from its words to its exit status.
import { consoleLog, type Log } from '../../base/mod.ts'
import { ClientError, type Gathered, LocalClient } from '../../client/mod.ts'
import { clientConfig } from '../../config/mod.ts'
import { type Dict, numberOf, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { display } from '../../output/mod.ts'
import { logSettings, openLog } from '../logging.ts'
import { ProgramExit } from '../optparse/exit.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT } from '../programs/salt.ts'
import type { Streams } from '../streams.ts'

export function salt(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT, argv, streams, async (line) => {
    const early = consoleLog('warning', streams.err)
    const read = (path: string) => clientConfig({ path, log: early, program: 'salt' })
    const opts = await programOptions({ program: SALT, line, streams, log: early, file: 'master', read })
    const log = openLog(logSettings(opts), streams.err)
    const client = await reach(opts, log)
    try {
      return await runJob(client, opts, { log, streams })
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      streams.out(`${error.message}\n`)
      return 2
    } finally {
      client.close()
    }
  })
}

async function reach(opts: Dict, log: Log): Promise<LocalClient> {
  try {
    return await LocalClient.open(opts, log)
  } catch (error) {
    const why =
      'Salt request timed out. The master is not responding. You may need to run your command with `--async` in order to bypass the congested event bus.'
    log('debug', String(error))
    throw new ProgramExit(2, { stderr: `${why}\nIs the salt-master running here?\n` })
  }
}

interface Surroundings {
  log: Log
  streams: Streams
}

async function runJob(client: LocalClient, opts: Dict, { log, streams }: Surroundings): Promise<number> {
  const number = (name: string, fallback: number): number => numberOf(opts.get(name) ?? fallback) ?? fallback
  const published = await client.publish({
    tgt: opts.get('tgt')!,
    tgtType: textOf(opts.get('selected_target_option') ?? null) ?? 'glob',
    fun: opts.get('fun')!,
    arg: opts.get('arg') ?? [],
    ret: str(opts.get('return') ?? ''),
  })
  if (!published) {
    streams.err('No minions matched the target. No command was sent, no jid was assigned.\n')
    return 2
  }
  if (truthy(opts.get('async') ?? false)) {
    streams.out(`Executed command with job ID: ${published.jid}\n`)
    return 0
  }
  let failed = false
  const options = { timeout: number('timeout', 5), gatherJobTimeout: number('gather_job_timeout', 10) }
  for await (const gathered of client.collect(published, options)) {
    const retcode = retcodeOf(gathered)
    failed ||= retcode !== 0
    print(gathered, opts, retcode, { log, streams })
  }
  if (!failed) return 0
  streams.err('ERROR: Minions returned with non-zero exit code\n')
  return 1
}

function retcodeOf({ data }: Gathered): number {
  const retcode = data?.get('retcode') ?? 1
  if (retcode instanceof Map) return Math.max(0, ...[...retcode.values()].map((code) => numberOf(code) ?? 1))
  return numberOf(retcode) ?? 1
}

function print({ id, data }: Gathered, opts: Dict, retcode: number, { log, streams }: Surroundings): void {
  const value: Value = data?.get('return') ?? 'Minion did not return. [No response]'
  const out = textOf(data?.get('out') ?? null) ?? 'nested'
  const kwargs = new Map<Value, Value>([['_retcode', retcode]])
  const text = display(out, new Map([[id, value]]), opts, { terminal: streams.terminal, log, kwargs })
  if (text !== '') streams.out(`${text}\n`)
}
