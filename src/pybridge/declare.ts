// Declarations for functions of Python modules, built from the worker's data: binding, documentation and specification
// work like for built-in ones.
import { type Dict, str, textOf, type Value } from '../data/mod.ts'
import type { PythonSource } from '../python/mod.ts'
import { type Arg, type Args, type FunctionDeclaration, signatureOf } from '../sdk/mod.ts'
import { setOrigin } from './answers.ts'

/** The worker's data about one module. */
export interface ModuleFacts {
  path: string
  /** The name of its file. */
  file: string
  /** The name it is called by. */
  name: string
  aliases: string[]
  doc: string
  /** Why it does not serve this minion; undefined when it does. */
  reason?: string
  functions: Map<string, FunctionFacts>
}

export interface FunctionFacts {
  origin: PythonSource
  doc: string
  args: Args
  outputter?: string
  calledAs: string
}

export function moduleFacts(value: Value, place: Pick<PythonSource, 'onTarget'> = {}): ModuleFacts {
  const facts = value as Dict
  const reason = textOf(facts.get('reason') ?? null)
  const path = str(facts.get('path')!)
  return {
    path,
    file: str(facts.get('file')!),
    name: str(facts.get('name')!),
    aliases: ((facts.get('aliases') ?? []) as Value[]).map(str),
    doc: textOf(facts.get('doc') ?? null) ?? '',
    ...(reason !== undefined && { reason }),
    functions: new Map(
      [...(facts.get('functions') as Dict)].map(([name, own]) => [
        str(name),
        functionFacts({ path, ...place }, own as Dict),
      ]),
    ),
  }
}

function functionFacts(place: Omit<PythonSource, 'attr'>, facts: Dict): FunctionFacts {
  const outputter = textOf(facts.get('outputter') ?? null)
  return {
    origin: { ...place, attr: str(facts.get('attr')!) },
    doc: textOf(facts.get('doc') ?? null) ?? '',
    args: argsOf(facts.get('args') as Value[][]),
    calledAs: str(facts.get('called')!),
    ...(outputter !== undefined && { outputter }),
  }
}

/** Keyword-only parameters follow an open one, as in declarations. */
function argsOf(parameters: Value[][]): Args {
  const args: Record<string, Arg<unknown>> = {}
  let gathers = false
  for (const [name, kind, isKeywordOnly, ...fallback] of parameters) {
    if (isKeywordOnly && !gathers) {
      args[''] = { kind: 'rest', doc: '' }
      gathers = true
    }
    gathers ||= kind === 'rest'
    const shape = { kind: str(kind!) as Arg<unknown>['kind'], doc: '' }
    args[str(name!)] = fallback.length > 0 ? { ...shape, default: fallback[0]! } : shape
  }
  return args
}

/** Return bound arguments for Python, without those at their default. */
export function pythonArguments(
  declaration: Pick<FunctionDeclaration, 'args'>,
  bound: Readonly<Record<string, unknown>>,
): { args: Value[]; kwargs: Dict } {
  const args: Value[] = []
  const kwargs: Dict = new Map()
  const { positional } = signatureOf(declaration, '')
  const rest = Object.entries(declaration.args).find(([, { kind }]) => kind === 'rest')
  const gathered = rest ? (bound[rest[0]] as Value[]) : []
  let inOrder = true
  for (const [name, { kind, default: fallback }] of Object.entries(declaration.args)) {
    const value = bound[name] as Value
    if (kind === 'open') for (const [key, item] of bound[name] as Map<string, Value>) kwargs.set(key, item)
    else if (kind === 'rest') args.push(...gathered)
    else if (!positional.includes(name)) {
      if (value !== fallback) kwargs.set(name, value)
    } else if (inOrder && (gathered.length > 0 || value !== fallback)) args.push(value)
    else {
      inOrder = false
      if (value !== fallback) kwargs.set(name, value)
    }
  }
  return { args, kwargs }
}

/** The parts that declarations of every family share. */
export function declaredParts<D extends { args: Args }>(
  facts: FunctionFacts,
  rest: Omit<D, 'args' | 'doc' | 'calledAs'>,
): D {
  const { doc, args, calledAs, origin, outputter } = facts
  const declaration = { doc, args, calledAs, ...(outputter !== undefined && { outputter }), ...rest }
  setOrigin(declaration, origin)
  return declaration as unknown as D
}
