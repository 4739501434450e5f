import { describe, expect, it } from 'vitest'
import { masterDefaults, minionDefaults } from '../config/mod.ts'
import { type Dict, fromPlain } from '../data/mod.ts'
import {
  masterEndpoints,
  minionSettings,
  publisherOptions,
  requestClientOptions,
  subscriberOptions,
  warnOfIgnoredTls,
} from './from-options.ts'
import { trialKeys } from './trial.ts'

const set = (opts: Dict, changes: Record<string, unknown>): Dict =>
  new Map([...opts, ...(fromPlain(changes as never) as Dict)])

describe('options of a master', () => {
  it('say where it listens and how it publishes', () => {
    const opts = masterDefaults()
    expect(masterEndpoints(opts)).toEqual({
      requests: { host: '0.0.0.0', port: 4506 },
      publications: { host: '0.0.0.0', port: 4505 },
    })
    expect(publisherOptions(opts)).toMatchObject({
      highWaterMark: 1000,
      backlog: 1000,
      keepaliveIdle: 300,
      ssl: undefined,
      filtering: false,
    })
    const changed = set(opts, {
      tcp_keepalive: false,
      ssl: { certfile: 'c', keyfile: 'k' },
      zmq_filtering: true,
      order_masters: true,
    })
    expect(publisherOptions(changed)).toMatchObject({
      keepaliveIdle: false,
      ssl: { certfile: 'c', keyfile: 'k' },
      filtering: true,
      orderMasters: true,
    })
  })
})

describe('options of a minion', () => {
  it('say how it signs in', async () => {
    const [key] = await trialKeys()
    const opts = set(minionDefaults(), {
      id: 'm1',
      autosign_grains: ['role', 'none'],
      grains: { role: 'web' },
      __role: 'minion',
    })
    const settings = minionSettings(opts, key!)
    expect(settings).toMatchObject({
      id: 'm1',
      masterKeyFile: 'minion_master.pub',
      authTimeout: 5,
      authTries: 7,
      acceptanceWaitTime: 10,
      requireSignedPublications: undefined,
    })
    for (const sign of [true, false]) {
      expect(minionSettings(set(opts, { sign_pub_messages: sign }), key!).requireSignedPublications).toBe(sign)
    }
    expect(settings.autosignGrains).toEqual(
      new Map([
        ['role', 'web'],
        ['none', null],
      ]),
    )
    expect(minionSettings(set(opts, { __role: 'syndic' }), key!).masterKeyFile).toBe('syndic_master.pub')
  })

  it('say how it connects', () => {
    const opts = minionDefaults()
    expect(
      subscriberOptions(set(opts, { recon_randomize: false, recon_default: 100, recon_max: 1000 })).reconnectDelay?.(9),
    ).toBe(1000)
    expect(subscriberOptions(set(opts, { transport: 'tcp', tcp_reconnect_backoff: 2 })).reconnectDelay?.(9)).toBe(2000)
    const pause = (more: Record<string, unknown>): number => subscriberOptions(set(opts, more)).reconnectDelay!(20)
    for (const transport of ['zeromq', 'tcp', 'ws']) {
      expect(pause({ transport, __quick_reconnect: true })).toBeLessThanOrEqual(500)
      expect(pause({ transport, recon_default: 1500, tcp_reconnect_backoff: 1.5 })).toBeGreaterThanOrEqual(1500)
    }
    expect(requestClientOptions(set(opts, { source_ret_port: 5000, source_address: '127.0.0.1' }))).toMatchObject({
      sourcePort: 5000,
      sourceAddress: '127.0.0.1',
      maxConnections: 1,
    })
    expect(requestClientOptions(opts)).toMatchObject({ sourcePort: undefined, maxConnections: undefined })
  })
})

describe('the option ssl', () => {
  it.each([true, {}])('set to %j means TLS without an own certificate', (ssl) => {
    expect(requestClientOptions(set(minionDefaults(), { ssl })).ssl).toEqual({})
  })

  it.each([null, false])('set to %j asks for none', (ssl) => {
    expect(requestClientOptions(set(minionDefaults(), { ssl })).ssl).toBeUndefined()
  })

  it('is reported as without effect if the transport has no TLS', () => {
    const lines: string[] = []
    const log = (level: string, text: string): void => void lines.push(`${level}: ${text}`)
    const ssl = { certfile: 'c' }
    warnOfIgnoredTls(set(masterDefaults(), { ssl, transport: 'tcp' }), log)
    warnOfIgnoredTls(masterDefaults(), log)
    expect(lines).toEqual([])
    warnOfIgnoredTls(set(masterDefaults(), { ssl }), log)
    expect(lines.join()).toMatch(/^error: The option ssl has no effect with transport zeromq/)
  })
})
