// The variables of a template: the given ones, overridden by those that it sets at its top level.
import type { Value } from '../../data/mod.ts'
import type { LineMap } from '../line-map.ts'
import type { Runtime } from './runtime.ts'

export type Variables = ReadonlyMap<string, Value>

/** The compiled code of a template, and of one of its blocks. */
export type RootFunction = (ctx: Context, rt: Runtime, lines: LineMap | undefined) => string | Promise<string>
export type BlockFunction = (ctx: Context, rt: Runtime) => string | Promise<string>

export class Context {
  readonly given: Variables
  readonly vars = new Map<string, Value>()
  private readonly exports = new Set<string>()
  /** For each block its definitions, the most derived first. */
  readonly blocks: Map<string, BlockFunction[]>

  constructor(given: Variables, blocks: Map<string, BlockFunction[]>) {
    this.given = given
    this.blocks = blocks
  }

  resolve(name: string): Value | undefined {
    const own = this.vars.get(name)
    return own === undefined ? this.given.get(name) : own
  }

  set(name: string, value: Value, exported: boolean): void {
    this.vars.set(name, value)
    if (exported) this.exports.add(name)
    else this.exports.delete(name)
  }

  /** Everything visible, as a template rendered with this context gets it. */
  all(): Variables {
    return this.vars.size === 0 ? this.given : new Map([...this.given, ...this.vars])
  }

  exported(): Map<string, Value> {
    const result = new Map<string, Value>()
    for (const name of this.exports) result.set(name, this.vars.get(name)!)
    return result
  }

  /** This context with further variables, for a scoped block. */
  derived(locals: Locals): Context {
    return new Context(withLocals(this.all(), locals), this.blocks)
  }
}

/** Names assigned around a statement, with `undefined` for those without a value yet. */
export type Locals = ReadonlyArray<readonly [string, Value | undefined]>

export function withLocals(given: Variables, locals: Locals): Variables {
  if (!locals.length) return given
  const result = new Map(given)
  for (const [name, value] of locals) if (value !== undefined) result.set(name, value)
  return result
}
