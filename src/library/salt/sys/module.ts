// Lists modules, functions, states and renderers, with their documentation and arguments from the declarations.
import { BrineError, isA, recover } from '../../../base/mod.ts'
import { type Dict, fnmatchFilter, sorted, str, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, type ModuleDescription, reads, ret } from '../../../sdk/mod.ts'
import { argumentReport, type Documented, documentation, plainText, schemaOf } from './module/specification.ts'

/** One family of plugins: its names, and the declaration of a name. */
interface Family {
  names(): Promise<string[]>
  declaration(name: string): Promise<Documented | undefined>
  /** Return whether a name is available on this minion, without its declaration. */
  serves?(name: string): Promise<boolean>
  moduleDoc?(module: string): Promise<string | undefined>
}

const moduleOf = (name: string): string => name.slice(0, name.indexOf('.'))
const functionOf = (name: string): string => name.slice(name.indexOf('.') + 1)

/** Return the result; undefined for a plug-in that does not exist or does not support this minion. */
async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  return recover(isA(BrineError), undefined, () => found)
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

/** Returners: only Salt itself calls them, so they have no documentation. */
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

/** A family without plugins. */
const none: Family = { names: async () => [], declaration: async () => undefined }

const isPattern = (name: string): boolean => name.includes('*')

/** Return the names that match a module, a function or a glob. */
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

/** Return the names that are available on this minion. */
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

const modules = arg.rest('Modules, functions or globs')
const module = arg.string('Module, function or glob', { default: '' })
const kwargs = arg.open('Ignored')

type Choose = (ctx: FunctionContext) => Family

const docOf = (what: string, choose: Choose) =>
  reads({
    doc: `Return the documentation of ${what}.`,
    args: { args: modules },
    returns: ret.dict('Texts by name'),
    run: (ctx, { args }) => docs(choose(ctx), args),
  })

const specOf = (what: string, choose: Choose) =>
  reads({
    doc: `Return the arguments of ${what}.`,
    args: { module },
    returns: ret.dict('Arguments by name'),
    run: (ctx, { module }) => argspec(choose(ctx), module),
  })

const functionsOf = (what: string, choose: Choose) =>
  reads({
    doc: `Return the names of ${what}.`,
    args: { args: modules, kwargs },
    returns: ret.list('Names'),
    run: (ctx, { args }) => listFunctions(choose(ctx), args),
  })

const modulesOf = (what: string, choose: Choose) =>
  reads({
    doc: `Return the names of the modules of ${what}.`,
    args: { args: modules },
    returns: ret.list('Names'),
    run: (ctx, { args }) => listModules(choose(ctx), args),
  })

const RENDERERS = 'gpg jinja json json5 msgpack nacl stateconf toml yaml yamlex'.split(' ')
/** Renderers that need Python. */
const BY_PYTHON = ['mako', 'py', 'pydsl', 'pyobjects']

export default defineModule({
  name: 'sysmod',
  virtual: 'sys',
  doc: 'List the modules and functions of this minion with their documentation.',
  examples: 'given',
  functions: {
    doc: docOf('functions', functions),
    state_doc: docOf('states', states),
    runner_doc: docOf('runners', runners),
    returner_doc: docOf('returners', returners),
    renderer_doc: docOf('renderers', () => none),
    list_functions: functionsOf('functions', functions),
    list_modules: modulesOf('functions', functions),
    reload_modules: reads({
      doc: 'Return None: there are no loaded modules to reload.',
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
      doc: 'Return the names of renderers.',
      args: { args: arg.rest('Globs') },
      returns: ret.texts('Names'),
      run: async (ctx, { args }) => {
        const hasPython = (await ctx.host.which('python3')) !== undefined
        const names = [...RENDERERS, ...(hasPython ? BY_PYTHON : [])].sort()
        if (args.length === 0) return names
        return names.filter((name) => args.some((glob) => fnmatchFilter([name], str(glob)).length > 0))
      },
    }),
    state_schema: reads({
      doc: 'Return JSON schemas of the arguments of states.',
      args: { module },
      returns: ret.list('Schemas'),
      run: async (ctx, { module }) => {
        const specs = await argspec(states(ctx), module)
        return sorted([...specs.keys()]).map((name) => schemaOf(name, specs.get(name)!))
      },
    }),
  },
})
