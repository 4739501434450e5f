// A minimal daemon for one engine: a bus, and a record of fired events.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dict, Value } from '../../../data/mod.ts'
import { type Host, LocalHost } from '../../../host/mod.ts'
import {
  type BusMessage,
  bind,
  type EngineContext,
  type EngineDeclaration,
  type MasterContext,
} from '../../../sdk/mod.ts'

export interface Surroundings {
  host?: Host
  http?: EngineContext['http']
  master?: MasterContext
  opts?: Dict
}

export interface RunningEngine {
  fired: BusMessage[]
  logged: string[]
  /** Deliver an event to the engine. */
  tell(tag: string, data?: Dict): void
  stop(): Promise<void>
  /** Ends when the engine does, and fails when it fails. */
  ended: Promise<void>
}

const OWN: BusMessage['origin'] = { kind: 'master', name: 'master_master', proof: 'process' }

const noWeb = (): Promise<never> => Promise.reject(new Error('no web here'))

export function runEngine(
  engine: EngineDeclaration,
  settings: Record<string, Value>,
  { host = new LocalHost(), http, master, opts = new Map() }: Surroundings = {},
): RunningEngine {
  const ending = new AbortController()
  const { signal } = ending
  const fired: BusMessage[] = []
  const logged: string[] = []
  const waiting: BusMessage[] = []
  const ctx: EngineContext = {
    name: engine.name,
    role: 'master',
    opts: new Map<Value, Value>([['id', 'master_master'], ...opts]),
    log: (level, text) => logged.push(`${level}: ${text}`),
    host,
    http: http ?? { query: noWeb, open: noWeb, upgrade: noWeb },
    signal,
    functions: () => Promise.reject(new Error('no functions here')),
    call: () => Promise.reject(new Error('no functions here')),
    master,
    fire: async (tag, data) => void fired.push({ tag, data, origin: OWN }),
    fireExternal: async (tag, data) => {
      if (/\p{Cc}/u.test(tag)) return false
      fired.push({ tag, data, origin: { kind: 'external', name: engine.name, proof: 'none' } })
      return true
    },
    events: async function* (filter = () => true) {
      while (!signal.aborted) {
        const event = waiting.shift()
        if (event === undefined) await sleep(2)
        else if (filter(event.tag)) yield event
      }
    },
    pause: async (seconds) => {
      await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined)
    },
    parts: {},
  }
  const ended = engine.start(ctx, bind(engine, 'start', [], new Map(Object.entries(settings))))
  return {
    fired,
    logged,
    tell: (tag, data = new Map()) => void waiting.push({ tag, data, origin: OWN }),
    ended,
    stop: async () => {
      ending.abort()
      await ended.catch(() => undefined)
    },
  }
}
