import { describe, expect, it } from 'vitest'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import module from './module.ts'

/** A minion with a file that no pause may reach. */
async function machine(): Promise<MemoryHost> {
  const host = new MemoryHost()
  await host.makeDirectory('/var/cache/salt/minion/state_pause', { parents: true })
  await host.makeDirectory('/etc', { parents: true })
  await host.write('/etc/secret', 'kept')
  return host
}

describe('A job id that leads out of the directory of pauses', () => {
  const jid = '../../../../../etc/secret'
  it.each([
    ['pause', [jid]],
    ['resume', [jid]],
    ['soft_kill', [jid]],
    ['get_pauses', [jid]],
  ])('is refused by state.%s', async (name, args) => {
    const host = await machine()
    const opts = new Map([['cachedir', '/var/cache/salt/minion']])
    await expect(tryFunction(module, name, { args, host, opts })).rejects.toThrow('is not the name of a file')
    expect(Buffer.from(await host.read('/etc/secret')).toString()).toBe('kept')
  })
})
