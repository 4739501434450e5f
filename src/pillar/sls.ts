// Renders one pillar SLS with its includes. An SLS overrides its includes, unless `pillar_includes_override_sls` is
// set. Several oddities are Salt's and visible in the result: defaults of one include reach the later includes, and an
// include that names an existing file is merged twice.
import { BrineError, type Log, type Position } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import {
  type Dict,
  fnmatchFilter,
  isList,
  PyError,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../data/mod.ts'
import { positionOf } from '../yaml/mod.ts'
import type { PillarSource } from './origins.ts'
import type { PillarMerge } from './pillar-options.ts'
import type { PillarFile, PillarTree } from './pillar-tree.ts'

export interface SlsContext {
  opts: Dict
  tree: PillarTree
  merge: PillarMerge
  log: Log
  /** SLS names that may be missing, by environment. */
  optional: ReadonlyMap<Value, ReadonlySet<string>>
  render(
    file: PillarFile,
    saltenv: string,
    sls: string,
    variables: ReadonlyMap<string, Value>,
  ): Promise<{ value: Value; sourceLine(line: number): number }>
}

export interface PillarResult {
  /** Null if the SLS does not exist or rendering failed. */
  value: Value
  errors: string[]
  /** The sources of `value`. */
  sources: PillarSource[]
}

/** `include: [.]` in an `init.sls` names itself by ever longer names: Python gives up when its stack is full. */
const DEEPEST = 300

/** The SLS files of one environment; each is rendered once, and cached without its includes. */
export class SlsRendering {
  private readonly ctx: SlsContext
  private readonly saltenv: string
  private readonly rendered = new Map<string, { value: Value; sources: PillarSource[] }>()
  private depth = 0

  constructor(ctx: SlsContext, saltenv: string) {
    this.ctx = ctx
    this.saltenv = saltenv
  }

  /** Return the names that match globs; a glob without a match stays itself. */
  async expand(names: readonly string[], errors: string[]): Promise<string[]> {
    const expanded: string[] = []
    for (const name of names) {
      const known = await this.names(/[*?[]/.test(name))
      if (known === undefined) errors.push(noEnvironment(this.saltenv))
      const found = fnmatchFilter(known ?? [], name)
      expanded.push(...(found.length > 0 ? found : [name]))
    }
    return expanded
  }

  /** Undefined when the environment is unknown. Files are listed only when that is `needed`. */
  private async names(needed: boolean): Promise<string[] | undefined> {
    const { tree } = this.ctx
    if (!tree.environments().includes(this.saltenv)) return undefined
    return needed ? tree.names(this.saltenv) : []
  }

  /** `at`: the place of the reference to the SLS. */
  async render(sls: string, defaults: Value, at: Position | undefined): Promise<PillarResult> {
    const file = await this.ctx.tree.sls(sls, this.saltenv)
    const errors: string[] = []
    if (!file && !this.isError(sls, errors, at)) return { value: null, errors, sources: [] }
    const own: { value: Value; sources: PillarSource[] } = { value: null, sources: [] }
    if (file) {
      try {
        if (this.depth > DEEPEST) throw new PyError('RecursionError', 'maximum recursion depth exceeded')
        const { value, sourceLine } = await this.ctx.render(file, this.saltenv, sls, templateVariables(defaults))
        own.value = value
        const name = `sls ${sls} in ${this.saltenv}`
        own.sources = [{ name, file: file.file, data: value, under: [], sourceLine }]
      } catch (error) {
        errors.push(this.failure(sls, error))
      }
    } else own.value = new Map()
    this.rendered.set(sls, own)
    const { value } = own
    if (!truthy(value)) return { value, errors, sources: own.sources }
    if (!(value instanceof Map)) return this.refuse(errors, own, `SLS '${sls}' does not render to a dictionary`)
    const includes = value.get('include')
    if (includes === undefined) return { value, errors, sources: own.sources }
    if (!isList(includes)) {
      const problem = `Include Declaration in SLS '${sls}' is not formed as a list`
      return this.refuse(errors, own, problem, positionOf(value, 'include')?.line)
    }
    value.delete('include')
    return this.withIncludes({ sls, isInit: file?.isInit ?? false, includes, defaults }, own, errors)
  }

  /** `line` counts in the rendered text. */
  private refuse(
    errors: string[],
    own: { value: Value; sources: PillarSource[] },
    problem: string,
    line = 1,
  ): PillarResult {
    const [source] = own.sources
    const place = source?.file && `\nat ${source.file}, line ${source.sourceLine?.(line) ?? line}`
    this.ctx.log('error', `${problem}${place ?? ''}`)
    return { ...own, errors: [...errors, problem] }
  }

  /** Whether a missing SLS is worth an error. */
  private isError(sls: string, errors: string[], at: Position | undefined): boolean {
    const { optional, tree, log } = this.ctx
    if (optional.get(this.saltenv)?.has(sls)) {
      log('debug', `Skipping ignored and missing SLS '${sls}' in environment '${this.saltenv}'`)
      return false
    }
    if (tree.directories(this.saltenv).length === 0) {
      log('debug', `SLS '${sls}' was not found: environment '${this.saltenv}' has no pillar_roots`)
      return false
    }
    const problem = `Specified SLS '${sls}' in environment '${this.saltenv}' is not available on the salt master`
    log('error', at?.file === undefined ? problem : `${problem}\nat ${at.file}, line ${at.line}`)
    errors.push(problem)
    return true
  }

  private failure(sls: string, error: unknown): string {
    if (!(error instanceof BrineError)) throw error
    const problem = `Rendering SLS '${sls}' failed, render error:\n${error.message}`
    const place = error.at?.file === undefined ? '' : `\nat ${error.at.file}, line ${error.at.line}`
    const hint = error.hint === undefined ? '' : `\n${error.hint}`
    this.ctx.log('critical', problem + place + hint)
    const isSafe = option(this.ctx.opts, 'pillar_safe_render_error')
    return isSafe ? `Rendering SLS '${sls}' failed. Please see master log for details.` : problem
  }

  private async withIncludes(
    { sls, isInit, includes, defaults: given }: Includes,
    own: { value: Value; sources: PillarSource[] },
    errors: string[],
  ): Promise<PillarResult> {
    const override = option(this.ctx.opts, 'pillar_includes_override_sls')
    const pieces: PillarResult[] = []
    let defaults = given
    let lastErrors: string[] = []
    for (const [index, include] of includes.entries()) {
      const entry = readInclude(include)
      defaults = entry.defaults ?? defaults
      for (const name of await this.included(entry.name, sls, isInit, errors)) {
        const known = this.rendered.get(name)
        const place = placeOf(own, includes, index)
        const piece = known ? { ...known, errors: [] } : await this.below(() => this.render(name, defaults, place))
        if (!known) lastErrors = piece.errors
        if (truthy(piece.value)) pieces.push(placed(piece, entry.key))
        errors.push(...lastErrors)
      }
    }
    const all = override ? [own, ...pieces] : [...pieces, own]
    const value = all.map((piece) => piece.value).reduce((merged, piece) => this.ctx.merge(merged, piece))
    return { value, errors, sources: all.flatMap((piece) => piece.sources) }
  }

  private async below<T>(run: () => Promise<T>): Promise<T> {
    this.depth++
    try {
      return await run()
    } finally {
      this.depth--
    }
  }

  private async included(name: Value, sls: string, isInit: boolean, errors: string[]): Promise<string[]> {
    const text = textOf(name)
    const known = await this.names(true)
    if (known === undefined) errors.push(noEnvironment(this.saltenv))
    if (text === undefined) throw new PyError('AttributeError', `'${typeName(name)}' object has no attribute 'lstrip'`)
    if (known === undefined) return [text]
    const found = fnmatchFilter(known, text.replace(/^\.+/, '').replaceAll('/', '.'))
    const absolute = text.startsWith('.') ? relativeName(sls, isInit, text) : text
    found.push(...fnmatchFilter(known, absolute))
    return found.length > 0 ? found : [absolute]
  }
}

/** The line of an entry in the list of includes. */
function placeOf({ sources }: { sources: PillarSource[] }, includes: readonly Value[], index: number) {
  const [source] = sources
  const found = positionOf(includes as Value[], index)
  if (!found || source?.file === undefined) return undefined
  return { file: source.file, line: source.sourceLine?.(found.line) ?? found.line }
}

interface Includes {
  sls: string
  isInit: boolean
  includes: readonly Value[]
  defaults: Value
}

const noEnvironment = (saltenv: string): string => `No matching pillar environment for environment '${saltenv}' found`

function relativeName(sls: string, isInit: boolean, text: string): string {
  const parts = sls.split('.')
  return [...(isInit ? parts : parts.slice(0, -1)), text.slice(1)].join('.')
}

interface IncludeEntry {
  name: Value
  defaults?: Value
  key: Value
}

/** Parse an include: a name, or a dict of a name and its settings. */
function readInclude(include: Value): IncludeEntry {
  if (!(include instanceof Map)) return { name: include, key: null }
  const [first] = include
  if (first === undefined) throw new PyError('StopIteration', '')
  const [name, how] = first
  if (!(how instanceof Map)) throw new PyError('AttributeError', `'${typeName(how)}' object has no attribute 'get'`)
  return { name, defaults: how.get('defaults') ?? new Map(), key: how.get('key') ?? null }
}

/** Under its key: `x:y` puts it into `{x: {y: …}}`. */
function placed(piece: PillarResult, key: Value): PillarResult {
  if (!truthy(key)) return piece
  const text = textOf(key)
  if (text === undefined) throw new PyError('AttributeError', `'${typeName(key)}' object has no attribute 'split'`)
  const keys = text.split(':')
  const value = keys.reduceRight<Value>((inner, name) => new Map([[name, inner]]), piece.value)
  const sources = piece.sources.map((source) => ({ ...source, under: [...keys, ...source.under] }))
  return { value, errors: piece.errors, sources }
}

/** Names that Salt's own arguments have. */
const COMPILE_ARGUMENTS = new Set(['template', 'renderers', 'default', 'blacklist', 'whitelist', 'saltenv', 'sls'])
const RENDER_ARGUMENTS = new Set(['opts', 'grains', 'pillar', 'salt', 'proxy', 'to_str'])

function templateVariables(defaults: Value): Map<string, Value> {
  if (!(defaults instanceof Map)) {
    throw typeError(`salt.template.compile_template() argument after ** must be a mapping, not ${typeName(defaults)}`)
  }
  const variables = new Map<string, Value>()
  for (const [key, value] of defaults) {
    const name = textOf(key)
    if (name === undefined) throw typeError('keywords must be strings')
    if (COMPILE_ARGUMENTS.has(name)) throw typeError(`compile_template() got multiple values for argument '${name}'`)
    if (RENDER_ARGUMENTS.has(name)) {
      const called = 'salt.utils.templates.wrap_tmpl_func.<locals>.render_tmpl'
      throw typeError(`${called}() got multiple values for keyword argument '${name}'`)
    }
    if (name === '_pillar_rend') {
      throw typeError(`salt.template.compile_template() got multiple values for keyword argument '${name}'`)
    }
    if (name !== 'env') variables.set(name, value)
  }
  return variables
}
