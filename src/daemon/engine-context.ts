// The context of one engine: the daemon that it runs in, until the engine is stopped.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, namedLog } from '../base/mod.ts'
import { BusTap, type EventBus, eventStream, externalOrigin, tagRefusal } from '../bus/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { httpClient } from '../http/mod.ts'
import { loggerName } from '../loader/mod.ts'
import type { BusMessage, DaemonPart, EngineContext, FunctionContext, MasterContext } from '../sdk/mod.ts'

/** The daemon as its engines reach it. */
export interface EngineSurroundings {
  role: EngineContext['role']
  opts: Dict
  log: Log
  host: Host
  bus: EventBus
  functions(): Promise<FunctionContext>
  master?: MasterContext
  parts?: Readonly<Record<string, DaemonPart>>
}

export function engineContext(daemon: EngineSurroundings, name: string, signal: AbortSignal): EngineContext {
  const { role, opts, host, bus, functions, master, parts = {} } = daemon
  const log = namedLog(daemon.log, loggerName('engines', name))
  const call: EngineContext['call'] = async (fun, args, kwargs) => (await functions()).call(fun, args, kwargs)
  return {
    name,
    role,
    opts,
    log,
    host,
    http: httpClient(host, opts),
    signal,
    functions,
    call,
    master,
    fire: async (tag, data) => {
      if (role === 'master') bus.fire(tag, new Map(data))
      else await call('event.send', [tag, data])
    },
    fireExternal: async (tag, data) => {
      const origin = externalOrigin(name)
      const refusal = tagRefusal(origin, tag, () => true)
      if (refusal !== undefined) log('warning', refusal)
      else if (role === 'master') bus.fireFrom(origin, tag, new Map(data))
      else await call('event.send', [tag, data])
      return refusal === undefined
    },
    events: (filter = () => true) => eventsUntil(bus, filter, signal),
    pause: async (seconds) => {
      // the end of the wait is the same whether it is over or the engine shall stop
      await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined)
    },
    parts,
  }
}

async function* eventsUntil(
  bus: EventBus,
  filter: (tag: string) => boolean,
  signal: AbortSignal,
): AsyncGenerator<BusMessage> {
  if (signal.aborted) return
  const tap = new BusTap(bus, filter)
  const close = (): void => tap.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    for await (const { tag, data, origin } of eventStream(tap)) {
      if (signal.aborted) return
      yield { tag, data, origin }
    }
  } finally {
    signal.removeEventListener('abort', close)
    tap.close()
  }
}
