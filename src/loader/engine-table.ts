// Made by tools/plugin-table.ts; run it after an engine was added or removed.
import type { EngineDeclaration } from '../sdk/mod.ts'

export const engineTable: Readonly<Record<string, () => Promise<{ default: EngineDeclaration }>>> = {
  http_logstash: () => import('../library/messaging/logstash/http_logstash.engine.ts'),
  ircbot: () => import('../library/messaging/ircbot/engine.ts'),
  kubernetes: () => import('../library/containers/kubernetes/engine.ts'),
  logstash: () => import('../library/messaging/logstash/logstash.engine.ts'),
  reactor: () => import('../library/salt/engines/reactor.engine.ts'),
  script: () => import('../library/salt/engines/script.engine.ts'),
  stalekey: () => import('../library/salt/engines/stalekey.engine.ts'),
  test: () => import('../library/salt/engines/test.engine.ts'),
  thorium: () => import('../library/salt/engines/thorium.engine.ts'),
  webhook: () => import('../library/messaging/webhook/engine.ts'),
}
