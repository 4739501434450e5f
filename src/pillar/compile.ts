// Compiles the pillar of one minion: top files, SLS files, external pillars, overrides, decryption, in Salt's order.
// Templates and matchers see the pillar as far as it is complete: while SLS files are rendered that is nothing, unless
// `ext_pillar_first` is set.
import { isLogged, type Log, namedLog, SALT_VERSION, silentLog } from '../base/mod.ts'
import { option, rawOption } from '../config/mod.ts'
import { type Dict, isDict, isList, secretTexts, shallowCopy, str, truthy, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { MatchSubject } from '../match/mod.ts'
import { type FunctionSource, type Rendered, type Renderer, TopPlaces } from '../render/mod.ts'
import { dataSourceContext, type PillarOrigin } from '../sdk/mod.ts'
import { decryptPillar } from './decrypt.ts'
import { builtinExtPillars } from './ext/mod.ts'
import { addExtPillar, type ExtPillars, MALFORMED, type OwnPillarContext } from './ext-pillar.ts'
import { originsOf, type PillarSource } from './origins.ts'
import { type PillarMerge, pillarMerge, pillarOptions } from './pillar-options.ts'
import { type PillarFolders, PillarTree } from './pillar-tree.ts'
import { SlsRendering } from './sls.ts'
import { matchingStates, type ReadTop, readTop } from './top.ts'
import { userExtPillars } from './user-ext-pillars.ts'

export interface PillarInput {
  /** The master's options, or the minion's own without a master. */
  opts: Dict
  grains: Dict
  minionId: string
  host: Host
  saltenv?: string | null
  pillarenv?: string | null
  /** An `ext_pillar` entry for this once; `on_demand_ext_pillar` must allow it. */
  ext?: Value
  /** Laid over the pillar; ignored with an error in the log when it is no dict. */
  override?: Value
  extraMinionData?: Value
  /** Functions for templates, over the options and the pillar as far as it is complete. */
  functions?: (opts: Dict, pillar: Dict) => FunctionSource
  /** External pillars in addition to the built-in ones. */
  extPillars?: ExtPillars
  renderers?: Iterable<Renderer>
  /** Entries of `pillar_roots` that are not directories, by their text. */
  folders?: PillarFolders
  /** Whether a compound target means this minion to the master; without a master it knows no minions. */
  isMember?: (target: Value) => boolean | Promise<boolean>
  /** Whether a master compiles the pillar for a minion. The minion's pillar override is then not decrypted with the keys of the master. */
  isForMinion?: boolean
  log?: Log
}

export interface CompiledPillar {
  pillar: Dict
  /** Return the sources that set a path of keys, in merge order. */
  origins(path: readonly string[]): PillarOrigin[]
}

export async function compilePillar(input: PillarInput): Promise<CompiledPillar> {
  const began = performance.now()
  const compilation = new Compilation(input)
  const pillar = await compilation.run()
  compilation.tell(pillar, performance.now() - began)
  return { pillar, origins: (path) => originsOf(compilation.sources, path) }
}

/** Read the top data only. */
export function readPillarTop(input: PillarInput): Promise<ReadTop> {
  return new Compilation(input).readTop()
}

const malformed = (sls: string, errors: readonly string[]): string =>
  `The rendered pillar sls file, '${sls}' state did not return the expected data format. This is a sign of a malformed pillar sls file. Returned errors: ${errors.map((error) => `'${error}'`).join(', ')}`

class Compilation {
  readonly sources: PillarSource[] = []
  private readonly topPlaces = new TopPlaces()
  private readonly input: PillarInput
  private readonly opts: Dict
  private readonly log: Log
  private readonly tree: PillarTree
  private readonly merge: PillarMerge
  private readonly override: Dict
  /** The context of templates and matchers; changed in place. */
  private readonly seen: Dict
  private readonly functions: FunctionSource | undefined

  constructor(input: PillarInput) {
    const { grains, minionId, saltenv = null, pillarenv = null, ext = null } = input
    this.input = input
    this.log = namedLog(input.log ?? silentLog, 'salt.pillar')
    this.opts = pillarOptions(input.opts, { grains, minionId, saltenv, pillarenv, ext, log: this.log })
    this.tree = new PillarTree(this.opts, input.host, input.folders)
    this.merge = pillarMerge(this.opts, this.log)
    this.override = this.dictOr(input.override)
    const present = this.opts.get('pillar')
    this.seen = isDict(present ?? null) ? new Map(present as Dict) : new Map()
    this.functions = input.functions?.(this.ownOptions(), this.seen)
  }

  /**
   * Options for functions and external sources; `id` is that of the compiling process, on a master the master's own.
   */
  private ownOptions(): Dict {
    return new Map(this.opts).set('id', this.input.opts.get('id') ?? this.input.minionId)
  }

  private dictOr(value: Value | undefined): Dict {
    if (value === undefined || !truthy(value)) return new Map()
    if (value instanceof Map) return value
    this.log('error', 'Pillar data must be a dictionary')
    return new Map()
  }

  async run(): Promise<Dict> {
    const top = await this.readTop()
    const errors: string[] = []
    if (option(this.opts, 'ext_pillar_first')) {
      this.see(await this.addExternal(this.isOverrideApart ? new Map() : this.override, errors))
      this.see(this.merge(this.seen, await this.renderMatching(top, errors)))
    } else {
      this.see(await this.renderMatching(top, errors))
      this.see(await this.addExternal(this.seen, errors))
    }
    errors.push(...top.errors)
    return this.complete(errors)
  }

  /** Log the sources of the pillar, without its values, which are secrets. */
  tell(pillar: Dict, ms: number): void {
    const { log } = this
    if (!isLogged(log, 'debug')) return
    log.hide?.(secretTexts(pillar))
    const keys = (data: Value): string => (isDict(data) ? [...data.keys()].map(str).join(', ') : '')
    for (const { name, file, data } of this.sources) {
      log('debug', `Pillar source ${name}${file === undefined ? '' : ` (${file})`}: ${keys(data)}`)
    }
    log('debug', `The pillar of ${this.input.minionId} was compiled after ${Math.round(ms)} ms: ${keys(pillar)}`)
  }

  private see(pillar: Value): void {
    if (pillar === this.seen || !(pillar instanceof Map)) return
    for (const [key, value] of pillar) this.seen.set(key, value)
  }

  private async complete(errors: string[]): Promise<Dict> {
    if (option(this.opts, 'pillar_opts')) this.seen.set('master', this.shownOptions())
    let pillar: Value = this.seen
    const present = this.opts.get('pillar')
    if (present !== undefined && option(this.opts, 'ssh_merge_pillar')) {
      pillar = this.merge(present, pillar)
    }
    if (errors.length > 0) {
      for (const error of errors) this.log('critical', `Pillar render error: ${error}`)
      // a source may have added its own errors, and a pillar that is compiled again gets the same ones
      const known = (pillar as Dict).get('_errors') ?? null
      ;(pillar as Dict).set('_errors', [...new Set([...(isList(known) ? known : []), ...errors])])
    }
    const complete = this.isOverrideApart
      ? this.overridden(await this.decrypted(pillar as Dict))
      : await this.decrypted(this.overridden(pillar))
    this.see(complete)
    return complete
  }

  /** Whether values that the caller lays over the pillar must not be decrypted here. */
  private get isOverrideApart(): boolean {
    return this.input.isForMinion === true && truthy(rawOption(this.opts, 'decrypt_pillar'))
  }

  private overridden(pillar: Value): Dict {
    if (this.override.size === 0) return pillar as Dict
    this.sources.push({ name: 'command line', data: this.override, under: [] })
    return this.merge(pillar, this.override) as Dict
  }

  private async decrypted(pillar: Dict): Promise<Dict> {
    const undecrypted = await decryptPillar(pillar, { opts: this.opts, log: this.log, ...this.withFunctions() })
    if (undecrypted.length > 0) {
      const known = pillar.get('_errors')
      pillar.set('_errors', [...(Array.isArray(known) ? known : []), ...undecrypted])
    }
    return pillar
  }

  private withFunctions(): { functions?: FunctionSource } {
    return this.functions ? { functions: this.functions } : {}
  }

  /** For `pillar_opts`. */
  private shownOptions(): Dict {
    const shown: Dict = new Map(this.opts)
    for (const hidden of ['pillar', '__context__', 'functions', 'matchers', 'rend']) shown.delete(hidden)
    // these secrets give control of the whole cluster
    for (const secret of ['cluster_secret', 'cluster_nats', 'cluster_key_pass']) shown.delete(secret)
    return shown.set('saltversion', SALT_VERSION)
  }

  readTop(): Promise<ReadTop> {
    const render = async (found: { file: string; text: string }, saltenv: string): Promise<Value> => {
      const { value, sourceLine } = await this.render(found, saltenv, '')
      this.topPlaces.remember({ value, file: found.file, sourceLine })
      return value
    }
    return readTop({ opts: this.opts, tree: this.tree, log: this.log, render }, this.input.saltenv ?? null)
  }

  private async render(
    { file, text }: { file: string; text: string },
    saltenv: string,
    sls: string,
    context?: ReadonlyMap<string, Value>,
  ): Promise<Rendered> {
    if (text.trim() === '') {
      if (text === '') this.log('debug', `Template is an empty file: ${file}`)
      else this.log('error', `Template is nothing but whitespace: ${file}`)
      return { value: new Map(), sourceLine: (line) => line }
    }
    const { renderText } = await import('../render/mod.ts')
    return renderText(text, {
      ...this.renderContext(),
      saltenv,
      sls,
      path: file,
      positions: true,
      ...(context && { context }),
    })
  }

  private renderContext() {
    return {
      opts: this.opts,
      grains: this.input.grains,
      pillar: this.seen,
      tree: this.tree,
      isPillar: true,
      log: this.log,
      ...(this.input.renderers && { renderers: this.input.renderers }),
      ...this.withFunctions(),
    }
  }

  private async renderMatching(top: ReadTop, errors: string[]): Promise<Value> {
    const subject: MatchSubject = {
      id: this.input.minionId,
      grains: this.input.grains,
      pillar: this.seen,
      opts: this.opts,
      log: this.log,
    }
    let pillar: Value = shallowCopy(this.override)
    for (const [env, names] of this.inOrder(await matchingStates(top.top, subject))) {
      const rendering = new SlsRendering(
        {
          opts: this.opts,
          tree: this.tree,
          merge: this.merge,
          log: this.log,
          optional: top.optional,
          render: (file, saltenv, sls, variables) => this.render(file, saltenv, sls, variables),
        },
        String(env),
      )
      for (const sls of await rendering.expand(names, errors)) {
        const result = await rendering.render(sls, new Map(), this.topPlaces.ofSls(env, sls))
        errors.push(...result.errors)
        if (result.value === null) continue
        if (!(result.value instanceof Map)) {
          this.log('error', malformed(sls, errors))
          continue
        }
        this.sources.push(...result.sources)
        pillar = this.merge(pillar, result.value)
      }
    }
    return pillar
  }

  /** Sort by `env_order`; other environments come last. */
  private inOrder(matching: Map<Value, string[]>): Array<[Value, string[]]> {
    const order = option(this.opts, 'env_order')
    if (!Array.isArray(order)) return [...matching]
    const named = order.filter((env) => matching.has(env))
    const all = [...named, ...[...matching.keys()].filter((env) => !named.includes(env))]
    return all.map((env) => [env, matching.get(env)!])
  }

  private async addExternal(pillar: Dict, errors: string[]): Promise<Value> {
    const configured = this.opts.get('ext_pillar')
    if (configured === undefined) return pillar
    if (!Array.isArray(configured)) {
      errors.push(MALFORMED)
      return pillar
    }
    const start = this.override.size > 0 ? this.merge(pillar, this.override) : pillar
    if (configured.length === 0) return start
    const ctx = this.externalContext()
    return addExtPillar(start as Dict, errors, {
      ctx,
      sources: new Map([
        ...builtinExtPillars,
        ...(await userExtPillars(ctx, configured.flatMap(sourceNames), [...builtinExtPillars.keys()])),
        ...(this.input.extPillars ?? []),
      ]),
      extraMinionData: this.dictOr(this.input.extraMinionData),
      merge: this.merge,
      merged: (name, data) => this.sources.push({ name: `ext_pillar ${name}`, data, under: [] }),
    })
  }

  private externalContext(): OwnPillarContext {
    const { minionId, grains, host, isMember } = this.input
    const opts = this.ownOptions()
    return {
      ...dataSourceContext({ opts, grains, host, log: this.log, functions: this.functions }),
      minionId,
      isMember: isMember ?? (() => false),
      compileRoots: async (roots, saltenv, folders) => {
        const own: Dict = new Map([...this.input.opts, ['pillar_roots', roots], ['ext_pillar', []]])
        const pillarenv = this.input.pillarenv ?? null
        const { override: _override, ext: _ext, ...input } = this.input
        return (await compilePillar({ ...input, opts: own, saltenv, pillarenv, ...(folders && { folders }) })).pillar
      },
      render: async (text, options) => {
        const { renderText } = await import('../render/mod.ts')
        return (await renderText(text, { ...this.renderContext(), isPillar: false, opts, ...options })).value
      },
    }
  }
}

/** The names of external pillars in an entry of `ext_pillar`. */
const sourceNames = (entry: Value): string[] => (isDict(entry) ? [...entry.keys()].map(str) : [])
