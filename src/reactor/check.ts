// Checks the rules when the master starts: a missing file, an unreadable file or an unknown function is reported before
// an event needs it. Files are rendered for a stand-in event, with functions that do nothing; expressions that such an
// event cannot decide are skipped. Each problem names its file and line.
import { readFileSync } from 'node:fs'
import { BrineError, didYouMean, silentLog, toError } from '../base/mod.ts'
import { globFiles, option } from '../config/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import { JinjaError } from '../jinja/mod.ts'
import { moduleTable } from '../loader/mod.ts'
import { failureLine, parsePipe, parseShebang, renderText } from '../render/mod.ts'
import { compileReactions } from '../state/mod.ts'
import { YamlError } from '../yaml/mod.ts'
import { type DeclaredFunctions, KINDS, kindOf, reactionCall } from './calls.ts'
import type { ReactorContext } from './context.ts'
import { linesIn, padded } from './render-reactions.ts'
import { RulePlaces } from './rule-places.ts'
import { type Rule, Rules } from './rules.ts'
import { standIn, standInFunctions } from './stand-in.ts'

/** `runner.state.orchestrate:` as the line of a file. */
const CALL = /^\s+(local|cmd|caller|runner|wheel)\.([\w.]+)\s*:/

/** Renderers that are safe to run in a check: they run no code of users. */
const SAFE = new Set(['jinja', 'yaml', 'json', 'yamlex', 'toml', 'text'])

interface Problem {
  line?: number | undefined
  text: string
}

export async function checkRules(ctx: ReactorContext, declared: DeclaredFunctions): Promise<string[]> {
  const check = new Check(ctx, declared)
  const places = new RulePlaces(ctx.opts)
  const problems: string[] = []
  for (const rule of new Rules(ctx.opts, ctx.log).all()) {
    const place = places.of(rule.pattern)
    const shown = `the reactor for '${rule.pattern}'${place === undefined ? '' : ` at ${place}`}`
    for (const reference of rule.files) problems.push(...(await check.reference(rule, reference, shown)))
  }
  return problems
}

class Check {
  private readonly ctx: ReactorContext
  private readonly declared: DeclaredFunctions
  private ownModules: Promise<Set<string>> | undefined

  constructor(ctx: ReactorContext, declared: DeclaredFunctions) {
    this.ctx = ctx
    this.declared = declared
  }

  async reference(rule: Rule, reference: string, shown: string): Promise<string[]> {
    const { files } = this.ctx
    const local = reference.startsWith('salt://') ? await files.fetch(reference, { saltenv: 'base' }) : reference
    const found = local === false ? [] : globFiles(local)
    if (found.length === 0) return [`${reference} does not exist (${shown})`]
    const problems: string[] = []
    for (const file of found) {
      for (const { line, text } of await this.file(rule, file)) {
        problems.push(`${file}${line === undefined ? '' : `:${line}`}: ${text} (${shown})`)
      }
    }
    return problems
  }

  private async file(rule: Rule, file: string): Promise<Problem[]> {
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      return [{ text: `it cannot be read: ${toError(error).message}` }]
    }
    const written = await this.written(text)
    const known = new Set(written.map((problem) => problem.text))
    return [...written, ...(await this.rendered(rule, file, text)).filter((problem) => !known.has(problem.text))]
  }

  /** Report functions that lines name, in any branch of the template. */
  private async written(text: string): Promise<Problem[]> {
    const problems: Problem[] = []
    for (const [index, line] of text.split('\n').entries()) {
      const [, kind, fun] = CALL.exec(line) ?? []
      const problem = fun === undefined ? undefined : await this.unknown(kind!, fun)
      if (problem !== undefined) problems.push({ line: index + 1, text: problem })
    }
    return problems
  }

  private async rendered({ pattern }: Rule, file: string, text: string): Promise<Problem[]> {
    const { opts } = this.ctx
    const pipe = parseShebang(text) ?? option(opts, 'renderer')
    if (!parsePipe(pipe).every(({ name }) => SAFE.has(name))) return []
    try {
      const { value, sourceLine } = await renderText(text, {
        path: file,
        renderer: pipe,
        saltenv: 'base',
        sls: '',
        opts,
        grains: new Map(),
        pillar: new Map(),
        functions: standInFunctions,
        positions: true,
        context: new Map<string, Value>([
          ['tag', pattern],
          ['data', standIn],
          ['origin', standIn],
        ]),
        log: silentLog,
      })
      return await this.reactions(padded(value, file), linesIn(value, sourceLine))
    } catch (error) {
      return isCertain(error, text) ? [problemOf(error)] : []
    }
  }

  private async reactions(high: Dict, lines: Dict): Promise<Problem[]> {
    if (high.size === 0) return []
    const { chunks, errors } = compileReactions(high, this.ctx.opts, silentLog)
    const problems: Problem[] = errors.map(({ text }) => ({ text }))
    for (const chunk of chunks) {
      const at = lines.get(chunk.get('__id__') ?? null)
      const text = await this.reaction(chunk)
      if (text !== undefined) problems.push({ ...(typeof at === 'number' && { line: at }), text })
    }
    return problems
  }

  /** Return the problem with one reaction, if any. */
  private async reaction(chunk: Dict): Promise<string | undefined> {
    const kind = kindOf(chunk)
    const fun = str(chunk.get('fun') ?? '')
    if (!KINDS.has(kind)) return `'${kind}' is no kind of reaction: these are ${[...KINDS].join(', ')}`
    const unknown = await this.unknown(kind, fun)
    if (unknown !== undefined) return unknown
    const said: string[] = []
    try {
      await reactionCall(chunk, this.declared, (level, text) => level === 'error' && said.push(text))
    } catch (error) {
      said.push(failureLine(error))
    }
    return said[0]
  }

  private async unknown(kind: string, fun: string): Promise<string | undefined> {
    if (kind === 'runner' || kind === 'wheel') {
      return (await this.declared(kind, fun)) ? undefined : `there is no ${kind} function '${fun}'`
    }
    const [module = '', name = ''] = [fun.slice(0, fun.indexOf('.')), fun.slice(fun.indexOf('.') + 1)]
    const offered = Object.hasOwn(moduleTable, module) ? moduleTable[module]!.flatMap((entry) => entry.functions) : []
    if (offered.includes(name) || (await this.modulesOfUsers()).has(module)) return undefined
    const hint = didYouMean(fun, new Set(offered.map((other) => `${module}.${other}`)))
    return `there is no function '${fun}'${hint === undefined ? '' : `. ${hint}`}`
  }

  /** Modules that minions get from the file server; their functions are not known here. */
  private modulesOfUsers(): Promise<Set<string>> {
    const { files } = this.ctx
    this.ownModules ??= files.files('base', '_modules/').then((paths) => {
      return new Set(paths.map((path) => path.slice('_modules/'.length).replace(/[./].*$/, '')))
    })
    return this.ownModules
  }
}

/** Faults of the template itself, which no event would mend. */
const FAULTS = new Set(['TemplateSyntaxError', 'TemplateAssertionError', 'TemplateNotFound'])

function isCertain(error: unknown, text: string): boolean {
  const { cause } = error as { cause?: unknown }
  const reason = error instanceof BrineError ? error.reason : toError(error).message
  if (cause instanceof JinjaError) {
    // a name that neither the event nor the template gives
    return FAULTS.has(cause.code) || /^Jinja variable '\w+' is undefined$/.test(reason)
  }
  if (!(cause instanceof YamlError)) return !/\{[{%]/.test(text)
  // two IDs may differ once there is a real event
  return !reason.includes('conflicting ID') || !/\{[{%]/.test(text)
}

function problemOf(error: unknown): Problem {
  if (!(error instanceof BrineError)) return { text: toError(error).message }
  return { line: error.at?.line, text: error.reason.split('\n')[0]! }
}
