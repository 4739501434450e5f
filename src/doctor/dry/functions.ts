// The functions that templates call while a tree is checked. A function that only reads, and that asks nothing of the machine, answers;
// every other gives a placeholder.
import { BrineError, toError } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import { moduleTable, Registry } from '../../loader/mod.ts'
import { type FunctionSource, type Renderer, renderText } from '../../render/mod.ts'
import type { OwnModules } from '../site/own-modules.ts'
import { type DryHost, NotEvaluated } from './dry-host.ts'
import type { Unevaluated } from './unevaluated.ts'

export interface DrySurroundings {
  opts: Dict
  grains: Dict
  pillar: Dict
  machine: DryHost
  own: OwnModules
  unevaluated: Unevaluated
  renderers: readonly Renderer[]
}

export class DryFunctions implements FunctionSource {
  private readonly registry: Registry
  private readonly around: DrySurroundings

  constructor(around: DrySurroundings) {
    const { opts, grains, pillar, machine, renderers } = around
    this.around = around
    this.registry = new Registry(moduleTable, {
      opts,
      grains,
      pillar,
      host: machine.host,
      masked: false,
      http: {
        query: refuseNetwork,
        open: refuseNetwork,
        upgrade: refuseNetwork,
      },
      render: async ({ text, ...request }) =>
        (await renderText(text, { ...request, opts, grains, pillar, functions: this, renderers })).value,
    })
  }

  has(name: string): boolean {
    return this.registry.has(name) || this.isOwn(name)
  }

  hasModule(name: string): boolean {
    return this.registry.hasModule(name) || this.around.own.has('modules', name)
  }

  *names(): Generator<string> {
    yield* this.registry.names()
  }

  private isOwn(name: string): boolean {
    return this.around.own.has('modules', name.split('.', 1)[0]!)
  }

  async call(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Promise<Value> {
    const { unevaluated, machine } = this.around
    if (this.isOwn(name)) return unevaluated.placeholder(name)
    const before = machine.refused()
    try {
      if (!(await this.isRead(name))) return unevaluated.placeholder(name)
      const answer = await this.registry.call(name, args, kwargs)
      return machine.refused() === before ? answer : unevaluated.placeholder(name)
    } catch (error) {
      if (machine.refused() !== before || isRefusal(error)) return unevaluated.placeholder(name)
      throw error
    }
  }

  private async isRead(name: string): Promise<boolean> {
    const dot = name.indexOf('.')
    const { functions } = await this.registry.module(name.slice(0, dot))
    return functions[name.slice(dot + 1)]?.effect === 'read'
  }
}

function isRefusal(error: unknown): boolean {
  for (let one: unknown = error; one !== undefined; one = (toError(one) as { cause?: unknown }).cause) {
    if (one instanceof NotEvaluated || (one instanceof BrineError && one.code === 'ReadOnlyHost')) return true
  }
  return false
}

function refuseNetwork(): never {
  throw new NotEvaluated('asks the network')
}
