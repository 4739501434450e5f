import { expect, test } from 'vitest'
import { MemoryHost } from '../../../host/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import ini from './state.ts'

test.each(['options_present', 'options_absent'])('ini.%s refuses sections that are no mapping', async (name) => {
  const host = await MemoryHost.with({ files: { '/c.ini': '[a]\nb=1\n' } })
  const applied = tryState(ini, name, { kwargs: { name: '/c.ini', sections: 'abc' }, host })
  await expect(applied).rejects.toThrow("'str' object has no attribute 'items'")
})
