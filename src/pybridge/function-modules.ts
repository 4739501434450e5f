// Users' own execution modules as modules of the registry.
import { option } from '../config/mod.ts'
import type { Value } from '../data/mod.ts'
import type { ModuleEntry, Registry } from '../loader/mod.ts'
import { answersOf, callPython, type ModuleFile, moduleFolders, moduleText, type Scope } from '../python/mod.ts'
import type { FunctionContext, FunctionDeclaration, ModuleDeclaration } from '../sdk/mod.ts'
import { functionFamily, proxyFamilies, serializerFamily, textAnswers } from './answers.ts'
import { declaredParts, type FunctionFacts, type ModuleFacts, pythonArguments } from './declare.ts'
import { describeHere } from './describe.ts'
import { isListed } from './family-files.ts'
import { placed, servedAs } from './places.ts'
import { resourceFact, resourceFamilies } from './resource-facts.ts'

/** Return a function's context for Python. */
export function functionScope(ctx: FunctionContext): Scope {
  const { opts, grains, pillar, memory, log } = ctx
  return {
    opts,
    grains,
    pillar,
    memory,
    log,
    proxyMemory: ctx.proxy?.memory,
    ending: ctx.host.ending,
    remote: ctx.host.remote,
    context: ctx,
    facts: new Map<Value, Value>([
      ['utils', moduleFolders(opts, 'utils')],
      ['progress', ctx.daemon?.progress !== undefined],
      ['proxymodule', option(opts, 'add_proxymodule_to_opts')],
      ...resourceFact(opts),
    ]),
    answers: answersOf(
      {
        function: functionFamily(ctx),
        serializer: serializerFamily(ctx),
        ...proxyFamilies(ctx),
        ...resourceFamilies(opts),
      },
      {
        ...textAnswers(ctx),
        progress: async ([index, value]) => (await ctx.daemon?.progress?.(Number(index), value!)) ?? null,
      },
    ),
  }
}

function functionOf(name: string, facts: FunctionFacts): FunctionDeclaration {
  const { path, attr, onTarget } = facts.origin
  const declaration: FunctionDeclaration = declaredParts<FunctionDeclaration>(facts, {
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
export async function functionModules(
  registry: Registry,
  files: readonly ModuleFile[],
): Promise<UserEntry<ModuleEntry>[]> {
  const scope = functionScope(registry.ctx)
  const { here, onTarget } = await placed(
    scope,
    files.filter((file) => !isListed(file)),
  )
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
  return [...files.filter(isListed).flatMap((file) => listedModules(scope, file)), ...known, ...later]
}

/** The entries of a module of an extension, which is loaded when a function of it is used. */
const listedModules = (scope: Scope, file: ModuleFile): UserEntry<ModuleEntry>[] =>
  listedEntries(scope, 'modules', file, ({ functions }, load) => ({
    functions,
    load: async () => ({ default: moduleDeclaration(await load()) }),
  }))

/**
 * Return entries for the names in the text of a module; an entry with another name than the module's is not available.
 */
export function listedEntries<Entry>(
  scope: Scope,
  family: string,
  file: ModuleFile,
  entryOf: (text: { functions: readonly string[] }, load: () => Promise<ModuleFacts>) => Entry,
): UserEntry<Entry>[] {
  const { name: stem, path } = file
  const text = moduleText(path, stem)
  return text.names.map((name) => {
    const load = async (): Promise<ModuleFacts> => {
      const nothing = { path, file: stem, name, aliases: [], doc: '', reason: '', functions: new Map() }
      const [facts = nothing] = await describeHere(scope, family, [file])
      if (facts.reason !== undefined || [facts.name, ...facts.aliases].includes(name)) return facts
      return { ...facts, reason: `it serves as ${facts.name}` }
    }
    return { file: stem, name, entry: entryOf(text, load) }
  })
}

/** A module of users' own: the name of its file, the name it serves, and its entry in a table. */
export interface UserEntry<Entry> {
  file: string
  name: string
  entry: Entry
}
