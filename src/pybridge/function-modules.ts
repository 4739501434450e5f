// Users' own execution modules as modules of the registry.
import type { Value } from '../data/mod.ts'
import type { ModuleEntry, Registry } from '../loader/mod.ts'
import { answersOf, callPython, moduleFolders, type Scope, WorkerError } from '../python/mod.ts'
import type { FunctionContext, FunctionDeclaration, ModuleDeclaration } from '../sdk/mod.ts'
import { functionFamily, textAnswers } from './answers.ts'
import { declared, type FunctionFacts, type ModuleFacts, moduleFacts, pythonArguments } from './declare.ts'
import { factsOnTarget, placed, servedAs } from './places.ts'

/** What Python sees of a function's context. */
export function functionScope(ctx: FunctionContext): Scope {
  const { opts, grains, pillar, memory, log } = ctx
  return {
    opts,
    grains,
    pillar,
    memory,
    log,
    ending: ctx.host.ending,
    remote: ctx.host.remote,
    context: ctx,
    facts: new Map<Value, Value>([
      ['utils', moduleFolders(opts, 'utils')],
      ['progress', ctx.daemon?.progress !== undefined],
    ]),
    answers: answersOf(
      { function: functionFamily(ctx) },
      {
        ...textAnswers(ctx),
        progress: async ([index, value]) => (await ctx.daemon?.progress?.(Number(index), value!)) ?? null,
      },
    ),
  }
}

/** What the Python files are as modules of a family, each where it runs. */
export async function describeModules(scope: Scope, family: string, paths: readonly string[]): Promise<ModuleFacts[]> {
  const { here, onTarget } = await placed(scope, paths)
  const all = await describeHere(scope, family, here)
  for (const module of onTarget) all.push(await factsOnTarget(scope, family, module))
  return all
}

/**
 * What the Python files are as modules of a family. One that ends Python while it is read is told of and left out, and
 * without Python there are none.
 */
export async function describeHere(scope: Scope, family: string, paths: readonly string[]): Promise<ModuleFacts[]> {
  if (paths.length === 0) return []
  const what = `the loading of ${paths.length > 1 ? family : paths[0]}`
  try {
    const found = await callPython(scope, { method: 'load', params: [family, [...paths]], what })
    return (found as Value[]).map((facts) => moduleFacts(facts))
  } catch (error) {
    if (!(error instanceof WorkerError)) throw error
    if (error.code === 'PythonMissing' || paths.length === 1) {
      scope.log('error', error.message)
      return []
    }
  }
  const all: ModuleFacts[] = []
  for (const path of paths) all.push(...(await describeHere(scope, family, [path])))
  return all
}

function functionOf(name: string, facts: FunctionFacts): FunctionDeclaration {
  const { path, attr, onTarget } = facts.origin
  const declaration: FunctionDeclaration = declared<FunctionDeclaration>(facts, {
    effect: 'change',
    run: (ctx, bound) => {
      const { args, kwargs } = pythonArguments(declaration, bound)
      const params = ['modules', path, attr, args, kwargs]
      return callPython(functionScope(ctx), { method: 'call', params, what: name, onTarget })
    },
  })
  return declaration
}

export function moduleDeclaration(facts: ModuleFacts): ModuleDeclaration {
  const { file, name, doc, reason, functions } = facts
  return {
    name: file,
    doc,
    virtual: name,
    ...(reason !== undefined && { when: () => reason }),
    functions: Object.fromEntries([...functions].map(([fun, own]) => [fun, functionOf(`${name}.${fun}`, own)])),
  }
}

/** Entries by the names users call. */
export async function functionModules(registry: Registry, paths: readonly string[]): Promise<UserEntry<ModuleEntry>[]> {
  const scope = functionScope(registry.ctx)
  const { here, onTarget } = await placed(scope, paths)
  const known = (await describeHere(scope, 'modules', here)).flatMap((facts) => {
    const entry = { functions: [...facts.functions.keys()], load: async () => ({ default: moduleDeclaration(facts) }) }
    return [facts.name, ...facts.aliases].map((name) => ({ file: facts.file, name, entry }))
  })
  const later = onTarget.flatMap((module) =>
    module.names.map((name) => {
      const load = async () => ({ default: moduleDeclaration(await servedAs(scope, 'modules', module, name)) })
      return { file: module.file, name, entry: { functions: module.functions, load } }
    }),
  )
  return [...known, ...later]
}

/** A module of users' own: the name of its file, the name it serves, and its entry in a table. */
export interface UserEntry<Entry> {
  file: string
  name: string
  entry: Entry
}
