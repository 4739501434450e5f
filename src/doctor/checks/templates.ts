// Checks the source of templates and SLS files in every branch, also files without a minion: functions, filters, tests
// and states that do not exist.
import { didYouMean } from '../../base/mod.ts'
import { JinjaError } from '../../jinja/mod.ts'
import { jinjaDelimiters, parsePipe, parseShebang, rendererNames, saltDialect } from '../../render/mod.ts'
import type { Check, CheckContext } from '../check.ts'
import { isFunctionName, isKnownFunction, nearName } from '../known-functions.ts'
import { textOfFile } from '../site/read-bounded.ts'
import type { Site } from '../site/site.ts'
import { isAside, type SiteFile } from '../site/site-tree.ts'
import { keysIn } from '../template/static-keys.ts'
import { type TemplateUses, templateUses } from '../template/uses.ts'

const TEMPLATES = /\.(?:sls|jinja2?|j2|jinja\.\w+|macros?|map)$/
const MOST_BYTES = 1 << 20

export const templates: Check = {
  name: 'templates',
  codes: [
    ...(['template-invalid', 'function-missing', 'filter-missing', 'renderer-missing', 'state-missing'] as const),
    ...(['slow-command-in-template', 'grain-missing'] as const),
  ],
  run: (site, ctx) => {
    const grains = knownGrains(site)
    const done = new Set<string>()
    for (const tree of [site.states, site.pillar]) {
      for (const file of tree.files) {
        if (!TEMPLATES.test(file.path) || file.size > MOST_BYTES || done.has(file.file)) continue
        done.add(file.file)
        if (ctx.enter(file.file)) checkFile(file, { site, ctx, grains, isPillar: tree === site.pillar })
      }
    }
  },
}

interface Work {
  site: Site
  ctx: CheckContext
  /** Undefined if no real minion is known: then every grain is accepted. */
  grains: ReadonlySet<string> | undefined
  isPillar: boolean
}

function checkFile({ file, path }: SiteFile, work: Work): void {
  const text = textOfFile(file)
  if (text === undefined) return
  const isSls = path.endsWith('.sls')
  const pipe = isSls ? parseShebang(text) : undefined
  const stages = pipe === undefined ? ['jinja', 'yaml'] : parsePipe(pipe).map(({ name }) => name)
  if (pipe !== undefined) checkRenderers(stages, file, work)
  if (!stages.includes('jinja')) return
  if (!checkUses(text, file, isSls, work)) return
  if (isSls && !work.isPillar && !path.endsWith('top.sls') && !isAside(path)) checkStates(text, file, work)
}

/** Check a file that a state renders as Jinja. */
export function checkTemplate({ file, path, size }: SiteFile, site: Site, ctx: CheckContext): void {
  if (TEMPLATES.test(path) || size > MOST_BYTES) return
  const text = textOfFile(file)
  if (text !== undefined) checkText(text, file, site, ctx)
}

/** Check the text of a template that is no SLS file of the tree. */
export function checkText(text: string, file: string, site: Site, ctx: CheckContext): void {
  checkUses(text, file, false, { site, ctx, grains: knownGrains(site), isPillar: false })
}

function checkUses(text: string, file: string, isSls: boolean, work: Work): boolean {
  const uses = usesOf(text, file, isSls, work)
  if (!uses) return false
  checkFunctions(uses, file, work)
  checkFilters(uses, file, work)
  checkGrains(uses, file, work)
  return true
}

function checkRenderers(stages: readonly string[], file: string, { site, ctx }: Work): void {
  for (const name of stages) {
    if (rendererNames.includes(name) || site.own.has('renderers', name)) continue
    const hint = didYouMean(name, rendererNames)
    ctx.report('renderer-missing', { message: `The renderer '${name}' is not here`, at: { file, line: 1 }, hint })
  }
}

function usesOf(text: string, file: string, isSls: boolean, { site, ctx }: Work): TemplateUses | undefined {
  try {
    return templateUses(text, jinjaDelimiters(site.serving.opts, isSls))
  } catch (error) {
    if (!(error instanceof JinjaError)) throw error
    const at = { file, line: error.at?.line ?? 1 }
    ctx.report('template-invalid', { message: `Jinja: ${error.reason}`, at, hint: error.hint })
    return undefined
  }
}

function checkFunctions({ functions, guarded }: TemplateUses, file: string, { site, ctx }: Work): void {
  for (const { name, line, isConditional } of functions) {
    if (name.startsWith('cmd.') && isKnownFunction('function', name, site)) {
      const message = `The template calls ${name} each time it is rendered`
      ctx.report('slow-command-in-template', { message, at: { file, line } })
    }
    if (!isFunctionName(name) || isKnownFunction('function', name, site)) continue
    // a template that tests for the name copes without it; a branch may never run
    const level = guarded.has(name) ? 'note' : isConditional ? 'warning' : undefined
    const hint = nearName('function', name)
    ctx.report('function-missing', { message: `There is no function '${name}'`, at: { file, line }, hint, level })
  }
}

function checkFilters({ filters, tests }: TemplateUses, file: string, { ctx }: Work): void {
  for (const [kind, used, known] of [
    ['filter', filters, saltDialect.filters],
    ['test', tests, saltDialect.tests],
  ] as const) {
    for (const { name, line, isConditional } of used) {
      if (known.has(name)) continue
      const hint = didYouMean(name, known.keys())
      const level = isConditional ? 'warning' : undefined
      ctx.report('filter-missing', { message: `There is no Jinja ${kind} '${name}'`, at: { file, line }, hint, level })
    }
  }
}

function checkGrains({ grains: used }: TemplateUses, file: string, { grains, ctx }: Work): void {
  for (const { name, line } of used) {
    if (grains === undefined || grains.has(name.split(':', 1)[0]!)) continue
    const hint = didYouMean(name, grains)
    ctx.report('grain-missing', { message: `No known minion has the grain '${name}'`, at: { file, line }, hint })
  }
}

function knownGrains({ minions }: Site): ReadonlySet<string> | undefined {
  const real = minions.filter(({ from }) => from !== 'example')
  return real.length === 0 ? undefined : new Set(real.flatMap(({ grains }) => [...grains.keys()].map(String)))
}

/**
 * Check the states in a text: below an ID in the first column, `module.function:` is a state. Files that compile for a
 * minion are also checked there.
 */
function checkStates(text: string, file: string, { site, ctx }: Work): void {
  const keys = keysIn(text)
  const top = new Set(keys.filter(({ indent }) => indent === 0).map(({ key }) => key))
  for (const { key, line, parent, indent } of keys) {
    if (indent === 0 || indent > 4 || parent === undefined || !top.has(parent) || parent === 'extend') continue
    if (!isFunctionName(key) || isKnownFunction('state', key, site)) continue
    const hint = nearName('state', key)
    // a minion that gets this file has its own error
    ctx.report('state-missing', { message: `There is no state '${key}'`, at: { file, line }, hint, level: 'warning' })
  }
}
