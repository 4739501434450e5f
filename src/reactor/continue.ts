// Decides about runner and wheel functions of a reaction that the end of the master interrupted. A function whose end
// is recorded does not run again. An orchestration resumes. Other functions run again, unless
// `reactor_repeat_interrupted` is false or they were interrupted too often and may be the cause. So each call is
// carried out at least once.
import { option } from '../config/mod.ts'
import { type Dict, str, truthy, type Value } from '../data/mod.ts'
import { startsOrchestration } from '../sdk/mod.ts'
import type { ReactorMaster } from './context.ts'

export type Continued =
  | { outcome: 'done' | 'failed'; value: Value; why: string; isBrokenOff: boolean }
  | {
      call: { fun?: string; args?: Value[]; kwargs?: Map<string, Value> }
      attempts: number
      why: string
      resumed?: string
    }

const MOST_ATTEMPTS = 3

export function continuation(opts: Dict, master: ReactorMaster | undefined, entry: Dict): Continued {
  const jid = str(entry.get('jid') ?? '')
  const ended = jid === '' || !master ? undefined : [...master.jobs.returns(jid).values()][0]
  if (ended) {
    const outcome = truthy(ended.get('success') ?? true) ? 'done' : 'failed'
    return { outcome, value: ended.get('return') ?? null, why: 'It had ended', isBrokenOff: false }
  }
  const attempts = Number(entry.get('attempts') ?? 1) + 1
  if (attempts > MOST_ATTEMPTS) return givenUp(`The master ended ${attempts - 1} times while it ran`)
  if (entry.get('type') === 'runner' && startsOrchestration(str(entry.get('fun') ?? ''))) {
    if (master?.orchestrations().run(jid)) {
      const call = { fun: 'state.orchestrate_resume', args: [jid], kwargs: new Map<string, Value>() }
      return { call, attempts, why: 'The orchestration goes on where it was', resumed: jid }
    }
  }
  if (!option(opts, 'reactor_repeat_interrupted')) {
    return givenUp('The master stopped during the call; outcome unknown')
  }
  return { call: {}, attempts, why: 'It runs again' }
}

const givenUp = (why: string): Continued => ({ outcome: 'failed', value: why, why, isBrokenOff: true })
