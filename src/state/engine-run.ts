// One run of states: the compiler and the runtime over the data of one minion.
import { randomUUID } from 'node:crypto'
import type { Position } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, decodeBytes, decodeMsgpack, isDict, str, truthy, type Value } from '../data/mod.ts'
import {
  type CompiledLow,
  type RenderedHigh,
  type SlsMatches,
  type StateRun,
  type StepPlan,
  whileExpecting,
} from '../sdk/mod.ts'
import { argumentPlace } from './compile/argument-places.ts'
import { mayAggregate, type OrderedLow } from './compile/compile-low.ts'
import { Compiler } from './compile/compiler.ts'
import { Dependencies } from './compile/dependencies.ts'
import { disabledFilter } from './compile/low-chunks.ts'
import { lowTag, required } from './compile/low-tag.ts'
import type { Top } from './compile/merge-tops.ts'
import { regulateTemplate } from './compile/single-template.ts'
import type { StateTree } from './compile/tree.ts'
import type { CompileError, High, LowChunk } from './compile/types.ts'
import { dotText } from './report/dot.ts'
import { type Decision, explain } from './report/explain.ts'
import { Reporter } from './report/reporter.ts'
import { ChunkRunner } from './run/chunk-runner.ts'
import { listeners } from './run/listen.ts'
import { ParallelStates } from './run/parallel.ts'
import { type PauseFile, seldom } from './run/pause.ts'
import { sourcesOf } from './run/sources.ts'
import { StateCaller } from './run/state-caller.ts'
import type { RunSurroundings } from './run/surroundings.ts'
import { nearState, verifyData } from './run/verify-data.ts'

export interface EngineRunParts extends RunSurroundings {
  tree: StateTree
  masterTops?: (() => Promise<Dict>) | undefined
}

export class EngineRun implements StateRun {
  readonly opts: Dict
  readonly pillar: Dict
  private readonly run: EngineRunParts
  private readonly compiler: Compiler
  private readonly reporter: Reporter
  private readonly caller: StateCaller
  private readonly parallel: ParallelStates
  private dependencies = new Dependencies()
  /** The high data of the last compilation, for the places of its IDs. */
  private compiled: High = new Map()
  private number = 0
  private readonly decisions: Decision[] = []

  constructor(run: EngineRunParts) {
    this.run = run
    this.opts = run.opts
    this.pillar = run.pillar
    const { opts, grains, pillar, functions, tree, log, masterTops } = run
    this.reporter = new Reporter({ opts, log, hint: functions.ctx.hint })
    const { reporter } = this
    const tops = masterTops && { masterTops }
    this.compiler = new Compiler({ opts, grains, pillar, functions, tree, log, reporter, ...tops })
    this.parallel = new ParallelStates(opts)
    this.caller = new StateCaller(run, {
      nextNumber: () => this.number++,
      instanceId: randomUUID(),
      parallel: this.parallel,
      reporter,
      placeOf: (low, argument) => this.placeOf(low, argument),
    })
  }

  /** Return the place of a state, or of one of its arguments. */
  private placeOf(low: LowChunk, argument?: string): Position | undefined {
    const { places } = this.compiler
    const body = this.compiled.get(low.get('__id__') ?? null)
    const state = low.get('state') ?? null
    return argument === undefined ? places.ofState(body, state) : argumentPlace(places, body, state, argument)
  }

  private texts(errors: readonly CompileError[]): string[] {
    for (const error of errors) this.reporter.tell('error', { ...error, text: inOneLine(error.text) })
    return errors.map(({ text }) => text)
  }

  async top(): Promise<Dict> {
    return (await this.compiler.top()) as Dict
  }

  verifyTop(top: Dict): string[] {
    return this.texts(this.compiler.verifyTops(top as Top))
  }

  topMatches(top: Dict): Promise<SlsMatches> {
    return this.compiler.topMatches(top as Top)
  }

  slsNames(saltenv: string): Promise<string[]> {
    return this.compiler.states.of(saltenv)
  }

  async environments(): Promise<string[]> {
    return [...(await this.compiler.states.environments())]
  }

  async loadDynamic(matches: SlsMatches): Promise<void> {
    const { opts, functions, states, grains, refreshGrains } = this.run
    if (opts.get('autoload_dynamic_modules') === false || !functions.has('saltutil.sync_all')) return
    const synced = await functions.call('saltutil.sync_all', [[...matches.keys()]], { refresh: false })
    const hasNewGrains = isDict(synced) && truthy(synced.get('grains') ?? [])
    if (hasNewGrains && refreshGrains) for (const [name, value] of await refreshGrains()) grains.set(name, value)
    await functions.refresh()
    states.use(functions.stateTable)
  }

  async highstate(matches: SlsMatches): Promise<RenderedHigh> {
    const { high, errors } = await this.compiler.highstate(matches)
    return { high, errors: this.texts(errors) }
  }

  async renderFile(path: string, saltenv: string): Promise<RenderedHigh> {
    const { host } = this.run.functions.ctx
    if ((await host.stat(path))?.type !== 'file') {
      const text = `Specified SLS ${path} on local filesystem cannot be found.`
      return { high: new Map(), errors: this.texts([{ text }]) }
    }
    const text = decodeBytes(await host.read(path))
    const { state, errors } = await this.compiler.file(path, text, path, saltenv)
    return { high: state as Dict, errors: this.texts(errors) }
  }

  async renderText(text: string): Promise<{ high: Value; errors: string[] }> {
    const high = await this.compiler.text(text)
    return { high, errors: this.texts(regulateTemplate(high, '<template-str>')) }
  }

  reconcileExtend(high: Dict): string[] {
    return this.texts(this.compiler.reconcileExtend(high))
  }

  verifyHigh(high: Value): string[] {
    return this.texts(this.compiler.verifyHigh(high))
  }

  requisiteIn(high: Dict): string[] {
    return this.texts(this.compiler.requisiteIn(high))
  }

  exclude(high: Dict): void {
    this.compiler.exclude(high)
  }

  async low(high: Dict, orchestrationJid: Value = null): Promise<CompiledLow> {
    this.compiled = high
    await this.loadModules(modulesOf(high))
    const isDisabled = disabledFilter(this.run.grains)
    const accepts = (chunk: LowChunk): boolean => {
      const isAccepted = !isDisabled?.(chunk)
      if (!isAccepted) this.number++
      return isAccepted
    }
    const parts = { ...(await this.lowParts()), orchestrationJid, ...(isDisabled && { accepts }) }
    const low = this.taken(this.compiler.low(high, parts))
    // with this option, steps of an orchestration wait only for their requisites, not for steps that are written earlier
    const isParallel = orchestrationJid !== null && option(this.opts, 'orchestrate_parallel')
    if (isParallel) for (const chunk of low.chunks) if (!chunk.has('parallel')) chunk.set('parallel', true)
    return low
  }

  async orderLow(chunks: readonly Dict[]): Promise<CompiledLow> {
    await this.loadModules(new Set(chunks.map((chunk) => str(required(chunk, 'state')))))
    return this.taken(this.compiler.orderLow(chunks, await this.lowParts()))
  }

  private async lowParts() {
    const { states, functions, opts } = this.run
    const isKnown = functions.has('config.option')
    const aggregate = isKnown ? await functions.call('config.option', ['state_aggregate']) : opts.get('state_aggregate')
    return { states, aggregate: aggregate ?? false }
  }

  private taken({ chunks, errors, dependencies }: OrderedLow): CompiledLow {
    this.dependencies = dependencies
    return { chunks, errors: this.texts(errors) }
  }

  /** Load modules, so that their `mod_watch` and `mod_aggregate` are known. */
  private async loadModules(modules: Iterable<string>): Promise<void> {
    for (const module of modules) if (!this.run.states.isSettled(module)) await this.run.states.load(module)
  }

  graph(): string {
    return dotText(this.dependencies)
  }

  async callHigh(high: Dict, orchestrationJid: Value = null): Promise<Dict | string[]> {
    // high data that is no mapping is refused, and has no `extend`
    const early = [...(high instanceof Map ? this.reconcileExtend(high) : []), ...this.verifyHigh(high)]
    if (early.length > 0) return early
    const errors = this.requisiteIn(high)
    this.exclude(high)
    if (errors.length > 0) return errors
    const low = await this.low(high, orchestrationJid)
    return low.errors.length > 0 ? low.errors : this.callChunks(low.chunks)
  }

  async callChunks(chunks: readonly Dict[]): Promise<Dict> {
    this.run.steps?.planned(chunks.map((low) => this.planOf(low)))
    const { files } = this.run.functions.ctx
    const endRun = files.beginRun?.()
    try {
      return await whileExpecting(files, sourcesOf(chunks), async () => {
        const running = await this.runner().callAll(chunks)
        await this.callListeners(chunks, running)
        await this.callBeacons(chunks, running)
        return running
      })
    } finally {
      endRun?.()
    }
  }

  private planOf(low: LowChunk): StepPlan {
    const place = this.placeOf(low)
    const requires = [...new Set(this.dependencies.of(low).map(([, chunk]) => lowTag(chunk)))]
    return { tag: lowTag(low), requires, ...(place && { place: `${place.file}:${place.line}` }) }
  }

  private async callListeners(chunks: readonly Dict[], running: Dict): Promise<void> {
    const { watchers, errors } = listeners(chunks, running)
    for (const low of watchers) this.dependencies.add(low, mayAggregate(low, new Map(), this.run.states))
    await this.runInto(running, watchers)
    for (const [tag, error] of errors) {
      ;(error as Dict).set('__run_num__', this.number++)
      running.set(tag, error)
    }
  }

  /** Call the `beacon` function of states that request a beacon. */
  private async callBeacons(chunks: readonly Dict[], running: Dict): Promise<void> {
    const calls: LowChunk[] = []
    for (const chunk of chunks) {
      if (!chunk.has('beacon')) continue
      const low: LowChunk = new Map(chunk)
      low.set('sfun', required(chunk, 'fun'))
      low.set('fun', 'mod_beacon')
      low.set('__id__', `beacon_${str(required(chunk, '__id__'))}`)
      this.dependencies.add(low, mayAggregate(low, new Map(), this.run.states))
      calls.push(low)
    }
    await this.runInto(running, calls)
  }

  private async runInto(running: Dict, chunks: readonly LowChunk[]): Promise<void> {
    if (chunks.length === 0) return
    for (const [tag, ret] of await this.runner().callAll(chunks)) running.set(tag, ret)
  }

  async callChunk(chunk: Dict, chunks: readonly Dict[]): Promise<Dict> {
    const running: Dict = new Map()
    await this.runner().callChunk(chunk, running, chunks)
    return running
  }

  private runner(): ChunkRunner {
    return new ChunkRunner(this.run, {
      dependencies: this.dependencies,
      caller: this.caller,
      parallel: this.parallel,
      nextNumber: () => this.number++,
      peekNumber: () => this.number,
      pause: this.pauseFile(),
      decided: (decision) => this.decisions.push(decision),
    })
  }

  explain(id: Value, running: Dict): Dict[] {
    const own = this.decisions.filter(({ low, check }) => low.get('__id__') === id && check.status !== 'unmet')
    return own.map((decision) => explain(decision, running, this.placeOf(decision.low)))
  }

  private pauseFile(): PauseFile | undefined {
    const { jid, opts, functions } = this.run
    if (jid === null) return undefined
    const { host } = functions.ctx
    const path = `${option(opts, 'cachedir')}/state_pause/${jid}`
    return seldom({
      read: async () => {
        if ((await host.stat(path))?.type !== 'file') return undefined
        const data = decodeMsgpack(await host.read(path), { dialect: 'bus' })
        return data instanceof Map ? data : undefined
      },
    })
  }

  async verifyLow(low: Dict): Promise<string[]> {
    const { states } = this.run
    const errors = await verifyData(low, states)
    const hint = errors.length > 0 ? nearState(low, states) : undefined
    if (hint !== undefined) this.reporter.tell('error', { text: errors[0]!, hint })
    return errors
  }

  async callLow(low: Dict): Promise<Dict> {
    return this.caller.call(low, [], new Map())
  }
}

function modulesOf(high: High): Set<string> {
  const modules = new Set<string>()
  for (const body of high.values()) {
    if (!(body instanceof Map)) continue
    body.forEach((_, key) => {
      if (typeof key === 'string' && !key.startsWith('__')) modules.add(key)
    })
  }
  return modules
}

/** Join a message into one line, except for renderer errors with quoted lines. */
const inOneLine = (text: string): string => (text.startsWith('Rendering SLS') ? text : text.replaceAll(/\n\s*/g, ' '))
