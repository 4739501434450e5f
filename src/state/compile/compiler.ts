// The compiler: its stages from top files to ordered low chunks, for one run.
import { toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import { RenderError, TopPlaces } from '../../render/mod.ts'
import { AutoOrder } from './auto-order.ts'
import { compileLow, disabledRequisites, type OrderedLow, orderLow, type StateHooks } from './compile-low.ts'
import type { CompilerContext, RenderSls } from './compiler-context.ts'
import { applyExclude } from './exclude.ts'
import { reconcileExtend } from './extend.ts'
import { renderHighstate } from './highstate.ts'
import { mergeTops, type Top } from './merge-tops.ts'
import { Places } from './places.ts'
import { renderSlsFile, type SlsResult } from './render-sls.ts'
import { slsRenderer } from './render-text.ts'
import { applyRequisiteIn } from './requisite-in.ts'
import { environmentsOf, readTops } from './top-files.ts'
import { topMatches } from './top-matches.ts'
import { StateList } from './tree.ts'
import type { CompileError, High, HighResult, LowChunk, Matches } from './types.ts'
import { verifyHigh } from './verify-high.ts'
import { verifyTops } from './verify-tops.ts'

export interface LowOptions {
  states: StateHooks
  aggregate: Value
  orchestrationJid?: Value | undefined
  accepts?: (chunk: LowChunk) => boolean
}

export class Compiler {
  readonly places = new Places()
  readonly topPlaces = new TopPlaces()
  readonly states: StateList
  private readonly ctx: CompilerContext
  private readonly render: RenderSls
  private readonly order = new AutoOrder()

  constructor(ctx: CompilerContext) {
    this.ctx = ctx
    this.render = slsRenderer(ctx)
    this.states = new StateList(ctx.tree, () => environmentsOf(ctx.opts, ctx.tree))
  }

  /** The merged top data; empty when a top file cannot be rendered. */
  async top(): Promise<Top> {
    const { ctx, states, render, topPlaces: places } = this
    const tops = await readTops({ ctx, states, render, places }).catch((thrown: unknown) => {
      const error = toError(thrown)
      if (!(error instanceof RenderError) || error.code !== 'SaltRenderError') throw error
      const { error: text, at, hint } = error
      ctx.reporter.tell('error', { text: `Unable to render top file: ${text}`, at, hint })
      return undefined
    })
    return tops ? mergeTops(tops, ctx.opts, ctx.log) : new Map()
  }

  verifyTops(top: Top): CompileError[] {
    return verifyTops(top, this.topPlaces)
  }

  topMatches(top: Top): Promise<Matches> {
    return topMatches(top, this.ctx, this.states)
  }

  /** The high data of SLS files, not yet extended. */
  highstate(matches: Matches): Promise<HighResult> {
    return renderHighstate({ ...this.slsParts(), done: new Set(), matches }, this.topPlaces)
  }

  /** One file that need not lie in the tree. */
  file(path: string, text: string, sls: string, saltenv: string): Promise<SlsResult> {
    const parts = { ...this.slsParts(), done: new Set<string>(), matches: new Map() }
    return renderSlsFile({ text, file: path, path: '' }, sls, saltenv, parts)
  }

  private slsParts() {
    const { states, render, places, order } = this
    return { states, render, places, order, isOrdered: option(this.ctx.opts, 'state_auto_order') }
  }

  /** Render and parse a single text. */
  async text(text: string): Promise<Value> {
    return (await this.render({ text, file: '<template-str>', saltenv: 'base', sls: '' })).value
  }

  reconcileExtend(high: High): CompileError[] {
    return reconcileExtend(high, this.places, { strict: false })
  }

  verifyHigh(high: Value): CompileError[] {
    return verifyHigh(high, this.places)
  }

  requisiteIn(high: High): CompileError[] {
    const { places, ctx } = this
    return applyRequisiteIn(high, { places, log: ctx.log, disabled: disabledRequisites(ctx.opts) })
  }

  exclude(high: High): void {
    applyExclude(high)
  }

  low(high: High, options: LowOptions): OrderedLow {
    return compileLow(high, this.lowContext(options))
  }

  orderLow(chunks: readonly LowChunk[], options: LowOptions): OrderedLow {
    return orderLow(chunks, this.lowContext(options))
  }

  private lowContext(options: LowOptions) {
    return { opts: this.ctx.opts as Dict, places: this.places, log: this.ctx.log, ...options }
  }
}
