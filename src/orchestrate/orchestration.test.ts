import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Dict, dictFrom, SaltError } from '../data/mod.ts'
import { OrchestrationStore } from '../store/mod.ts'
import { Orchestration } from './orchestration.ts'

const JID = '20260101000000000001'

test('An orchestration returns its results when the other masters refuse its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orchestration-'))
  const store = new OrchestrationStore(join(folder, 'runs.db'))
  const logged: string[] = []
  try {
    const results = dictFrom({ 'salt_|-one_|-one_|-state': dictFrom({ result: true }) })
    const orchestration = new Orchestration(
      {
        opts: dictFrom({ id: 'master' }),
        jid: JID,
        user: 'root',
        log: (_: string, text: string) => void logged.push(text),
        function: async () => results,
        orchestrations: () => store,
      } as unknown as ConstructorParameters<typeof Orchestration>[0],
      async (change) => {
        if (change.get('what') === 'end') throw new SaltError('CommandExecutionError', 'Another master drives it')
      },
    )
    const request = { mods: 'deploy', saltenv: 'base', test: null, exclude: null, pillar: null, pillarenv: null }
    const ran = await orchestration.run({ ...request, pillar_enc: null, parallel: false, orchestration_jid: null })
    expect((ran.get('data') as Dict).get('master')).toBe(results)
    expect(store.run(JID)?.state).toBe('succeeded')
    expect(logged).toEqual([expect.stringContaining('Another master drives it')])
  } finally {
    store.close()
    rmSync(folder, { recursive: true })
  }
})
