// The `jinja` renderer: a template's text with the variables Salt gives it.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, str, truthy, type Value } from '../data/mod.ts'
import {
  Environment,
  type EnvironmentOptions,
  type JinjaDialect,
  type LineMap,
  saltGlobals,
  TemplateFailure,
  type Variables,
} from '../jinja/mod.ts'
import { FileRoots, type FileTree } from './file-roots.ts'
import { saltDialect } from './jinja-dialect.ts'
import { jinjaRenderError } from './jinja-error.ts'
import { jinjaDelimiters } from './jinja-options.ts'
import { type FunctionSource, SaltFunctions } from './salt-functions.ts'
import { slsContext } from './sls-context.ts'
import { SaltTemplateLoader } from './template-loader.ts'
import { optsForTemplates, pillarForFiles, pillarForTemplates } from './wrapped-data.ts'

export interface JinjaOptions {
  opts: Dict
  grains: Dict
  pillar: Dict
  functions?: FunctionSource
  saltenv: string
  /** The SLS being rendered, `''` for a text outside any; undefined for a managed file, which sees no `sls`. */
  sls?: string
  /** Render as a managed file, whatever `sls` is. */
  asFile?: boolean
  /** The template's own path, for `tplpath` and its like. */
  path?: string | undefined
  /** Further variables; they override Salt's own. */
  context?: ReadonlyMap<string, Value>
  /** The source of imports. Default: the file roots, or pillar roots, of `opts`. */
  tree?: FileTree
  /** Rendering pillar: imports come from the pillar roots. */
  isPillar?: boolean
  /** The filters and tests; Salt's, on this machine, when not given. */
  dialect?: JinjaDialect
  log?: Log
}

export interface JinjaOutput {
  text: string
  /** Maps parts of the text to template lines. */
  lines: LineMap
}

export async function renderJinja(source: string, options: JinjaOptions): Promise<JinjaOutput> {
  const { opts, saltenv } = options
  const variables = templateVariables(options)
  const sls = variables.get('sls')
  const loader = new SaltTemplateLoader({
    tree: options.tree ?? new FileRoots(option(opts, options.isPillar ? 'pillar_roots' : 'file_roots')),
    saltenv,
    opts,
    pillar: options.isPillar ?? false,
  })
  const env = new Environment({
    dialect: options.dialect ?? saltDialect,
    delimiters: jinjaDelimiters(opts, sls !== undefined && truthy(sls), options.log),
    loader,
    strict: !option(opts, 'allow_undefined'),
    opts,
    globals: [...saltGlobals, ...variables],
    ...(options.log && { profile: profiling(options.log) }),
  })
  try {
    const rendered = await env.render(source, variables)
    // Jinja drops the last line break, and Salt puts it back
    return source.endsWith('\n') ? { text: `${rendered.text}\n`, lines: rendered.lines } : rendered
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error
    throw jinjaRenderError(error, { source, path: options.path, sls, sources: loader.sources, files: loader.files })
  }
}

/** While pillar is compiled, templates get the data itself, and their changes remain. */
function pillarFor({ isPillar, asFile, pillar }: JinjaOptions): Dict {
  if (isPillar) return pillar
  return asFile ? pillarForFiles(pillar) : pillarForTemplates(pillar)
}

function templateVariables(options: JinjaOptions): Variables {
  const pillar = pillarFor(options)
  const variables = new Map<string, Value>([
    ['grains', options.grains],
    ['opts', optsForTemplates(options.opts, pillar, options.asFile ?? false)],
    ['pillar', pillar],
    ['saltenv', options.saltenv],
  ])
  if (!options.asFile) variables.set('proxy', new Map())
  if (options.functions) variables.set('salt', new SaltFunctions(options.functions))
  if (options.sls !== undefined && !options.asFile) variables.set('sls', options.sls)
  for (const [name, value] of options.context ?? []) variables.set(name, value)
  const sls = variables.get('sls')
  if (typeof sls !== 'string') return variables
  for (const [name, value] of Object.entries(slsContext(options.path, sls))) {
    if (!variables.has(name)) variables.set(name, value)
  }
  return variables
}

/** Log the durations of `{% profile %}` and data imports. */
function profiling(log: Log): NonNullable<EnvironmentOptions['profile']> {
  return (label, source) => {
    const start = performance.now()
    return () => {
      const seconds = (performance.now() - start) / 1000
      log('profile', `Time (in seconds) to render ${source} '${str(label)}': ${seconds}`)
    }
  }
}
