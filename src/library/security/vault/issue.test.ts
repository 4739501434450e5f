import { expect, test } from 'vitest'
import { type Dict, fromPlain } from '../../../data/mod.ts'
import type { VaultAccess } from './access.ts'
import { readConfig } from './config.ts'
import { Issuer } from './issue.ts'

test.each(['root', 'ROOT', ' root ', 'root\u00a0'])(
  'No grain makes a minion an administrator: %j, which Vault reads as root',
  async (role) => {
    const config = readConfig(
      fromPlain({
        server: { url: 'http://127.0.0.1:1' },
        auth: { method: 'token', token: 'x' },
        policies: { assign: ['{grains[role]}', ' Web '] },
      }),
    )
    const lines: string[] = []
    const parts = { log: (_: string, text: string) => void lines.push(text) }
    const minion = { id: 'web1', grains: fromPlain({ role }) as Dict, pillar: async () => new Map() }
    const issuer = new Issuer({ parts } as unknown as VaultAccess, config, minion, { jid: '1', user: 'root' })
    expect(await issuer.freshPolicies()).toEqual(['web'])
    expect(lines).toEqual([expect.stringContaining("became 'root' for web1 and is left out")])
  },
)
