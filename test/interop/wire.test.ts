// Real Salt on the other end of the wire: its minion signs in at our channel and answers our publications, and our
// minion's channel works with its master.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Dict, Value } from '../../src/data/mod.ts'
import { MasterChannel, openTransport, PrivateAnswer, PublicationReceiver } from '../../src/wire/mod.ts'
import { trialKeys, WireTrial } from '../../src/wire/trial.ts'
import { freePort } from '../free-port.ts'
import { canImport, SALT_TREE, SaltSite } from './salt.ts'

const MINUTE = 60_000
/** Salt's own WebSockets need a package that may be missing. */
const webSockets = canImport('aiohttp') ? ['ws'] : []
let site: SaltSite
const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
  await site.stop()
})

/** Over ZeroMQ a master of 3007 that wants signatures turns its own programs away. */
const looksAtSignatures = (transport: string): boolean => transport !== 'zeromq' || canImport('salt.resources')

const job = (fun: string, jid: string, arg: Value[] = []): Dict =>
  new Map<Value, Value>([
    ['fun', fun],
    ['arg', arg],
    ['tgt', 'real'],
    ['jid', jid],
    ['ret', ''],
    ['tgt_type', 'glob'],
    ['user', 'root'],
  ])

describe.runIf(SALT_TREE)('a real minion', () => {
  it.each(['zeromq', 'tcp', ...webSockets])(
    'signs in over %s, runs jobs, and follows a new key',
    { timeout: 3 * MINUTE },
    async (transport) => {
      site = new SaltSite()
      const seen: Dict[] = []
      const trial = await WireTrial.start({
        transport,
        channel: {
          policy: { autoSign: () => true },
          handlers: {
            clear: (load) => load,
            aes: (load, { id }) => {
              seen.push(load)
              return load.get('cmd') === '_pillar' ? new PrivateAnswer('pillar', id, { role: 'web' }) : null
            },
          },
        },
      })
      ends.push(() => trial.stop())
      const port = (endpoint: object): number => (endpoint as { port: number }).port
      const conf = site.configure('minion', {
        id: 'real',
        master: '127.0.0.1',
        transport,
        master_port: port(trial.listener.endpoint),
        publish_port: port(trial.publisher.endpoint),
        sign_pub_messages: true,
      })
      site.start('salt-minion', conf)
      await vi.waitFor(() => expect(seen.map((load) => load.get('tag'))).toContain('salt/minion/real/start'), MINUTE)
      const returned = async (jid: string): Promise<Value | undefined> => {
        const found = await vi.waitFor(() => {
          const load = seen.find((load) => load.get('cmd') === '_return' && load.get('jid') === jid)
          expect(load).toBeDefined()
          return load!
        }, MINUTE)
        return found.get('return')
      }
      await trial.publications.publish(job('test.echo', '20260101000000000001', ['hällo']))
      expect(await returned('20260101000000000001')).toBe('hällo')
      await trial.publications.publish(job('pillar.ls', '20260101000000000002'))
      expect(await returned('20260101000000000002')).toEqual(['role'])
      trial.secret.rotate()
      await trial.publications.publish(job('test.ping', '20260101000000000003'))
      expect(await returned('20260101000000000003')).toBe(true)
    },
  )
})

describe.runIf(SALT_TREE)('a real master', () => {
  it.each(['zeromq', 'tcp', ...webSockets])(
    'accepts our minion over %s, serves it, and hears its returns',
    { timeout: 3 * MINUTE },
    async (name) => {
      site = new SaltSite()
      const [requestPort, publishPort] = [await freePort(), await freePort()]
      const files = join(site.directory, 'srv')
      mkdirSync(files)
      writeFileSync(join(files, 'hello.txt'), 'hello\n')
      writeFileSync(join(files, 'top.sls'), "base: {'*': [app]}")
      writeFileSync(join(files, 'app.sls'), 'role: web')
      const conf = site.configure('master', {
        interface: '127.0.0.1',
        ret_port: requestPort,
        publish_port: publishPort,
        auto_accept: true,
        worker_threads: 2,
        transport: name,
        // with pools Salt answers nothing but over ZeroMQ
        worker_pools_enabled: name === 'zeromq',
        // without it Salt's master cannot check signatures
        signing_algorithm: 'PKCS1v15-SHA1',
        ...(looksAtSignatures(name) && { require_minion_sign_messages: true, drop_messages_signature_fail: true }),
        file_roots: { base: [files] },
        pillar_roots: { base: [files] },
      })
      site.start('salt-master', conf)
      const [, key] = await trialKeys()
      const transport = await openTransport(name)
      const client = transport.connect({ host: '127.0.0.1', port: requestPort })
      const settings = {
        id: 'ours',
        key: key!,
        pkiDir: join(site.directory, 'ours'),
        authTimeout: (2 * MINUTE) / 1000,
        authTries: 1,
        requireSignedPublications: true,
        signMessages: true,
      }
      const channel = new MasterChannel({ client, settings })
      ends.push(() => channel.close())
      const credentials = await channel.authenticate()
      expect(credentials.publishPort).toBe(publishPort)
      const send = (entries: Record<string, unknown>) => channel.send(new Map(Object.entries(entries)))
      const file = (await send({ cmd: '_serve_file', path: 'hello.txt', saltenv: 'base', loc: 0 })) as Dict
      expect(file.get('data')).toBe('hello\n')
      const request = {
        cmd: '_pillar',
        grains: { id: 'ours' },
        saltenv: 'base',
        pillarenv: null,
        pillar_override: {},
        extra_minion_data: {},
        ver: '2',
      }
      expect(await channel.sendPrivate(new Map(Object.entries(request)))).toEqual(new Map([['role', 'web']]))
      const connected = new Promise<void>((resolve) => {
        const receiver = new PublicationReceiver({
          channel,
          transport,
          endpoint: { host: '127.0.0.1', port: publishPort },
          onConnect: resolve,
          onLoad: async (load) => {
            const [jid, fun] = [load.get('jid'), load.get('fun')]
            await send({
              cmd: '_return',
              id: 'ours',
              jid,
              fun,
              fun_args: load.get('arg'),
              return: 'ours',
              retcode: 0,
              success: true,
            })
          },
        })
        ends.push(() => receiver.close())
      })
      await connected
      const words = ['-c', conf, '--out=json', '-t', '30', 'ours', 'test.ping']
      await vi.waitFor(async () => expect(await site.run('salt', words)).toContain('"ours": "ours"'), MINUTE)
    },
  )
})
