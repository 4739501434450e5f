// A client of the library for tests, beside a machine and without a loader.
import { silentLog } from '../../src/base/mod.ts'
import type { Value } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { httpClient } from '../../src/http/mod.ts'
import { KubernetesClient } from '../../src/library/containers/kubernetes/client/client.ts'
import type { Surroundings } from '../../src/library/containers/kubernetes/client/settings.ts'

/** Return the surroundings of a client. Environment variables of the machine are ignored. */
export function surroundings(
  env: Readonly<Record<string, string>> = {},
  options: Readonly<Record<string, Value>> = {},
): Surroundings {
  const host = new LocalHost()
  const ownEnv = Object.assign(Object.create(host) as LocalHost, {
    env: async () => new Map(Object.entries({ PATH: process.env['PATH'] ?? '', ...env })),
  })
  return {
    host: ownEnv,
    http: httpClient(host, new Map()),
    log: silentLog,
    memory: new Map(),
    call: (async (_name: string, [key, usual]: readonly Value[]) =>
      options[String(key)] ?? usual) as Surroundings['call'],
  }
}

export const clientFor = (
  settings: Readonly<Record<string, Value>>,
  ctx: Surroundings = surroundings(),
): Promise<KubernetesClient> => KubernetesClient.open(ctx, new Map(Object.entries(settings)))

// biome-ignore lint/suspicious/noExplicitAny: tests read objects of any shape
export type AnyObject = any
