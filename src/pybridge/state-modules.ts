// Users' own state modules as modules of the state registry, with their hooks for the engine.
import { type Dict, truthy, type Value } from '../data/mod.ts'
import type { Registry, StateEntry } from '../loader/mod.ts'
import { answersOf, callPython, type ModuleFile, moduleFolders, type Scope } from '../python/mod.ts'
import { type StateContext, type StateDeclaration, type StateFunction, stateHooks } from '../sdk/mod.ts'
import { functionFamily, serializerFamily, stateFamily, textAnswers } from './answers.ts'
import { declaredParts, type FunctionFacts, type ModuleFacts, pythonArguments } from './declare.ts'
import { describeHere } from './describe.ts'
import { isListed } from './family-files.ts'
import { functionScope, listedEntries, type UserEntry } from './function-modules.ts'
import { placed, servedAs, type TargetModule } from './places.ts'

/** Functions that the engine calls itself. */
const HOOKS: ReadonlySet<string> = new Set(['mod_init', 'mod_aggregate', 'mod_run_check', 'mod_run_check_cmd'])

export function stateScope(ctx: StateContext): Scope {
  const { opts, grains, pillar, memory, log, low, running, env, instanceId } = ctx
  return {
    opts,
    grains,
    pillar,
    memory,
    log,
    ending: ctx.host.ending,
    remote: ctx.host.remote,
    facts: new Map<Value, Value>([
      ['utils', moduleFolders(opts, 'utils')],
      ['low', low],
      ['running', running],
      ['env', env],
      ['instance_id', instanceId],
      ['opts_over', new Map([['test', ctx.test]])],
    ]),
    answers: answersOf(
      { function: functionFamily(ctx), serializer: serializerFamily(ctx), state: stateFamily(ctx) },
      textAnswers(ctx),
    ),
  }
}

interface StateCall {
  what: string
  args: Value[]
  kwargs?: Dict
}

/** Calls a function of a family of states. */
export type StateInvoker = (ctx: StateContext, facts: FunctionFacts, call: StateCall) => Promise<Value>

const callState: StateInvoker = (ctx, { origin }, { what, args, kwargs = new Map() }) => {
  const params = ['states', origin.path, origin.attr, args, kwargs]
  return callPython(stateScope(ctx), { method: 'call', params, what, onTarget: origin.onTarget })
}

function stateOf(name: string, facts: FunctionFacts, call: StateInvoker): StateFunction {
  const declaration: StateFunction = declaredParts<StateFunction>(facts, {
    run: async (ctx, bound) => {
      const { args, kwargs } = pythonArguments(declaration, bound)
      return (await call(ctx, facts, { what: name, args, kwargs })) as Dict
    },
  })
  return declaration
}

function hooksOf({ name, functions }: ModuleFacts, call: StateInvoker): Partial<StateDeclaration> {
  const init = functions.get('mod_init')
  const aggregate = functions.get('mod_aggregate')
  return {
    ...(init && {
      modInit: async (ctx, low) => truthy(await call(ctx, init, { what: `${name}.mod_init`, args: [low] })),
    }),
    ...(aggregate && {
      modAggregate: async (ctx, low, chunks, running) =>
        (await call(ctx, aggregate, { what: `${name}.mod_aggregate`, args: [low, [...chunks], running] })) as Dict,
    }),
    ...(functions.has('mod_run_check') && { ownChecks: true }),
    ...(functions.has('mod_run_check_cmd') && { ownCheckCmd: true }),
  }
}

export function stateDeclaration(facts: ModuleFacts, call: StateInvoker = callState): StateDeclaration {
  const { file, name, doc, reason, functions } = facts
  const own = [...functions].filter(([fun]) => !HOOKS.has(fun))
  return {
    name: file,
    doc,
    virtual: name,
    ...(reason !== undefined && { when: () => reason }),
    functions: Object.fromEntries(own.map(([fun, more]) => [fun, stateOf(`${name}.${fun}`, more, call)])),
    ...hooksOf(facts, call),
  }
}

export async function stateModules(registry: Registry, files: readonly ModuleFile[]): Promise<UserEntry<StateEntry>[]> {
  const scope = functionScope(registry.ctx)
  const { here, onTarget } = await placed(
    scope,
    files.filter((file) => !isListed(file)),
  )
  const known = (await describeHere(scope, 'states', here)).map((facts) => ({
    file: facts.file,
    name: facts.name,
    entry: stateEntry(stateDeclaration(facts)),
  }))
  const later = onTarget.flatMap((module) => module.names.map((name) => laterEntry(scope, module, name)))
  return [...files.filter(isListed).flatMap((file) => listedStates(scope, file)), ...known, ...later]
}

/** The entries of a module of an extension, which is loaded when a state of it is used. */
const listedStates = (scope: Scope, file: ModuleFile): UserEntry<StateEntry>[] =>
  listedEntries(scope, 'states', file, ({ functions }, load) => ({
    functions: functions.filter((fun) => !HOOKS.has(fun)),
    hooks: functions.filter((fun) => HOOKS.has(fun)),
    load: async () => ({ default: stateDeclaration(await load()) }),
  }))

/** The entry of a module that is loaded on the target when a state of it is used. */
function laterEntry(scope: Scope, module: TargetModule, name: string): UserEntry<StateEntry> {
  const load = async () => ({ default: stateDeclaration(await servedAs(scope, 'states', module, name)) })
  const functions = module.functions.filter((fun) => !HOOKS.has(fun))
  const hooks = module.functions.filter((fun) => HOOKS.has(fun))
  return { file: module.file, name, entry: { functions, hooks, load } }
}

export const stateEntry = (declaration: StateDeclaration): StateEntry => ({
  functions: Object.keys(declaration.functions),
  hooks: stateHooks(declaration),
  load: async () => ({ default: declaration }),
})
