// What an orchestration was asked to do.
import type { Value } from '../../../../data/mod.ts'

export interface Asked {
  mods: Value
  saltenv: Value
  test: Value
  exclude: Value
  pillar: Value
  pillarenv: Value
  pillar_enc: Value
  orchestration_jid: Value
  parallel: Value
}
