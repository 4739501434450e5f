// How functions come to a run of states: the engine over the registry that asks, with pillar and options of the run.
import { namedLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, str, truthy, type Value } from '../data/mod.ts'
import { LocalFileClient } from '../fileserver/mod.ts'
import { type Registry, StateRegistry, type StateTable } from '../loader/mod.ts'
import { nameGrains, renderText } from '../render/mod.ts'
import type { StateRun, StateRunRequest, StepMemory } from '../sdk/mod.ts'
import type { StateTree } from './compile/tree.ts'
import { EngineRun } from './engine-run.ts'

export interface StateEngineParts {
  /** Those of the registry that asks, unless given. */
  table?: StateTable
  /** The file server as the options of the run see it. */
  tree(opts: Dict): StateTree
  masterTops?: (opts: Dict) => Promise<Dict>
  fireEvent?: (tag: string, data: Dict) => void | Promise<void>
  /** Where the run's steps are kept. */
  steps?: StepMemory | undefined
  /** Collects grains anew. */
  grains?: () => Promise<Dict>
}

export type OpenStates = (functions: Registry, request: StateRunRequest) => Promise<StateRun>

export function stateEngine(parts: StateEngineParts): OpenStates {
  return async (registry, request) => {
    const { opts } = request
    const { memory, host } = registry.ctx
    const grains = request.grains ?? registry.ctx.grains
    nameGrains(grains)
    const log = namedLog(request.log ?? registry.ctx.log, 'salt.state')
    const gather = (): Promise<Dict> => pillarOf(registry, request)
    const pillar = await gather()
    const functions: Registry = registry.with({
      opts,
      grains,
      pillar,
      memory: new Map(memory),
      ...(request.ownRoots && opts.get('file_client') === 'local' && { files: new LocalFileClient(opts, host, log) }),
      masked: false,
      render: async ({ text, ...context }) =>
        (await renderText(text, { ...context, opts, grains, pillar, functions, log })).value,
    })
    return new EngineRun({
      opts,
      grains,
      pillar,
      functions,
      states: new StateRegistry(await tableOf(parts, registry, request), { opts, grains, host: functions.ctx.host }),
      log,
      jid: request.jid ?? null,
      mocked: request.mocked ?? false,
      tree: parts.tree(opts),
      fireEvent: parts.fireEvent,
      steps: parts.steps,
      refreshGrains: parts.grains,
      refreshPillar: gather,
      masterTops: parts.masterTops && (() => parts.masterTops!(opts)),
    })
  }
}

async function tableOf(parts: StateEngineParts, registry: Registry, { family }: StateRunRequest): Promise<StateTable> {
  if (family === 'thorium') return (await import('../pybridge/mod.ts')).thoriumStates(registry)
  return parts.table ?? registry.stateTable
}

/** The pillar in memory serves a command that has just compiled it; every other run compiles it anew. */
async function pillarOf(
  { ctx }: Registry,
  { opts, pillar = null, pillarEncoding = null }: StateRunRequest,
): Promise<Dict> {
  const pillarenv = option(opts, 'pillarenv')
  const isSame = pillarenv === option(ctx.opts, 'pillarenv')
  const override = isDict(pillar) ? pillar : null
  if (opts.get('__cli') === 'salt-call' && isSame && !truthy(override ?? null)) return ctx.pillar
  return ctx.freshPillar({
    pillarenv: text(pillarenv),
    override,
    overrideEncoding: text(pillarEncoding),
  })
}

const text = (value: Value): string | null => (truthy(value) ? str(value) : null)
