// Opens a run of states for functions: the engine over the caller's registry, with pillar and options of the run.
import { namedLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, str, truthy, type Value } from '../data/mod.ts'
import { type LoadOwnBackends, LocalFileClient } from '../fileserver/mod.ts'
import { type Registry, StateRegistry, type StateTable } from '../loader/mod.ts'
import { nameGrains, renderForFunction } from '../render/mod.ts'
import type { StateRun, StateRunRequest, StepMemory } from '../sdk/mod.ts'
import type { StateTree } from './compile/tree.ts'
import { EngineRun } from './engine-run.ts'
import { applyMasterOptions } from './master-options.ts'

export interface StateEngineParts {
  /** The states. Default: those of the caller's registry. */
  table?: StateTable
  /** The file server as the options of the run see it. */
  tree(opts: Dict): StateTree
  masterTops?: (opts: Dict) => Promise<Dict>
  /** Ask the master for its options about states. */
  masterOptions?: () => Promise<Value>
  fireEvent?: (tag: string, data: Dict) => void | Promise<void>
  /** The step store of the run. */
  steps?: StepMemory | undefined
  /** Collect the grains again. */
  grains?: () => Promise<Dict>
}

export type OpenStates = (functions: Registry, request: StateRunRequest) => Promise<StateRun>

const loadOwn: LoadOwnBackends = async () => (await import('../pybridge/mod.ts')).ownBackends

export function stateEngine(parts: StateEngineParts): OpenStates {
  return async (registry, request) => {
    const { opts } = request
    const { memory, host } = registry.ctx
    const grains = request.grains ?? registry.ctx.grains
    nameGrains(grains)
    const log = namedLog(request.log ?? registry.ctx.log, 'salt.state')
    const gather = (): Promise<Dict> => pillarOf(registry, request)
    const isOfMaster = parts.masterOptions !== undefined && !request.ownRoots
    const [pillar, sent] = await Promise.all([gather(), isOfMaster ? parts.masterOptions!() : null])
    applyMasterOptions(opts, sent)
    const functions: Registry = registry.with({
      opts,
      grains,
      pillar,
      memory: new Map(memory),
      ...(request.ownRoots &&
        opts.get('file_client') === 'local' && { files: new LocalFileClient(opts, host, log, host, loadOwn) }),
      masked: false,
      render: async (asked) =>
        (await renderForFunction(host, { ...asked, opts, grains, pillar, functions, log })).value,
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
