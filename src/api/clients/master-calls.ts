// The clients that call functions of the master: runners and wheel functions.
import { option } from '../../config/mod.ts'
import { type Dict, isDict, numberOf, str, truthy, type Value } from '../../data/mod.ts'
import { answered, HttpError } from '../errors.ts'
import type { ClientWork } from './work.ts'

/** Return the command for a call; the fields of the API itself are left out. */
function callLoad(low: Dict, cmd: string): Dict {
  const fun = low.get('fun')
  if (fun === undefined) throw new HttpError(400, `${cmd} takes at least 1 argument (0 given)`)
  const load: Dict = new Map(low)
  for (const field of ['client', 'timeout', 'full_return']) load.delete(field)
  return load.set('cmd', cmd).set('fun', fun)
}

/** Begin a runner function and wait for its end. */
export async function runner(work: ClientWork, low: Dict): Promise<Value> {
  const { master, watch, peer, signal } = work
  const load = callLoad(low, 'runner')
  mustExist(work, 'runners', load)
  const { begun, events } = await watch.begin(
    async () => answered(await master.command(load, peer)),
    (answer) => str(answer.get('jid') ?? ''),
  )
  const tag = `${str(begun.get('tag') ?? '')}/ret`
  const leave = (): void => events.close()
  signal.addEventListener('abort', leave)
  const seconds = numberOf(low.get('timeout') ?? null) ?? option(master.access.opts, 'rest_timeout')
  const end = performance.now() + seconds * 1000
  try {
    for (;;) {
      const event = await events.next(Math.max(0, (end - performance.now()) / 1000))
      if (!event) throw new HttpError(504, `RunnerClient job '${str(begun.get('jid') ?? '')}' timed out`)
      if (event.tag !== tag) continue
      if (!truthy(low.get('full_return') ?? null)) return event.data.get('return') ?? null
      return new Map<Value, Value>([
        ['data', event.data],
        ['tag', tag],
      ])
    }
  } finally {
    signal.removeEventListener('abort', leave)
    events.close()
  }
}

/** Begin a runner function: `{tag, jid}`. */
export async function runnerAsync(work: ClientWork, low: Dict): Promise<Value> {
  const load = callLoad(low, 'runner')
  mustExist(work, 'runners', load)
  return answered(await work.master.command(load, work.peer))
}

/** Salt answers a call of an unknown runner function with an unexpected error. */
function mustExist({ master }: ClientWork, family: 'runners' | 'wheels', load: Dict): void {
  const fun = str(load.get('fun')!)
  if (!master.access.functions[family].has(fun))
    throw new TypeError(`There is no ${family.slice(0, -1)} function ${fun}`)
}

/** Call a wheel function and wait for it: `{tag, data}`. */
export async function wheel({ master, peer }: ClientWork, low: Dict): Promise<Value> {
  const answer = answered(await master.command(callLoad(low, 'wheel'), peer))
  const data = answer.get('data')
  // fun_args and the like are for the events of the call
  if (data !== undefined && isDict(data)) data.delete('fun_args')
  return answer
}

/** Begin a wheel function: `{tag, jid}`. */
export async function wheelAsync({ master, peer }: ClientWork, low: Dict): Promise<Value> {
  return answered(await master.command(callLoad(low, 'wheel_async'), peer))
}
