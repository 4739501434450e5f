// Reverses `require_in` and its kin: the named states are extended by the plain requisite. `use` and `use_in` copy
// arguments instead. As in Salt, a list of several targets adds the earlier ones again with each further one, and users
// see the repetitions in the low data.
import type { Log } from '../../base/mod.ts'
import { assertHashable, type Dict, isList, str, type Value } from '../../data/mod.ts'
import { reconcileExtend } from './extend.ts'
import { required } from './low-tag.ts'
import { NameIndex, statesOf } from './name-index.ts'
import type { Places } from './places.ts'
import { firstKey, textKey } from './text-key.ts'
import type { CompileError, High } from './types.ts'

const REVERSED: ReadonlySet<Value> = new Set([
  'require_in',
  'watch_in',
  'onfail_in',
  'onchanges_in',
  'use',
  'use_in',
  'prereq_in',
])

/** Arguments that `use` never copies. */
const NOT_USED: ReadonlySet<Value> = new Set<Value>([
  ...REVERSED,
  'require',
  'watch',
  'prereq',
  'onfail',
  'onfail_stop',
  'onchanges',
  'name',
  'names',
])

export interface RequisiteInOptions {
  disabled: readonly Value[]
  places: Places
  log: Log
}

export function applyRequisiteIn(high: High, options: RequisiteInOptions): CompileError[] {
  const reversal = new Reversal(high, options)
  high.forEach((body, id) => {
    if (!(body instanceof Map)) return
    body.forEach((args, key) => {
      const state = textKey(key)
      if (!state.startsWith('__') && Array.isArray(args)) reversal.take(id, body, state, args)
    })
  })
  high.set(
    '__extend__',
    [...reversal.extensions].map(([name, body]) => new Map([[name, body]])),
  )
  return [...reversal.errors, ...reconcileExtend(high, options.places, { strict: true })]
}

interface Source {
  id: Value
  body: Dict
  state: string
  /** The keyword, such as `require_in`, and its plain requisite. */
  key: string
  requisite: string
  /** The value of the keyword, and one item of it. */
  items: Value
  item: Value
}

class Reversal {
  readonly extensions = new Map<Value, Dict>()
  readonly errors: CompileError[] = []
  private readonly high: High
  private readonly index: NameIndex
  private readonly options: RequisiteInOptions

  constructor(high: High, options: RequisiteInOptions) {
    this.high = high
    this.options = options
    this.index = new NameIndex(high)
  }

  take(id: Value, body: Dict, state: string, args: readonly Value[]): void {
    for (const arg of args) {
      const key = arg instanceof Map ? firstKey(arg) : undefined
      if (key === undefined || !REVERSED.has(key)) continue
      if (this.options.disabled.includes(key)) {
        this.options.log('warning', `The ${str(key)} requisite has been disabled, Ignoring.`)
        continue
      }
      const items = (arg as Dict).get(key)!
      const requisite = (key as string).split('_')[0]!
      const source: Source = { id, body, state, key: key as string, requisite, items, item: null }
      if (items instanceof Map) this.single(source, items)
      if (isList(items)) this.several(source, items)
    }
  }

  private single(given: Source, items: Dict): void {
    for (const [type, name] of items) {
      const source = { ...given, item: type }
      this.extension(name)
      this.add(source, name, this.checkedType(source, textKey(type), name, ''))
    }
  }

  private several(given: Source, items: readonly Value[]): void {
    let targets: Array<[name: Value, state: string]> = []
    for (const [index, item] of items.entries()) {
      const source = { ...given, item: index }
      const reference = item instanceof Map ? item : this.byName(item)
      const type = reference && firstKey(reference)
      if (reference === undefined || type === undefined) continue
      const name = reference.get(type)!
      if (type === 'sls') targets = this.index.ofSls(name).map(({ id, state }) => [id, state])
      else targets.push([name, textKey(type)])
      this.checkedType(source, textKey(type), name, ',')
      for (const [id, state] of targets) {
        if (source.key === 'use_in') this.useIn(source, id, state)
        else if (source.key === 'use') this.use(source, id, state)
        else this.add(source, id, state)
      }
    }
  }

  /** A reference by ID or name alone. */
  private byName(name: Value): Dict | undefined {
    assertHashable(name)
    const body = this.high.get(name)
    if (body instanceof Map) {
      const [state] = statesOf(body)
      return state === undefined ? undefined : new Map([[state, name]])
    }
    const found = this.index.named(name)
    return found && new Map<Value, Value>([[found.state, found.id]])
  }

  /** Report a type with a dot, and return it up to the dot. */
  private checkedType(source: Source, type: string, name: Value, comma: string): string {
    const dot = type.indexOf('.')
    if (dot < 0) return type
    const sls = str(required(source.body, '__sls__'))
    this.errors.push({
      text:
        `Invalid requisite in ${source.requisite}: ${type} for ${str(name)}${comma} in SLS '${sls}'. ` +
        `Requisites must not contain dots, did you mean '${type.slice(0, dot)}'?`,
      at: this.options.places.of(source.items, source.item),
    })
    return type.slice(0, dot)
  }

  private extension(name: Value): Dict {
    let body = this.extensions.get(name)
    if (!body) {
      body = new Map()
      this.extensions.set(name, body)
    }
    return body
  }

  private argsOf(name: Value, state: string): Value[] {
    const body = this.extension(name)
    let args = body.get(state)
    if (!Array.isArray(args)) {
      args = []
      body.set(state, args)
    }
    return args
  }

  private add(source: Source, name: Value, state: string): void {
    const args = this.argsOf(name, state)
    const body = this.extension(name)
    body.set('__env__', required(source.body, '__env__'))
    body.set('__sls__', required(source.body, '__sls__'))
    const { places } = this.options
    const reference = (): Dict => {
      const made: Dict = new Map<Value, Value>([[source.state, source.id]])
      places.standIn(made, source.items, source.item)
      return made
    }
    let isThere = false
    for (const arg of args) {
      const requisites =
        arg instanceof Map && firstKey(arg) === source.requisite ? arg.get(source.requisite) : undefined
      if (!Array.isArray(requisites)) continue
      requisites.push(reference())
      isThere = true
    }
    if (!isThere) args.push(new Map<Value, Value>([[source.requisite, [reference()]]]))
    places.standIn(body, source.items, source.item)
  }

  private useIn(source: Source, name: Value, state: string): void {
    for (const found of this.index.find(name, state, true)) {
      const own = argumentNames(this.high, found.id, state)
      copyArguments(this.high, source.id, source.state, own, this.argsOf(found.id, found.state))
    }
  }

  private use(source: Source, name: Value, state: string): void {
    for (const found of this.index.find(name, state, true)) {
      const own = argumentNames(this.high, source.id, source.state)
      copyArguments(this.high, found.id, found.state, own, this.argsOf(source.id, source.state))
    }
  }
}

function argsIn(high: High, id: Value, state: string): readonly Value[] {
  const body = high.get(id)
  const args = body instanceof Map ? body.get(state) : undefined
  return Array.isArray(args) ? args : []
}

function argumentNames(high: High, id: Value, state: string): Set<Value> {
  const names = new Set<Value>()
  for (const arg of argsIn(high, id, state)) if (arg instanceof Map && arg.size === 1) names.add(firstKey(arg)!)
  return names
}

function copyArguments(high: High, id: Value, state: string, own: ReadonlySet<Value>, into: Value[]): void {
  for (const arg of argsIn(high, id, state)) {
    if (!(arg instanceof Map) || arg.size !== 1) continue
    const key = firstKey(arg)!
    if (!NOT_USED.has(key) && !own.has(key)) into.push(arg)
  }
}
