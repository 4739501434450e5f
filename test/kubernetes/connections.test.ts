// Connections to API servers: kubeconfig files, certificates, tokens, credential plug-ins, proxies, retries, watches,
// and the followers of events.
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { httpClient } from '../../src/http/mod.ts'
import beacon from '../../src/library/containers/kubernetes/beacon.ts'
import engine from '../../src/library/containers/kubernetes/engine.ts'
import { moduleTable, Registry } from '../../src/loader/mod.ts'
import { resourceTypes } from '../../src/minion/resources/types.ts'
import type { BeaconContext, EngineContext } from '../../src/sdk/mod.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { ApiServer } from './api-server.ts'
import { clientFor, surroundings } from './client.ts'

let folder: string
let secure: ApiServer
let plain: ApiServer
const file = (name: string): string => join(folder, name)
const tokens = new Map([
  ['token-of-ann', 'ann'],
  ['token-of-the-plugin', 'plugin'],
])

const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })

/** Make an authority, and a certificate of it. */
function certificates(): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=test authority')
  for (const [name, subject] of [
    ['server', '/CN=localhost'],
    ['client', '/O=admins/CN=carol'],
  ] as const) {
    writeFileSync(file(`${name}.ext`), 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:cluster.example.org')
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject)
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-out',
      `${name}.crt`,
      '-days',
      '2',
      '-extfile',
      `${name}.ext`,
    )
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'brine-kubernetes-'))
  certificates()
  const read = (name: string): Buffer => readFileSync(file(name))
  secure = await ApiServer.start({
    tls: { cert: read('server.crt'), key: read('server.key'), ca: read('ca.crt') },
    tokens,
    exec: { folder },
  })
  secure.put('pods', 'web', { spec: { containers: [{ name: 'main', image: 'busybox' }] } }, 'default')
  plain = await ApiServer.start()
})
afterAll(async () => {
  await secure.stop()
  await plain.stop()
  rmSync(folder, { recursive: true })
})

const encoded = (name: string): string => readFileSync(file(name)).toString('base64')

/** Write a kubeconfig with one cluster and one user. */
function kubeconfig(
  user: object,
  cluster: object = { 'certificate-authority': 'ca.crt' },
  name = 'kubeconfig',
): string {
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [
      { name: 'here', context: { cluster: 'here', user: 'me' } },
      { name: 'other', context: { cluster: 'other', user: 'me' } },
    ],
    clusters: [
      { name: 'here', cluster: { server: secure.url, ...cluster } },
      { name: 'other', cluster: { server: plain.url } },
    ],
    users: [{ name: 'me', user }],
  }
  writeFileSync(file(name), JSON.stringify(content))
  return file(name)
}

const namespaces = async (settings: Record<string, Value>, options: Record<string, Value> = {}): Promise<string[]> => {
  const { items } = await (await clientFor(settings, surroundings({}, options))).list('/api/v1/namespaces')
  return items.map((item) => (item.get('metadata') as Dict).get('name') as string)
}

const FOUND = ['default', 'kube-system']

describe('an API server is reached', () => {
  test('with a client certificate in files beside the kubeconfig', async () => {
    expect(
      await namespaces({ kubeconfig: kubeconfig({ 'client-certificate': 'client.crt', 'client-key': 'client.key' }) }),
    ).toEqual(FOUND)
  })

  test('with certificates in the kubeconfig, which is given as base64', async () => {
    const path = kubeconfig(
      { 'client-certificate-data': encoded('client.crt'), 'client-key-data': encoded('client.key') },
      { 'certificate-authority-data': encoded('ca.crt') },
    )
    expect(await namespaces({ kubeconfig_data: readFileSync(path).toString('base64') })).toEqual(FOUND)
  })

  test('with a token, and with the token of a file as it is now', async () => {
    expect(await namespaces({ kubeconfig: kubeconfig({ token: 'token-of-ann' }) })).toEqual(FOUND)
    writeFileSync(file('token'), 'wrong')
    const path = kubeconfig({ tokenFile: 'token' })
    await expect(namespaces({ kubeconfig: path })).rejects.toThrow(
      'status 401 (the credentials are missing or not valid)',
    )
    writeFileSync(file('token'), 'token-of-ann\n')
    expect(await namespaces({ kubeconfig: path })).toEqual(FOUND)
  })

  test('under another name than its address, and not with a name that its certificate lacks', async () => {
    const cluster = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'cluster.example.org' }
    expect(await namespaces({ kubeconfig: kubeconfig({ token: 'token-of-ann' }, cluster) })).toEqual(FOUND)
    const wrong = kubeconfig({ token: 'token-of-ann' }, { ...cluster, 'tls-server-name': 'other.example.org' })
    await expect(namespaces({ kubeconfig: wrong })).rejects.toThrow('does not answer')
  })

  test('not with an authority that did not sign its certificate, unless verification is off', async () => {
    await expect(namespaces({ kubeconfig: kubeconfig({ token: 'token-of-ann' }, {}) })).rejects.toThrow(
      `The API server ${secure.url} does not answer`,
    )
    expect(
      await namespaces({ kubeconfig: kubeconfig({ token: 'token-of-ann' }, { 'insecure-skip-tls-verify': true }) }),
    ).toEqual(FOUND)
    expect(
      await namespaces({ kubeconfig: kubeconfig({ token: 'token-of-ann' }, {}) }, { 'kubernetes.verify_ssl': false }),
    ).toEqual(FOUND)
  })

  test('of another context, and of the first of several files that has it', async () => {
    const path = kubeconfig({ token: 'token-of-ann' })
    expect((await clientFor({ kubeconfig: path, context: 'other' })).cluster.server).toBe(plain.url)
    expect(
      (await clientFor({ context: 'here' }, surroundings({ KUBECONFIG: `${file('missing')}:${path}` }))).cluster.server,
    ).toBe(secure.url)
    await expect(clientFor({ kubeconfig: path, context: 'none' })).rejects.toThrow(
      "has no 'none' in contexts; there are: here, other",
    )
    await expect(clientFor({ kubeconfig: file('missing') })).rejects.toThrow('cannot be read')
  })

  test('by single settings, by the older ones of Salt, and by names of clusters', async () => {
    expect(await namespaces({ host: secure.url, api_key: 'token-of-ann', ca_cert: file('ca.crt') })).toEqual(FOUND)
    expect(
      await namespaces({
        host: secure.url,
        client_cert: file('client.crt'),
        client_key: file('client.key'),
        ca_cert: file('ca.crt'),
      }),
    ).toEqual(FOUND)
    const older = {
      'kubernetes.api_url': secure.url,
      'kubernetes.client-certificate-file': file('client.crt'),
      'kubernetes.client-key-file': file('client.key'),
      'kubernetes.certificate-authority-data': encoded('ca.crt'),
    }
    const { items } = await (await clientFor({}, surroundings({}, older))).list('/api/v1/namespaces')
    expect(items).toHaveLength(2)
    const clusters = {
      'kubernetes.host': 'http://127.0.0.1:1',
      'kubernetes.clusters': fromPlain({ lab: { host: plain.url } }),
    }
    expect((await clientFor({ cluster: 'lab' }, surroundings({}, clusters))).cluster.server).toBe(plain.url)
    await expect(clientFor({})).rejects.toThrow('Invalid kubernetes configuration: it names no API server')
  })

  test('from a pod, with its service account', async () => {
    const { port } = new URL(secure.url)
    const ctx = surroundings({ KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: port })
    const mounted = new Map([
      ['token', 'token-of-ann'],
      ['ca.crt', readFileSync(file('ca.crt'), 'utf8')],
    ])
    const read = async (path: string): Promise<Uint8Array> =>
      Buffer.from(mounted.get(path.replace('/var/run/secrets/kubernetes.io/serviceaccount/', ''))!)
    const pod = { ...ctx, host: Object.assign(Object.create(ctx.host) as LocalHost, { read }) }
    expect((await (await clientFor({}, pod)).list('/api/v1/namespaces')).items).toHaveLength(2)
  })

  test('with the credentials of a plugin, which is asked once while they hold', async () => {
    writeFileSync(
      file('plugin'),
      `#!/bin/sh
echo asked >> ${file('asked')}
test -n "$KUBERNETES_EXEC_INFO" || exit 3
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "'$WHO'", "expirationTimestamp": "2099-01-01T00:00:00Z"}}'
`,
    )
    chmodSync(file('plugin'), 0o755)
    const exec = (who: string) => ({
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin', env: [{ name: 'WHO', value: who }] },
    })
    const ctx = surroundings()
    const client = await clientFor({ kubeconfig: kubeconfig(exec('token-of-the-plugin')) }, ctx)
    for (let i = 0; i < 3; i++) expect((await client.list('/api/v1/namespaces')).items).toHaveLength(2)
    expect(readFileSync(file('asked'), 'utf8')).toBe('asked\n')
    // a refused token is requested once more
    await expect(namespaces({ kubeconfig: kubeconfig(exec('stale')) })).rejects.toThrow('status 401')
    expect(readFileSync(file('asked'), 'utf8')).toBe('asked\n'.repeat(3))
  })

  test('not with a plugin that is missing, fails, takes too long or says nothing', async () => {
    const exec = (line: string) => ({
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: '/bin/sh',
        args: ['-c', line],
        installHint: 'Install it.',
      },
    })
    const missing = { exec: { ...exec('').exec, command: 'no-such-plugin' } }
    await expect(namespaces({ kubeconfig: kubeconfig(missing) })).rejects.toThrow(
      'The credential plugin no-such-plugin was not found. Install it.',
    )
    await expect(namespaces({ kubeconfig: kubeconfig(exec('echo no >&2; exit 4')) })).rejects.toThrow(
      'ended with 4: no',
    )
    await expect(namespaces({ kubeconfig: kubeconfig(exec('sleep 60')), exec_timeout: 1 })).rejects.toThrow(
      'did not end within 1 seconds',
    )
    await expect(namespaces({ kubeconfig: kubeconfig(exec('echo nothing')) })).rejects.toThrow('printed no JSON')
  })

  test('for commands in pods, with credentials of each kind', async () => {
    writeFileSync(
      file('once-stale'),
      `#!/bin/sh
test -e ${file('fresh')} && token=token-of-the-plugin || token=stale
touch ${file('fresh')}
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "'$token'"}}'
`,
      { mode: 0o755 },
    )
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './once-stale' }
    const users = [
      { token: 'token-of-ann' },
      { 'client-certificate': 'client.crt', 'client-key': 'client.key' },
      { exec },
    ]
    for (const user of users) {
      const { ctx } = new Registry(moduleTable, {
        opts: fromPlain({ 'kubernetes.kubeconfig': kubeconfig(user) }) as Dict,
        grains: new Map(),
        pillar: new Map(),
      })
      const done = await ctx.call('kubernetes.exec', ['web', 'echo done'])
      expect(toPlain(done as Value)).toEqual({ stdout: 'done\n', stderr: '', retcode: 0 })
    }
    const untrusted = await clientFor({ kubeconfig: kubeconfig({ token: 'token-of-ann' }, {}) })
    const signal = AbortSignal.timeout(10_000)
    await expect(untrusted.socket({ path: '/api/v1/namespaces/default/pods/web/exec', signal }, [])).rejects.toThrow(
      /does not answer: .*certificate/,
    )
  })

  test('over a proxy, and directly where no_proxy says so', async () => {
    const port = await freePort()
    const asked: string[] = []
    const proxy = createServer().on('connect', (request, socket) => {
      asked.push(request.url!)
      const [host, to] = request.url!.split(':')
      const through = connect(Number(to), host!, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        through.pipe(socket).pipe(through)
      })
    })
    await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
    try {
      const path = kubeconfig(
        { token: 'token-of-ann' },
        { 'certificate-authority': 'ca.crt', 'proxy-url': `http://127.0.0.1:${port}` },
      )
      expect(await namespaces({ kubeconfig: path })).toEqual(FOUND)
      expect(asked).toEqual([new URL(secure.url).host])
      const { ctx } = new Registry(moduleTable, {
        opts: fromPlain({ 'kubernetes.kubeconfig': path }) as Dict,
        grains: new Map(),
        pillar: new Map(),
      })
      expect(await ctx.call('kubernetes.exec', ['web', 'exit 5'])).toEqual(expect.any(Map))
      expect(asked.splice(1)).toEqual([new URL(secure.url).host])
      expect(await namespaces({ kubeconfig: path }, { 'kubernetes.no_proxy': '127.0.0.1' })).toEqual(FOUND)
      expect(asked).toHaveLength(1)
    } finally {
      proxy.closeAllConnections()
      proxy.close()
    }
  })
})

describe('a user who may only call functions of kubernetes', () => {
  const options = { 'kubernetes.host': 'https://127.0.0.1:1', 'kubernetes.api_key': 'token-of-the-minion' }

  test('does not get the credentials of the minion by another server or way to it', async () => {
    const client = await clientFor({ host: plain.url }, surroundings({ K8S_AUTH_API_KEY: 'token-of-ann' }, options))
    expect(client.cluster.identity).toEqual({})
    for (const [name, value] of Object.entries({
      proxy: 'http://127.0.0.1:1',
      verify_ssl: false,
      ca_cert: file('ca.crt'),
    })) {
      await expect(clientFor({ [name]: value }, surroundings({}, options))).rejects.toThrow(
        `A call can give '${name}' only together with 'host'`,
      )
    }
  })

  test('runs no programs and reads no files by what a call brings', async () => {
    const exec = { exec: { command: '/bin/sh', args: ['-c', `touch ${file('ran')}`] } }
    await expect(clientFor({ host: plain.url, exec: fromPlain(exec.exec) })).rejects.toThrow(
      "A call cannot give 'exec'",
    )
    for (const user of [exec, { tokenFile: file('token') }]) {
      const data = readFileSync(kubeconfig(user, {})).toString('base64')
      await expect(clientFor({ kubeconfig_data: data })).rejects.toThrow('comes with the call and uses')
      const path = kubeconfig(user, {})
      chmodSync(path, 0o666)
      await expect(clientFor({ kubeconfig: path })).rejects.toThrow('comes with the call and uses')
      rmSync(path)
    }
  })
})

test('A server that is busy is asked again when it says so; a refused creation is not sent twice', async () => {
  const faults = [{ status: 429, headers: { 'Retry-After': '1' } }, { status: 503 }]
  const server = await ApiServer.start({ faults })
  try {
    const client = await clientFor({ host: server.url })
    expect((await client.list('/api/v1/namespaces')).items).toHaveLength(2)
    expect(server.requests).toHaveLength(3)
    faults.push({ status: 500 })
    const body = fromPlain({ metadata: { name: 'a' } }) as Dict
    await expect(client.ask({ method: 'POST', path: '/api/v1/namespaces', body })).rejects.toThrow(
      'with status 500: a fault of the test',
    )
    expect(server.requests).toHaveLength(4)
  } finally {
    await server.stop()
  }
})

test('Names that are paths are refused', async () => {
  const { ctx } = new Registry(moduleTable, {
    opts: fromPlain({ 'kubernetes.host': plain.url }) as Dict,
    grains: new Map(),
    pillar: new Map(),
  })
  for (const name of ['..', 'a/b', '%2e%2e', ''])
    await expect(ctx.call('kubernetes.show_secret', [name])).rejects.toThrow('cannot be the name of')
})

const event = (name: string, type = 'Normal'): Record<string, Plain> => ({
  reason: 'Started',
  type,
  message: `about ${name}`,
  involvedObject: { kind: 'Pod', name, namespace: 'default' },
})

test('The engine fires events, goes on after a restart, and begins anew when the cluster has forgotten', async () => {
  const server = await ApiServer.start()
  const { ctx: functions } = new Registry(moduleTable, {
    opts: fromPlain({ 'kubernetes.host': server.url }) as Dict,
    grains: new Map(),
    pillar: new Map(),
  })
  const fired: string[] = []
  const logged: string[] = []
  const begin = (): { stop(): Promise<void> } => {
    const end = new AbortController()
    const ctx = {
      name: 'kubernetes',
      opts: new Map<Value, Value>([['cachedir', folder]]),
      log: (_level: string, text: string) => void logged.push(text),
      host: new LocalHost(),
      http: httpClient(new LocalHost(), new Map()),
      signal: end.signal,
      functions: async () => functions,
      fire: async (tag: string) => void fired.push(tag),
      pause: () => new Promise((resolve) => setTimeout(resolve, 100)),
    } as unknown as EngineContext
    const ended = engine.start(ctx, {
      namespace: null,
      types: ['Warning'],
      tag: 'k8s',
      connection: null,
      retry: 1,
    } as never)
    return {
      stop: async () => {
        end.abort()
        await ended
      },
    }
  }
  const isWatching = (): boolean => server.requests.some((request) => request.includes('watch=1'))
  try {
    const first = begin()
    await until('a watch', isWatching)
    server.put('events', 'one', event('web', 'Warning') as never, 'default')
    server.put('events', 'two', event('web') as never, 'default')
    await until('the event', () => fired.length === 1)
    expect(fired).toEqual(['k8s/default/Pod/web/Started'])
    await until('the version', () =>
      readFileSync(file('kubernetes-kubernetes.json'), 'utf8').includes(`"${server.store.version}"`),
    )
    await first.stop()
    server.put('events', 'three', event('db', 'Warning') as never, 'default')
    const second = begin()
    await until('the event that came meanwhile', () => fired.includes('k8s/default/Pod/db/Started'))
    await second.stop()
    server.put('events', 'four', event('lost', 'Warning') as never, 'default')
    server.store.compact()
    server.requests.length = 0
    const third = begin()
    await until(
      'a new start',
      () =>
        logged.some((text) => text.includes('has forgotten events')) &&
        server.requests.filter((request) => request.includes('watch=1')).length === 2,
    )
    server.put('events', 'five', event('new', 'Warning') as never, 'default')
    await until('the next event', () => fired.includes('k8s/default/Pod/new/Started'))
    await third.stop()
    expect(fired).not.toContain('k8s/default/Pod/lost/Started')
  } finally {
    await server.stop()
  }
})

test('The beacon reports what happened since its last look', async () => {
  const { ctx } = new Registry(moduleTable, {
    opts: fromPlain({ 'kubernetes.host': plain.url }) as Dict,
    grains: new Map(),
    pillar: new Map(),
  })
  const around = { call: ctx.call, has: () => true, memory: new Map(), log: silentLog } as unknown as BeaconContext
  const look = async (): Promise<Plain> =>
    toPlain((await beacon.beacon(around, new Map<Value, Value>([['types', ['Warning']]]))) as Value)
  plain.put('events', 'before', event('old', 'Warning') as never, 'default')
  expect(await look()).toEqual([])
  plain.put('events', 'after', event('web', 'Warning') as never, 'default')
  plain.put('events', 'normal', event('web') as never, 'default')
  expect(await look()).toMatchObject([{ tag: 'default/Pod/web/Started', message: 'about web', type: 'Warning' }])
  expect(await look()).toEqual([])
  expect(beacon.validate(new Map<Value, Value>([['types', 'Warning']]), () => true)).toBe(
    'Types for kubernetes beacon must be a list.',
  )
})

test('Namespaces are resources of a minion: functions of kubernetes mean the namespace', async () => {
  const type = resourceTypes.get('kubernetes')!
  const config = fromPlain({ namespaces: { shop: {}, 'lab-shop': { namespace: 'shop', host: plain.url } } }) as Dict
  expect(type.ids(config)).toEqual(['shop', 'lab-shop'])
  expect(type.ids(fromPlain({ namespaces: ['a', 'b'] }) as Dict)).toEqual(['a', 'b'])
  const around = { opts: new Map(), log: silentLog, config } as never
  expect(toPlain(await type.grains(around, 'lab-shop'))).toEqual({
    kubernetes_namespace: 'shop',
    resource_id: 'lab-shop',
  })
  const minion = new Registry(moduleTable, { opts: new Map(), grains: new Map(), pillar: new Map() })
  const { functions } = await type.functions(around, 'lab-shop', minion)
  plain.put('namespaces', 'shop', {})
  await functions.ctx.call('kubernetes.create_configmap', ['inside'], { data: new Map() })
  expect(await functions.ctx.call('kubernetes.configmaps')).toEqual(['inside'])
})

const kubectl = ['/usr/bin/kubectl', '/usr/local/bin/kubectl'].find((path) => {
  try {
    return execFileSync(path, ['version', '--client'], { stdio: 'pipe' }).length > 0
  } catch {
    return false
  }
})

test.skipIf(kubectl === undefined)('kubectl sees what Brine makes, and Brine what kubectl makes', async () => {
  const path = kubeconfig({ token: 'token-of-ann' }, undefined, 'kubectl-config')
  const { ctx } = new Registry(moduleTable, {
    opts: fromPlain({ 'kubernetes.kubeconfig': path }) as Dict,
    grains: new Map(),
    pillar: new Map(),
  })
  await ctx.call('kubernetes.create_configmap', ['ours', 'default'], { data: fromPlain({ a: '1' }) })
  // the server of this process answers while kubectl runs beside it
  const beside = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(kubectl!, ['--kubeconfig', path, '--cache-dir', file('cache'), ...args])).stdout
  expect(await beside('get', 'configmap', 'ours', '-o', 'jsonpath={.data.a}')).toBe('1')
  await beside('label', 'configmap', 'ours', 'seen=yes')
  const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' }, data: { b: '2' } }
  writeFileSync(file('theirs.json'), JSON.stringify(theirs))
  await beside('apply', '--server-side', '--validate=false', '-f', file('theirs.json'))
  await beside('delete', 'configmap', 'ours')
  expect(toPlain((await ctx.call('kubernetes.show_configmap', ['theirs'])) as Value)).toMatchObject({
    data: { b: '2' },
  })
  expect(await ctx.call('kubernetes.show_configmap', ['ours'])).toBeNull()
})
