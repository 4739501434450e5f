// The engines of a daemon run side by side. An engine that ends or fails is restarted, at once the first time and then
// after growing delays; the count starts again after a longer run. Their states are in `engines.json` in the cache, for
// other programs.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toError } from '../base/mod.ts'
import { bind, engineFile } from '../sdk/mod.ts'
import { type ConfiguredEngine, configuredEngines } from './engine-config.ts'
import { type EngineSurroundings, engineContext } from './engine-context.ts'
import { findEngine, type UserEngines } from './find-engine.ts'

export interface EngineState {
  engine: string
  /** `unavailable`: the engine cannot run here and is not restarted. */
  state: 'running' | 'waiting' | 'stopped' | 'unavailable'
  /** When this state began. */
  since: string
  starts: number
  error?: string
}

export interface EngineParts extends EngineSurroundings {
  userEngines: UserEngines
  /** Milliseconds before a restart, by the number of failures in a row; replaced in tests. */
  wait?(failures: number): number
}

const FIRST_MS = 1000
const MOST_MS = 60_000
/** How long engines have to stop. */
const STOP_MS = 5000

const growing = (failures: number): number => Math.min(FIRST_MS * 2 ** (failures - 1), MOST_MS)

export class Engines {
  private readonly parts: EngineParts
  private readonly states = new Map<string, EngineState>()
  private readonly ending = new AbortController()
  private runs: Promise<void>[] = []

  constructor(parts: EngineParts) {
    this.parts = parts
  }

  /** Begins with all that are configured. */
  start(): void {
    const all = configuredEngines(this.parts.opts)
    if (all.length > 0) this.runs = all.map((engine) => this.keep(engine))
  }

  /** Stop the engines and wait for them, up to a limit. */
  async close(): Promise<void> {
    this.ending.abort()
    if (this.runs.length === 0) return
    const patience = new AbortController()
    const late = sleep(STOP_MS, 'late', { signal: patience.signal }).catch(() => 'ended')
    if ((await Promise.race([Promise.all(this.runs), late])) === 'late') {
      const names = [...this.states].filter(([, { state }]) => state === 'running').map(([name]) => name)
      this.parts.log('warning', `These engines do not stop: ${names.join(', ')}`)
    }
    patience.abort()
  }

  list(): ReadonlyMap<string, EngineState> {
    return this.states
  }

  /** Starts an engine as often as it takes. */
  private async keep(engine: ConfiguredEngine): Promise<void> {
    const { signal } = this.ending
    const wait = this.parts.wait ?? growing
    let failures = 0
    while (!signal.aborted) {
      const begun = performance.now()
      const problem = await this.run(engine)
      if (problem === 'unavailable' || signal.aborted) return
      failures = performance.now() - begun > MOST_MS ? 1 : failures + 1
      // the caller of close need not wait for the delay
      await sleep(wait(failures), undefined, { signal }).catch(() => undefined)
    }
  }

  /** One life of an engine. */
  private async run({ name, module, settings, problem }: ConfiguredEngine): Promise<'unavailable' | 'ended'> {
    const { log } = this.parts
    const ctx = engineContext(this.parts, name, this.ending.signal)
    const shown = `Engine(${module}${name === module ? '' : `, name=${name}`})`
    try {
      const found = problem ?? (await findEngine(module, ctx, this.parts.userEngines))
      if (typeof found === 'string') {
        log('error', `${shown} is not started: ${found}`)
        this.note(name, module, 'unavailable', found)
        return 'unavailable'
      }
      log('info', `Starting ${shown}`)
      this.note(name, module, 'running')
      await found.start(ctx, bind(found, 'start', [], settings))
      if (!ctx.signal.aborted) log('warning', `${shown} has ended, and is started again`)
      this.note(name, module, ctx.signal.aborted ? 'stopped' : 'waiting')
    } catch (error) {
      const { message } = toError(error)
      if (!ctx.signal.aborted) log('critical', `${shown} failed, and is started again: ${message}`)
      this.note(name, module, ctx.signal.aborted ? 'stopped' : 'waiting', message)
    }
    return 'ended'
  }

  private note(name: string, engine: string, state: EngineState['state'], error?: string): void {
    const starts = (this.states.get(name)?.starts ?? 0) + (state === 'running' ? 1 : 0)
    const since = new Date().toISOString()
    this.states.set(name, { engine, state, since, starts, ...(error !== undefined && { error }) })
    const file = engineFile(this.parts.opts)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const told = { pid: process.pid, engines: Object.fromEntries(this.states) }
    writeFileSync(file, JSON.stringify(told), { mode: 0o600 })
  }
}
