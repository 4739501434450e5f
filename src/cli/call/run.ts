// salt-call after its command line is parsed: options, grains, pillar, the call, its output and exit status.

import type { Log } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, numberOf, str, truthy, type Value } from '../../data/mod.ts'
import { docsFor } from '../../minion/mod.ts'
import { HintList } from '../../sdk/mod.ts'
import { isWireError } from '../../wire/mod.ts'
import type { CommandLine } from '../command-lines.ts'
import { writeResult } from '../output-file.ts'
import { inProgramSpan } from '../program-span.ts'
import { becomeConfigured } from '../running-as.ts'
import { displayedText } from '../shown-text.ts'
import type { Streams } from '../streams.ts'
import { callOptions } from './call-options.ts'
import { callFunction } from './caller.ts'

import { type LocalMinion, localMinion } from './local-minion.ts'

export async function runCall(line: CommandLine, streams: Streams): Promise<number> {
  const { opts, log } = await callOptions(line, streams)
  await becomeConfigured(opts, log, true)
  const run = async (): Promise<number> =>
    isAlone(opts) ? runAlone(opts, { log, streams }) : runWithMaster(opts, { log, streams })
  if (['doc', 'grains_run'].some((name) => truthy(opts.get(name) ?? null))) return run()
  const fun = str(opts.get('fun') ?? '')
  const service = `salt-minion-${option(opts, 'id')}`
  return inProgramSpan({ opts, log, name: `salt-call.${fun}`, attributes: { 'salt.fun': fun }, service }, run)
}

async function runAlone(opts: Dict, surroundings: Surroundings): Promise<number> {
  const minion = await localMinion(opts, surroundings.log)
  try {
    return await runOn(minion, opts, surroundings)
  } finally {
    await minion.close?.()
  }
}

async function runWithMaster(opts: Dict, surroundings: Surroundings): Promise<number> {
  const { remoteMinion } = await import('./remote-minion.ts')
  const minion = await remoteMinion(opts, surroundings.log)
  try {
    return await runOn(minion, opts, surroundings, (answer) => minion.report(answer))
  } finally {
    await minion.close()
  }
}

async function runOn(
  minion: LocalMinion,
  opts: Dict,
  { log, streams }: Surroundings,
  report?: (answer: Dict) => Promise<void>,
): Promise<number> {
  if (truthy(opts.get('doc') ?? null)) return printDocs(opts, minion, streams)
  if (truthy(opts.get('grains_run') ?? null)) {
    await print(opts, 'grains', minion.grains, { log, streams })
    return 0
  }
  // the log shows hints here; the master gets them with the return
  const hints = new HintList()
  const functions = minion.functions.with({ hint: (hint) => hints.add(hint) })
  const { answer, out } = await callFunction(opts, functions, { log, streams })
  await returnTo(opts, minion, answer)
  if (!option(opts, 'no_return_event')) await reported(report, hints.addTo(new Map(answer)), log)
  const whole = truthy(opts.get('print_metadata') ?? null)
  const retcode = Number(numberOf(answer.get('retcode') ?? 0))
  await print(opts, whole ? 'nested' : out, whole ? answer : answer.get('return')!, { log, streams, retcode })
  if (truthy(opts.get('retcode_passthrough') ?? null)) return retcode
  return answer.has('retcode') && retcode === 0 ? 0 : 1
}

/** Send the return to the master; the caller gets it even if the master cannot store it. */
async function reported(report: ((answer: Dict) => Promise<void>) | undefined, answer: Dict, log: Log): Promise<void> {
  try {
    await report?.(answer)
  } catch (error) {
    if (!isWireError(error)) throw error
    log('error', `The master did not take the return: ${error.message}`)
  }
}

/** `--return` names returners, local calls or not. */
async function returnTo(opts: Dict, { functions }: LocalMinion, answer: Dict): Promise<void> {
  const wanted = str(option(opts, 'return'))
  if (wanted === '') return
  const { handReturn, returnerNames } = await import('../../daemon/mod.ts')
  await handReturn(functions.ctx, returnerNames(wanted), answer.set('success', true))
}

/** Whether the minion does without a master. */
const isAlone = (opts: Dict): boolean =>
  opts.get('file_client') === 'local' || opts.get('master_type') === 'disable' || option(opts, 'local')

async function printDocs(opts: Dict, { functions }: LocalMinion, streams: Streams): Promise<number> {
  for (const [name, doc] of await docsFor(functions, str(opts.get('fun') ?? ''))) {
    streams.out(`${name}:\n${doc}\n\n`)
  }
  return 0
}

interface Surroundings {
  log: Log
  streams: Streams
}

interface Printing extends Surroundings {
  retcode?: number
}

async function print(opts: Dict, out: string, data: Value, { log, streams, retcode = 0 }: Printing): Promise<void> {
  const { terminal } = streams
  const kwargs = new Map<Value, Value>([['_retcode', retcode]])
  const text = await displayedText(out, new Map([['local', data]]), opts, { terminal, log, kwargs, isLast: true })
  writeResult(opts, streams, text)
}
