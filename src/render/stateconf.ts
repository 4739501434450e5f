// The renderer `stateconf [-Gosp] [yaml . jinja]`: IDs that begin with a dot belong to their SLS, a state requires the
// one before it (`-o`), a first and a last state represent the whole file, and `stateconf.set` defines names for
// templates.
import { option } from '../config/mod.ts'
import { type Dict, isList, str, textOf, type Value } from '../data/mod.ts'
import { firstLine, renderError } from './errors.ts'
import type { RenderContext, Renderer } from './renderer.ts'

const REQUIRE = ['require', 'watch', 'listen', 'onchanges', 'onfail']
const REQUIRE_IN = REQUIRE.map((name) => `${name}_in`)
const REQUISITES = [...REQUIRE, ...REQUIRE_IN, 'use', 'use_in']
const NO_IDS = ['include', 'exclude', 'extend']

/** The settings of `stateconf.set` in the files of one run, and their `extend`. */
interface Settings {
  own: Map<string, Dict>
  extended: Map<string, Dict>
}

const settingsOf = new WeakMap<object, Settings>()

interface Flags {
  goal: boolean
  ordered: boolean
  start: boolean
}

const stateName = (name: Value): string => str(name).split('.')[0]!

/** Dicts with one key in a list, of these keys. */
function* entries(
  list: Value | undefined,
  names?: readonly string[],
): Generator<[dict: Dict, key: Value, value: Value]> {
  for (const item of isList(list ?? null) ? (list as Value[]) : []) {
    const [first] = item instanceof Map ? item : []
    if (first && (names === undefined || names.includes(str(first[0])))) yield [item as Dict, first[0], first[1]]
  }
}

function* requisites(args: Value, names: readonly string[]): Generator<[dict: Dict, state: Value, id: Value]> {
  for (const [, , list] of entries(args, names)) yield* entries(list)
}

/** All states of the file: ID, name with or without function, arguments. */
function* statesOf(data: Dict, without: readonly string[]): Generator<[id: string, state: Value, args: Value[]]> {
  for (const [id, states] of data) {
    if (str(id).startsWith('__') || without.includes(str(id)) || !(states instanceof Map)) continue
    for (const [state, args] of states) {
      if (!str(state).startsWith('__') && isList(args)) yield [str(id), state, args as Value[]]
    }
  }
}

class StateConf {
  private readonly ctx: RenderContext
  private readonly flags: Flags
  private readonly settings: Settings

  constructor(ctx: RenderContext, flags: Flags) {
    this.ctx = ctx
    this.flags = flags
    this.settings = settingsOf.get(ctx.opts) ?? { own: new Map(), extended: new Map() }
    settingsOf.set(ctx.opts, this.settings)
  }

  /** The names for templates: settings of this SLS without the SLS name. */
  variables(): Map<string, Value> {
    const prefix = `${this.ctx.sls}::`
    return new Map(
      Array.from(this.settings.own, ([id, conf]) => [id.startsWith(prefix) ? id.slice(prefix.length) : id, conf]),
    )
  }

  /** `isDraft` when only the settings are wanted. */
  process(data: Dict, isDraft: boolean): Dict {
    for (const [id, states] of data) if (typeof states === 'string') data.set(id, new Map([[states, []]]))
    this.resolveSls(data)
    if (!isDraft && this.flags.ordered) this.requireInOrder(data)
    if (this.flags.start) this.addStart(data)
    if (!isDraft && this.flags.goal) this.addGoal(data)
    this.rename(data)
    this.extract(data, this.settings.own)
    return data
  }

  private fail(text: string): never {
    throw renderError(text, { at: firstLine(this.ctx) })
  }

  private absoluteSls(relative: string, sls: string): string {
    const [, dots = '', rest = ''] = /^(\.+)(.*)$/.exec(relative) ?? []
    const parts = sls.split('.')
    if (dots.length > parts.length) this.fail('Attempted relative include goes beyond top level package')
    return [...parts.slice(0, parts.length - dots.length), rest].join('.')
  }

  private absoluteId(id: string): string {
    const { sls } = this.ctx
    if (id.includes('::')) return this.absoluteSls(id, sls)
    const whole = this.absoluteSls(id, `${sls}.`)
    const dot = whole.lastIndexOf('.')
    return `${whole.slice(0, dot)}::${whole.slice(dot + 1)}`
  }

  private resolveSls(data: Dict): void {
    const { sls, saltenv } = this.ctx
    const includes = data.get('include')
    if (isList(includes ?? null)) {
      for (const [index, entry] of (includes as Value[]).entries()) {
        const [env, name] = entry instanceof Map ? ([...entry].at(-1) ?? [saltenv, '']) : [saltenv, entry]
        const text = textOf(name) ?? ''
        if (text.startsWith('.')) (includes as Value[])[index] = new Map([[env, this.absoluteSls(text, sls)]])
      }
    }
    for (const [dict, key, name] of entries(data.get('exclude'), ['sls'])) {
      const text = textOf(name) ?? ''
      if (text.startsWith('.')) dict.set(key, this.absoluteSls(text, sls))
    }
  }

  private requireInOrder(data: Dict): void {
    const tag = (id: Value, state: Value): string => `${str(id)}:${stateName(state)}`
    const states = [...statesOf(data, NO_IDS)]
    const named = states.find(([, , args]) => !entries(args, ['names']).next().done)
    if (named) {
      this.fail(
        `'names' declaration(found in state id: ${named[0]}) is not supported with implicitly ordered states! ` +
          'You should generate the states in a template for-loop instead.',
      )
    }
    const places = new Map(states.map(([id, state], index) => [tag(id, state), index]))
    for (const [index, [id, state, args]] of states.entries()) {
      const own = tag(id, state)
      for (const [names, isWrong, words] of [
        [REQUIRE, (at: number) => at > index, ['require/watch/listen/onchanges/onfail', 'after']],
        [REQUIRE_IN, (at: number) => at < index, ['require_in/watch_in/listen_in/onchanges_in/onfail_in', 'before']],
      ] as const) {
        for (const [, kind, target] of requisites(args, names)) {
          const at = places.get(tag(target, kind))
          if (at === undefined || !isWrong(at)) continue
          this.fail(`State(${own}) can't ${words[0]} a state(${tag(target, kind)}) defined ${words[1]} it!`)
        }
      }
      const before = states[index - 1]
      if (before) this.requireFirst(args, new Map([[stateName(before[1]), before[0]]]))
    }
  }

  private requireFirst(args: Value[], requisite: Dict): void {
    const [found] = entries(args, ['require'])
    if (found && isList(found[2])) (found[2] as Value[]).unshift(requisite)
    else args.push(new Map([['require', [requisite]]]))
  }

  private add(data: Dict, kind: 'start' | 'goal', requisite: string, list: Value[]): void {
    const id = option(this.ctx.opts, `stateconf_${kind}_state`)
    if (data.has(id)) this.fail(`Can't generate ${kind} state(${id})! The same state id already exists!`)
    const args = [new Map([[requisite, list]])]
    data.set(id, new Map([[option(this.ctx.opts, 'stateconf_state_func'), args]]))
  }

  private addStart(data: Dict): void {
    if (data.size === 0) return
    const [first] = statesOf(data, NO_IDS)
    if (!first) this.fail("Can't determine the first state in the sls file!")
    this.add(data, 'start', 'require_in', [new Map([[stateName(first[1]), first[0]]])])
  }

  private addGoal(data: Dict): void {
    const all = Array.from(statesOf(data, NO_IDS), ([id, state]) => new Map([[stateName(state), id]]))
    this.add(data, 'goal', 'require', all)
  }

  private rename(data: Dict): void {
    const extend = data.get('extend')
    if (extend instanceof Map) this.rename(extend)
    for (const [, , args] of statesOf(data, ['include', 'exclude', 'extend'])) {
      for (const [dict, state, id] of requisites(args, REQUISITES)) {
        if (typeof id === 'string' && id.startsWith('.')) dict.set(state, this.absoluteId(id))
      }
    }
    const module = stateName(option(this.ctx.opts, 'stateconf_state_func'))
    for (const [id, states] of [...data]) {
      if (typeof id !== 'string' || !id.startsWith('.')) continue
      const whole = this.absoluteId(id)
      if (data.has(whole)) this.fail(`Can't rename state id(${id}) into ${whole} because the later already exists!`)
      for (const [state, args] of states instanceof Map ? states : []) {
        const hasName = !entries(args, ['name']).next().done
        if (stateName(state) !== module && isList(args) && !hasName)
          (args as Value[]).unshift(new Map([['name', id.slice(1)]]))
      }
      data.set(whole, states)
      data.delete(id)
    }
  }

  private extract(data: Dict, into: Map<string, Dict>): void {
    const func = option(this.ctx.opts, 'stateconf_state_func')
    for (const [id, states] of data) {
      if (id === 'extend' && into === this.settings.own && states instanceof Map) {
        this.extract(states, this.settings.extended)
        continue
      }
      const args = states instanceof Map ? (states.get(stateName(func)) ?? states.get(func)) : undefined
      if (args === undefined) continue
      const conf: Dict = into.get(str(id)) ?? new Map()
      for (const [, key, value] of entries(args)) conf.set(key, value)
      into.set(str(id), conf)
      const extension = into === this.settings.own ? this.settings.extended.get(str(id)) : undefined
      for (const [key, value] of extension ?? []) {
        const both = REQUIRE.includes(str(key)) && isList(value) && isList(conf.get(key) ?? null)
        conf.set(key, both ? [...value, ...(conf.get(key) as Value[])] : value)
      }
    }
  }
}

/** The renderer, over those that render data and templates. */
export function stateconf(renderers: readonly Renderer[]): Renderer {
  const named = (name: string, ctx: RenderContext): Renderer => {
    const found = renderers.find((renderer) => renderer.name === name)
    if (!found) throw renderError(`Renderer: '${name}' is not available!`, { at: firstLine(ctx) })
    return found
  }
  return {
    name: 'stateconf',
    render: async (input, argline, ctx) => {
      const [, letters = '', rest = ''] = /^((?:\s*-[Gosp]+)*)\s*(.*)$/.exec(argline) ?? []
      const flags = { goal: !letters.includes('G'), ordered: letters.includes('o'), start: letters.includes('s') }
      const conf = new StateConf(ctx, flags)
      if (letters.includes('p')) return { value: input instanceof Map ? conf.process(input, false) : input }
      const [dataWords, templateWords] = (rest === '' ? 'yaml . jinja' : rest).split(/\s+(?<!\\)\.\s+/)
      if (templateWords === undefined) throw renderError('Invalid use of stateconf renderer!', { at: firstLine(ctx) })
      const [reader, template] = [dataWords!, templateWords].map((words) => {
        const [name = '', ...args] = words.trim().split(/\s+/)
        return { renderer: named(name, ctx), args: args.join(' ') }
      }) as [Stage, Stage]
      const folder = ctx.sls.includes('.') ? ctx.sls.split('.').slice(0, -1).join('/') : ctx.sls
      const pass = async (text: string, variables: ReadonlyMap<string, Value>, isDraft: boolean): Promise<Value> => {
        const context = new Map<string, Value>([...(ctx.context ?? []), ['sls_dir', folder || '.'], ...variables])
        const made = await template.renderer.render(text, template.args, { ...ctx, context })
        const { value } = await reader.renderer.render(made.value, reader.args, ctx)
        return value instanceof Map ? conf.process(value, isDraft) : value
      }
      const text = str(input)
      const marker = option(ctx.opts, 'stateconf_end_marker')
      const end = text.search(new RegExp(marker))
      if (end >= 0) await pass(text.slice(0, end), new Map(), true)
      return { value: await pass(text, conf.variables(), false) }
    },
  }
}

interface Stage {
  renderer: Renderer
  args: string
}
