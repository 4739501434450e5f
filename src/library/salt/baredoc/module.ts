// Functions and states with their arguments and documentation, one dict for each module.
import { type Dict, isDict, isList, misuse, sorted, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

type Kind = 'modules' | 'states'

const ARGUMENTS = { modules: 'sys.argspec', states: 'sys.state_argspec' } as const
const DOCS = { modules: 'sys.doc', states: 'sys.state_doc' } as const

/** Return arguments with their defaults; None for those without one. */
function argumentsOf(specification: Value): Dict {
  const field = (name: string): Value => (isDict(specification) ? (specification.get(name) ?? null) : null)
  const listed = (name: string): Value[] => {
    const found = field(name)
    return isList(found) ? [...found] : []
  }
  const [names, defaults] = [listed('args'), listed('defaults')]
  const first = names.length - defaults.length
  const found: Dict = new Map(names.map((name, at) => [name, at < first ? null : defaults[at - first]!]))
  if (truthy(field('varargs'))) found.set('args', 'args')
  if (truthy(field('kwargs'))) found.set('kwargs', 'kwargs')
  return found
}

const inOrder = (dict: Dict): Dict => new Map(sorted([...dict.keys()]).map((key) => [key, dict.get(key)!]))

async function list(ctx: FunctionContext, kind: Kind, name: Value, namesOnly: boolean): Promise<Dict> {
  const wanted = truthy(name) ? str(name) : ''
  if (wanted.includes('.')) throw misuse('Function name given')
  const found: Dict = new Map()
  for (const [whole, specification] of inOrder(await ctx.call(ARGUMENTS[kind], wanted === '' ? [] : [wanted]))) {
    const [module = '', fun = ''] = str(whole).split('.')
    const functions = (found.get(module) as Value[] | undefined) ?? []
    found.set(module, functions)
    functions.push(namesOnly ? fun : new Map([[fun, argumentsOf(specification)]]))
  }
  return found
}

async function docs(ctx: FunctionContext, kind: Kind, names: readonly Value[]): Promise<Dict> {
  return inOrder(await ctx.call(DOCS[kind], [...names]))
}

const LIST = {
  name: arg.any('Name of a module; all if it is False', { default: false }),
  names_only: arg.flag('Names of functions without their arguments', { default: false }),
}
const NAMES = { names: arg.rest('Names of modules or functions; all if none is given') }
const LISTED = ret.dict('A list of functions by module')
const TEXTS = ret.dict('Texts by name')

export default defineModule({
  name: 'baredoc',
  doc: 'List the functions and states that this minion has, with their arguments and documentation.',
  functions: {
    list_states: reads({
      doc: 'Return the states with their arguments.',
      args: LIST,
      returns: LISTED,
      example: 'baredoc.list_states at',
      run: (ctx, { name, names_only }) => list(ctx, 'states', name, names_only),
    }),
    list_modules: reads({
      doc: 'Return the functions with their arguments.',
      args: LIST,
      returns: LISTED,
      example: 'baredoc.list_modules at names_only=True',
      run: (ctx, { name, names_only }) => list(ctx, 'modules', name, names_only),
    }),
    state_docs: reads({
      doc: 'Return the documentation of states.',
      args: NAMES,
      returns: TEXTS,
      example: 'baredoc.state_docs at',
      run: (ctx, { names }) => docs(ctx, 'states', names),
    }),
    module_docs: reads({
      doc: 'Return the documentation of functions.',
      args: NAMES,
      returns: TEXTS,
      example: 'baredoc.module_docs at',
      run: (ctx, { names }) => docs(ctx, 'modules', names),
    }),
  },
})
