// The results of simulated minions. Functions that read facts and results of states have their real shapes; every other function succeeds,
// so that orchestrations and reactions run through.
import { type Dict, dictGet, float, isList, str, traverse, type Value } from '../data/mod.ts'

/** The shape of returns. */
export interface AnswerShape {
  /** Results in a return of state.apply, state.sls or state.highstate. */
  states: number
  /** Bytes of text that other functions return; 0 for True. */
  bytes: number
  /** The result of test.version. */
  version: string
}

export interface SimulatedCall {
  id: string
  number: number
  job: Dict
  grains: () => Dict
  /** Jobs of this minion that run, for saltutil.find_job and saltutil.running. */
  running: readonly Dict[]
  isFailing: boolean
}

interface Answer {
  value: Value
  retcode: number
  out?: string
}

const FACTS: Readonly<Record<string, (args: readonly Value[], asked: SimulatedCall, shape: AnswerShape) => Value>> = {
  'test.ping': () => true,
  'test.version': (_args, _asked, { version }) => version,
  'test.echo': ([text]) => text ?? null,
  'grains.items': (_args, { grains }) => grains(),
  'grains.item': (args, { grains }) => new Map(args.map((name) => [name, dictGet(grains(), name) ?? ''])),
  'grains.get': ([path], { grains }) => traverse(grains(), path ?? '', { default: '' }),
  'saltutil.running': (_args, { running }) => [...running],
  'saltutil.find_job': ([jid], { running }) =>
    running.find((job) => str(job.get('jid')!) === str(jid ?? '')) ?? new Map(),
}

/** Functions that run states. */
export const STATES: ReadonlySet<string> = new Set(['state.apply', 'state.sls', 'state.highstate'])
const DIFF = '--- \n+++ \n@@ -1,2 +1,2 @@\n a line\n-workers: 2\n+workers: 4\n'

/** Most minions are alike, and one of ten has changes. */
function resultsOf(number: number, states: number, isFailing: boolean): Dict {
  const results: Dict = new Map()
  const failed = isFailing ? Math.floor(states / 2) : -1
  for (let at = 0; at < states; at++) {
    const name = `/etc/service-${at}.conf`
    const isChanged = number % 10 === 0 && at % 25 === number % 25
    const result = new Map<Value, Value>([
      ['name', name],
      ['changes', isChanged ? new Map([['diff', DIFF]]) : new Map()],
      ['result', at !== failed],
      ['comment', at === failed ? 'The disk is too small' : `File ${name} is in the correct state`],
      ['__sls__', `services.part${Math.floor(at / 10)}`],
      ['__run_num__', at],
      ['start_time', `12:00:${String(at % 60).padStart(2, '0')}.${String(number % 1_000_000).padStart(6, '0')}`],
      ['duration', float(1 + ((number * 7 + at * 13) % 900) / 100)],
      ['__id__', `configuration of service ${at}`],
    ])
    results.set(`file_|-configuration of service ${at}_|-${name}_|-managed`, result)
  }
  return results
}

/** The text, created once, because it is the same for all minions. */
let filling = ''

function fillingOf(bytes: number): string {
  if (filling.length !== bytes) filling = 'x'.repeat(bytes)
  return filling
}

function answer(fun: string, args: readonly Value[], asked: SimulatedCall, shape: AnswerShape): Answer {
  const { number, isFailing } = asked
  if (STATES.has(fun)) {
    return { value: resultsOf(number, shape.states, isFailing), retcode: isFailing ? 2 : 0, out: 'highstate' }
  }
  if (fun.startsWith('saltutil.')) return { value: FACTS[fun]?.(args, asked, shape) ?? true, retcode: 0 }
  if (isFailing) return { value: `ERROR: simulated failure of ${fun}`, retcode: 1 }
  if (Object.hasOwn(FACTS, fun)) return { value: FACTS[fun]!(args, asked, shape), retcode: 0 }
  return { value: shape.bytes > 0 ? fillingOf(shape.bytes) : true, retcode: 0 }
}

/** Return the load of a return to a job, which may call several functions. */
export function answerTo(asked: SimulatedCall, shape: AnswerShape): Dict {
  const { job } = asked
  const [fun, arg] = [job.get('fun') ?? '', job.get('arg') ?? []]
  const all = isList(fun) ? [...fun].map(str) : [str(fun)]
  const args = (index: number): readonly Value[] => {
    const own = isList(fun) && isList(arg) ? [...arg][index] : arg
    return isList(own ?? null) ? [...(own as Value[])] : []
  }
  const answers = all.map((name, index) => answer(name, args(index), asked, shape))
  const many = <T extends Value>(pick: (one: Answer) => T): Value =>
    isList(fun) ? new Map(answers.map((one, index) => [all[index]!, pick(one)])) : pick(answers[0]!)
  const out = isList(fun) ? undefined : answers[0]!.out
  return new Map<Value, Value>([
    ['cmd', '_return'],
    ['id', asked.id],
    ['success', isList(fun) ? many(({ retcode }) => retcode === 0) : answers[0]!.retcode === 0],
    ['return', many(({ value }) => value)],
    ['retcode', many(({ retcode }) => retcode)],
    ['jid', job.get('jid') ?? ''],
    ['fun', fun],
    ['fun_args', arg],
    ...(job.has('user') ? [['user', job.get('user')!] as [Value, Value]] : []),
    ...(out === undefined ? [] : [['out', out] as [Value, Value]]),
  ])
}
