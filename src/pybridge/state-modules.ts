// Users' own state modules as modules of the state registry, with the hooks they offer to the engine.
import { type Dict, truthy, type Value } from '../data/mod.ts'
import type { Registry, StateEntry } from '../loader/mod.ts'
import { answersOf, callPython, moduleFolders, type Scope } from '../python/mod.ts'
import { type StateContext, type StateDeclaration, type StateFunction, stateHooks } from '../sdk/mod.ts'
import { functionFamily, stateFamily, textAnswers } from './answers.ts'
import { declared, type FunctionFacts, type ModuleFacts, pythonArguments } from './declare.ts'
import { describeModules, functionScope, type UserEntry } from './function-modules.ts'

/** Functions that the engine calls itself. */
const HOOKS: ReadonlySet<string> = new Set(['mod_init', 'mod_aggregate', 'mod_run_check', 'mod_run_check_cmd'])

function stateScope(ctx: StateContext): Scope {
  const { opts, grains, pillar, memory, log, low, running, env, instanceId } = ctx
  return {
    opts,
    grains,
    pillar,
    memory,
    log,
    ending: ctx.host.ending,
    facts: new Map<Value, Value>([
      ['utils', moduleFolders(opts, 'utils')],
      ['low', low],
      ['running', running],
      ['env', env],
      ['instance_id', instanceId],
      ['opts_over', new Map([['test', ctx.test]])],
    ]),
    answers: answersOf({ function: functionFamily(ctx), state: stateFamily(ctx) }, textAnswers(ctx)),
  }
}

function call(ctx: StateContext, facts: FunctionFacts, what: string, args: Value[], kwargs: Dict = new Map()) {
  const { path, attr } = facts.origin
  return callPython(stateScope(ctx), { method: 'call', params: ['states', path, attr, args, kwargs], what })
}

function stateOf(name: string, facts: FunctionFacts): StateFunction {
  const declaration: StateFunction = declared<StateFunction>(facts, {
    run: async (ctx, bound) => {
      const { args, kwargs } = pythonArguments(declaration, bound)
      return (await call(ctx, facts, name, args, kwargs)) as Dict
    },
  })
  return declaration
}

function hooksOf({ name, functions }: ModuleFacts): Partial<StateDeclaration> {
  const init = functions.get('mod_init')
  const aggregate = functions.get('mod_aggregate')
  return {
    ...(init && { modInit: async (ctx, low) => truthy(await call(ctx, init, `${name}.mod_init`, [low])) }),
    ...(aggregate && {
      modAggregate: async (ctx, low, chunks, running) =>
        (await call(ctx, aggregate, `${name}.mod_aggregate`, [low, [...chunks], running])) as Dict,
    }),
    ...(functions.has('mod_run_check') && { ownChecks: true }),
    ...(functions.has('mod_run_check_cmd') && { ownCheckCmd: true }),
  }
}

export function stateDeclaration(facts: ModuleFacts): StateDeclaration {
  const { file, name, doc, reason, functions } = facts
  const own = [...functions].filter(([fun]) => !HOOKS.has(fun))
  return {
    name: file,
    doc,
    virtual: name,
    ...(reason !== undefined && { when: () => reason }),
    functions: Object.fromEntries(own.map(([fun, more]) => [fun, stateOf(`${name}.${fun}`, more)])),
    ...hooksOf(facts),
  }
}

export async function stateModules(registry: Registry, paths: readonly string[]): Promise<UserEntry<StateEntry>[]> {
  const all = await describeModules(functionScope(registry.ctx), 'states', paths)
  return all.map((facts) => {
    const declaration = stateDeclaration(facts)
    const entry: StateEntry = {
      functions: Object.keys(declaration.functions),
      hooks: stateHooks(declaration),
      load: async () => ({ default: declaration }),
    }
    return { file: facts.file, name: facts.name, entry }
  })
}
