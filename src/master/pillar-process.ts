// Main loop of a process that compiles pillar for its master. It reads options, keys and minion data from the same
// files, answers requests in order of completion, and ends with the master.
import { LOG_LEVELS, type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, hideMarked, markedIn, type Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import type { MinionKnowledge } from '../match/mod.ts'
import { type MinionPillarRequest, minionPillar } from '../pillar/mod.ts'
import { fileCache, PkiKeys } from '../store/mod.ts'
import { type PillarQuestion, type PoolAnswer, packed, unpacked } from './pillar-pool.ts'

function tell(answer: PoolAnswer): void {
  process.send?.(answer, () => {})
}

function knowledge(opts: Dict, least: number): MinionKnowledge {
  const keys = new PkiKeys(option(opts, 'pki_dir'))
  keys.watch()
  const write: Log = (level, text) => {
    if (LOG_LEVELS[level] >= least) tell({ log: [level, hideMarked(text)] })
  }
  const log = Object.assign(write, { least })
  return { opts, keys, cache: fileCache(option(opts, 'cachedir')), log }
}

export function servePillars(): void {
  let host = new LocalHost()
  let known: MinionKnowledge | undefined
  const answer = async (number: number, request: Map<Value, Value>): Promise<void> => {
    try {
      const asked = Object.fromEntries(request) as unknown as MinionPillarRequest
      const pillar = await minionPillar(known!, host, asked)
      tell({ answer: number, pillar: packed(pillar), secrets: [...markedIn(pillar)] })
    } catch (error) {
      tell({ answer: number, error: toError(error).message })
    }
  }
  process.on('message', (question: PillarQuestion) => {
    if ('ask' in question) void answer(question.ask, unpacked(question.request) as Map<Value, Value>)
    else {
      known = knowledge(unpacked(question.open) as Dict, question.leastLevel)
      host = new LocalHost({ cache: option(known.opts, 'cachedir') })
      tell('ready')
    }
  })
  process.once('disconnect', () => process.exit(0))
  // a terminal sends it to all; the master decides when this one ends
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
}
