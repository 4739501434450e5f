import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { minionBusPaths } from '../bus/mod.ts'
import { minionConfig } from '../config/mod.ts'
import { Minion } from './minion.ts'

test('a minion that is closed while it opens leaves nothing open', async () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-minion-'))
  const path = join(root, 'minion')
  writeFileSync(path, JSON.stringify({ root_dir: root, id: 'm1', master: '127.0.0.1', master_port: 1 }))
  const opts = await minionConfig({ path })
  const minion = new Minion(opts, silentLog)
  const opening = minion.open()
  await minion.close()
  await expect(opening).rejects.toThrow('closed while it opened')
  expect(existsSync(minionBusPaths(opts).pub)).toBe(false)
  rmSync(root, { recursive: true })
})
