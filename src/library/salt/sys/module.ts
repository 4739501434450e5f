// What there is: modules, functions, states, renderers, with their documentation and arguments, all read from the
// declarations.
import { BrineError } from '../../../base/mod.ts'
import { type Dict, fnmatchFilter, sorted, str, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, type ModuleDescription, reads, ret } from '../../../sdk/mod.ts'
import { argumentReport, type Documented, documentation, plainText, schemaOf } from './module/specification.ts'

/** One family of plugins: names, and the declaration behind a name. */
interface Family {
  names(): Promise<string[]>
  declaration(name: string): Promise<Documented | undefined>
  /** Whether a name serves this minion, where that may be known without its declaration. */
  serves?(name: string): Promise<boolean>
  moduleDoc?(module: string): Promise<string | undefined>
}

const moduleOf = (name: string): string => name.slice(0, name.indexOf('.'))
const functionOf = (name: string): string => name.slice(name.indexOf('.') + 1)

/** What was found; undefined for what is not there or cannot serve this minion, which has nothing to show. */
async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof BrineError) return undefined
    throw error
  }
}

function functions(ctx: FunctionContext): Family {
  return {
    names: async () => [...ctx.names()],
    serves: (name) => ctx.serves(name),
    declaration: async (name) => (await orNothing(ctx.module(moduleOf(name))))?.functions[functionOf(name)],
  }
}

function runners({ runners }: FunctionContext): Family {
  return { names: async () => [...runners.names()], declaration: (name) => orNothing(runners.find(name)) }
}

/** The engine calls these, so that they say nothing about themselves. */
function returners(ctx: FunctionContext): Family {
  return { names: () => ctx.returnerNames(), declaration: async () => ({ doc: '', args: {} }) }
}

function states(ctx: FunctionContext): Family {
  const load = (name: string): Promise<ModuleDescription | undefined> => ctx.states.load(name)
  return {
    names: async () => [...ctx.states.names()],
    declaration: async (name) => (await load(moduleOf(name)))?.functions[functionOf(name)],
    moduleDoc: async (module) => (await load(module))?.doc,
  }
}

/** Families that this installation has no plugins of. */
const none: Family = { names: async () => [], declaration: async () => undefined }

const isPattern = (name: string): boolean => name.includes('*')

/** The names that a module's name, a function's name or a glob means. */
async function named(family: Family, wanted: readonly Value[], isGlob: (name: string) => boolean): Promise<string[]> {
  const all = await family.names()
  if (wanted.length === 0) return all
  const found = new Set<string>()
  for (const item of wanted.map((value) => str(value))) {
    const matches = isGlob(item) ? fnmatchFilter(all, item) : all.filter((name) => name.startsWith(`${item}.`))
    for (const name of matches) found.add(name)
  }
  return [...found]
}

const globOrFunction = (name: string): boolean => isPattern(name) || name.includes('.')

/** Those that serve this minion: several modules may share one name, and some serve nobody here. */
async function serving(family: Family, names: readonly string[]): Promise<string[]> {
  const isThere = async (name: string): Promise<boolean> => (await family.declaration(name)) !== undefined
  const found = await Promise.all(names.map((name) => (family.serves ?? isThere)(name)))
  return names.filter((_, index) => found[index])
}

async function listFunctions(family: Family, wanted: readonly Value[]): Promise<Value[]> {
  return sorted(await serving(family, await named(family, wanted, globOrFunction)))
}

async function listModules(family: Family, wanted: readonly Value[]): Promise<Value[]> {
  const names = await serving(family, await named(family, wanted, isPattern))
  return sorted([...new Set(names.map(moduleOf))])
}

async function docs(family: Family, wanted: readonly Value[]): Promise<Dict> {
  const found = new Map<Value, Value>()
  const all = await family.names()
  const selected = wanted.length === 0 ? all : []
  for (const item of wanted.map((value) => str(value))) {
    const prefix = item === '' || item.endsWith('.') ? item : `${item}.`
    const isMatch = (name: string): boolean => name === item || name.startsWith(prefix)
    selected.push(...(isPattern(item) ? fnmatchFilter(all, item) : all.filter(isMatch)))
  }
  for (const name of selected) {
    const module = moduleOf(name)
    if (family.moduleDoc && !found.has(module)) found.set(module, plainText((await family.moduleDoc(module)) ?? ''))
    const declaration = await family.declaration(name)
    if (declaration) found.set(name, plainText(documentation(declaration)))
  }
  return found
}

async function argspec(family: Family, module: string): Promise<Map<Value, Value>> {
  const found = new Map<Value, Value>()
  for (const name of await named(family, [module], globOrFunction)) {
    const declaration = await family.declaration(name)
    if (declaration) found.set(name, argumentReport(declaration))
  }
  return found
}

const modules = arg.rest('Names of modules or functions; globs are allowed')
const module = arg.string('A module, a function, or a glob', { default: '' })
const kwargs = arg.open('Nothing')

type Choose = (ctx: FunctionContext) => Family

const docOf = (what: string, choose: Choose) =>
  reads({
    doc: `The documentation of ${what}.`,
    args: { args: modules },
    returns: ret.dict('Texts by name'),
    run: (ctx, { args }) => docs(choose(ctx), args),
  })

const specOf = (what: string, choose: Choose) =>
  reads({
    doc: `The arguments of ${what}.`,
    args: { module },
    returns: ret.dict('Arguments by name'),
    run: (ctx, { module }) => argspec(choose(ctx), module),
  })

const functionsOf = (what: string, choose: Choose) =>
  reads({
    doc: `The names of ${what}.`,
    args: { args: modules, kwargs },
    returns: ret.list('The names'),
    run: (ctx, { args }) => listFunctions(choose(ctx), args),
  })

const modulesOf = (what: string, choose: Choose) =>
  reads({
    doc: `The names of modules of ${what}.`,
    args: { args: modules },
    returns: ret.list('The names'),
    run: (ctx, { args }) => listModules(choose(ctx), args),
  })

const RENDERERS = 'gpg jinja json json5 msgpack nacl stateconf toml yaml yamlex'.split(' ')
/** Those that need Python. */
const BY_PYTHON = ['mako', 'py', 'pydsl', 'pyobjects']

export default defineModule({
  name: 'sysmod',
  virtual: 'sys',
  doc: 'What this minion can do.',
  functions: {
    doc: docOf('functions', functions),
    state_doc: docOf('states', states),
    runner_doc: docOf('runners', runners),
    returner_doc: docOf('returners', returners),
    renderer_doc: docOf('renderers', () => none),
    list_functions: functionsOf('functions', functions),
    list_modules: modulesOf('functions', functions),
    reload_modules: reads({
      doc: 'Forget loaded modules. There is nothing to do: they are the ones on disk.',
      args: {},
      example: 'sys.reload_modules',
      run: () => null,
    }),
    argspec: specOf('functions', functions),
    state_argspec: specOf('states', states),
    returner_argspec: specOf('returners', returners),
    runner_argspec: specOf('runners', runners),
    list_state_functions: functionsOf('states', states),
    list_state_modules: modulesOf('states', states),
    list_runners: modulesOf('runners', runners),
    list_runner_functions: functionsOf('runners', runners),
    list_returners: modulesOf('returners', returners),
    list_returner_functions: functionsOf('returners', returners),
    list_renderers: reads({
      doc: 'The names of renderers.',
      args: { args: arg.rest('Globs') },
      returns: ret.texts('The names'),
      run: async (ctx, { args }) => {
        const hasPython = (await ctx.host.which('python3')) !== undefined
        const names = [...RENDERERS, ...(hasPython ? BY_PYTHON : [])].sort()
        if (args.length === 0) return names
        return names.filter((name) => args.some((glob) => fnmatchFilter([name], str(glob)).length > 0))
      },
    }),
    state_schema: reads({
      doc: 'JSON schemas of the arguments of states.',
      args: { module },
      returns: ret.list('The schemas'),
      run: async (ctx, { module }) => {
        const specs = await argspec(states(ctx), module)
        return sorted([...specs.keys()]).map((name) => schemaOf(name, specs.get(name)!))
      },
    }),
  },
})
