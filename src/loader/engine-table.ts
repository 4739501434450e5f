// Made by tools/plugin-table.ts; run it after a engine was added or removed.
import type { EngineDeclaration } from '../sdk/mod.ts'

export const engineTable: Readonly<Record<string, () => Promise<{ default: EngineDeclaration }>>> = {
  http_logstash: () => import('../engines/http_logstash.ts'),
  ircbot: () => import('../engines/ircbot.ts'),
  logstash: () => import('../engines/logstash.ts'),
  reactor: () => import('../engines/reactor.ts'),
  script: () => import('../engines/script.ts'),
  stalekey: () => import('../engines/stalekey.ts'),
  test: () => import('../engines/test.ts'),
  thorium: () => import('../engines/thorium.ts'),
  webhook: () => import('../engines/webhook.ts'),
}
