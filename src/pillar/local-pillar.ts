// Pillar of a minion without a master: compiled by the minion itself, from its own options and files. Gives functions
// their fresh pillar, and the answer to where a value comes from.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, str, truthy, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { Registry } from '../loader/mod.ts'
import type { FunctionContext, PillarRequest } from '../sdk/mod.ts'
import { type CompiledPillar, compilePillar, type PillarInput, readPillarTop } from './compile.ts'
import { decryptOverride } from './decrypt.ts'
import type { ReadTop } from './top.ts'

export interface LocalPillarInput extends Pick<PillarInput, 'extPillars' | 'renderers' | 'isMember' | 'isForMinion'> {
  opts: Dict
  grains: Dict
  host: Host
  /** The functions of templates; they see the pillar so far. */
  registry: Registry
  log?: Log
}

/** The parts of a registry that answer pillar requests. */
export type PillarAnswers = Required<Pick<FunctionContext, 'freshPillar' | 'pillarOrigins'>>

export class LocalPillar implements PillarAnswers {
  private readonly input: LocalPillarInput

  constructor(input: LocalPillarInput) {
    this.input = input
  }

  /** The environment of the file server counts for the first pillar alone, as in Salt. */
  readonly freshPillar = async (request: PillarRequest): Promise<Dict> => (await this.compile(request, null)).pillar

  readonly pillarOrigins: PillarAnswers['pillarOrigins'] = async (path, request) =>
    (await this.compile(request, null)).origins(path)

  async compile(
    request: Partial<PillarRequest> = {},
    saltenv: Value = option(this.input.opts, 'saltenv'),
  ): Promise<CompiledPillar> {
    return compilePillar(await this.compilation(request, saltenv))
  }

  /** The top data alone. */
  async top(saltenv: Value): Promise<ReadTop> {
    return readPillarTop(await this.compilation({}, saltenv))
  }

  private async compilation(request: Partial<PillarRequest>, saltenv: Value): Promise<PillarInput> {
    const { opts, grains, host, registry, log = () => {}, isForMinion = false } = this.input
    const { extPillars, renderers, isMember } = this.input
    const override = request.override ?? null
    const encoding = request.overrideEncoding ?? null
    if (override !== null && encoding !== null)
      await decryptOverride(override, encoding, { opts, functions: registry, log })
    return {
      opts,
      grains,
      host,
      minionId: option(opts, 'id'),
      saltenv: truthy(saltenv) ? str(saltenv) : null,
      pillarenv: request.pillarenv ?? null,
      override,
      ext: request.ext ?? null,
      extraMinionData: request.extraMinionData ?? null,
      functions: (own, pillar) => this.functions(own, pillar),
      ...(extPillars && { extPillars }),
      ...(renderers && { renderers }),
      ...(isMember && { isMember }),
      isForMinion,
      log,
    }
  }

  /** Templates see values unmasked. */
  private functions(opts: Dict, pillar: Dict): Registry {
    const { grains, registry, log } = this.input
    const own: Registry = registry.with({
      opts,
      pillar,
      masked: false,
      render: async ({ text, ...request }) => {
        const context = { ...request, opts, grains, pillar, functions: own, ...(log && { log }) }
        const { renderText } = await import('../render/mod.ts')
        return (await renderText(text, context)).value
      },
    })
    return own
  }
}
