// The behaviour that clients rely on, tested with the small API server here, and with a real one in KUBECONFIG_REAL.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { ApiError, type Ask, type KubernetesClient } from '../../src/library/containers/kubernetes/client/client.ts'
import { ApiServer } from './api-server.ts'
import { type AnyObject, clientFor } from './client.ts'

const REAL = process.env['KUBECONFIG_REAL']
/** Objects of a run have names of their own, because a real server keeps them. */
const RUN = `t${Date.now().toString(36)}`
const CONFIGMAPS = `/api/v1/namespaces/${RUN}/configmaps`
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${RUN}/deployments`

const APPLY = 'application/apply-patch+yaml'

const configMap = (name: string, data: Record<string, string>, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

const deployment = (name: string, image: string, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
    ...spec,
  },
})

describe.each<[string, string | undefined]>([
  ['the small server', undefined],
  ...(REAL ? [['the real server', REAL] as [string, string]] : []),
])('%s', (_name, kubeconfig) => {
  let server: ApiServer | undefined
  let client: KubernetesClient

  beforeAll(async () => {
    server = kubeconfig === undefined ? await ApiServer.start() : undefined
    client = await clientFor(server ? { host: server.url } : { kubeconfig: kubeconfig! })
    await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: RUN } })
  })
  afterAll(() => server?.stop())

  interface Answer {
    status: number
    body: AnyObject
  }

  async function ask(method: Ask['method'], path: string, body?: object, more: Partial<Ask> = {}): Promise<Answer> {
    try {
      const answer = await client.ask({
        method: method!,
        path,
        ...(body && { body: fromPlain(body as Plain) as Value }),
        ...more,
      })
      return { status: 200, body: toPlain(answer) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { status: error.status, body: { reason: error.apiReason, message: error.message } }
    }
  }

  const apply = (path: string, body: object, params: Ask['params'] = {}): Promise<Answer> =>
    ask('PATCH', path, body, { type: APPLY, params: { fieldManager: 'one', ...params } })

  test('gives a new object a version, a uid and a time', async () => {
    const { body } = await ask('POST', CONFIGMAPS, configMap('new', { a: '1' }))
    expect(body).toMatchObject({ kind: 'ConfigMap', data: { a: '1' }, metadata: { name: 'new', namespace: RUN } })
    expect(body.metadata).toMatchObject({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.stringMatching(/Z$/),
    })
  })

  test('refuses to create what exists', async () => {
    await ask('POST', CONFIGMAPS, configMap('twice', {}))
    expect(await ask('POST', CONFIGMAPS, configMap('twice', {}))).toMatchObject({
      status: 409,
      body: { reason: 'AlreadyExists', message: expect.stringContaining('configmaps "twice" already exists') },
    })
  })

  test('says what is not found', async () => {
    expect(await ask('GET', `${CONFIGMAPS}/nowhere`)).toMatchObject({
      status: 404,
      body: { reason: 'NotFound', message: expect.stringContaining('configmaps "nowhere" not found') },
    })
    expect(await ask('GET', `${DEPLOYMENTS}/nowhere`)).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('deployments.apps "nowhere" not found') },
    })
    expect(await ask('POST', '/api/v1/namespaces/no-such/configmaps', configMap('a', {}))).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('namespaces "no-such" not found') },
    })
    expect(await ask('GET', '/apis/example.org/v1/things')).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('404 page not found') },
    })
  })

  test('refuses an old version, and takes the current one', async () => {
    const { body: first } = await ask('POST', CONFIGMAPS, configMap('versions', { a: '1' }))
    const { resourceVersion } = first.metadata
    const put = (data: Record<string, string>) =>
      ask('PUT', `${CONFIGMAPS}/versions`, configMap('versions', data, { resourceVersion }))
    const { body: second } = await put({ a: '2' })
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion))
    expect(await put({ a: '3' })).toMatchObject({
      status: 409,
      body: { reason: 'Conflict', message: expect.stringContaining('the object has been modified') },
    })
  })

  test('changes nothing in a dry run', async () => {
    const dryRun = { params: { dryRun: 'All' } }
    expect(await ask('POST', CONFIGMAPS, configMap('dry', { a: '1' }), dryRun)).toMatchObject({
      status: 200,
      body: { data: { a: '1' } },
    })
    expect(await ask('GET', `${CONFIGMAPS}/dry`)).toMatchObject({ status: 404 })
    await ask('POST', CONFIGMAPS, configMap('dry', { a: '1' }))
    const patch = { type: 'application/merge-patch+json', ...dryRun }
    expect(await ask('PATCH', `${CONFIGMAPS}/dry`, { data: { a: '2' } }, patch)).toMatchObject({
      body: { data: { a: '2' } },
    })
    await ask('DELETE', `${CONFIGMAPS}/dry`, undefined, dryRun)
    expect(await ask('GET', `${CONFIGMAPS}/dry`)).toMatchObject({ status: 200, body: { data: { a: '1' } } })
  })

  test('keeps its version when a write changes nothing', async () => {
    const { body: first } = await apply(`${CONFIGMAPS}/same`, configMap('same', { a: '1' }))
    const { body: second } = await apply(`${CONFIGMAPS}/same`, configMap('same', { a: '1' }))
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
  })

  test('merges patches: a merge patch replaces lists, a strategic one merges them by their keys', async () => {
    await ask('POST', DEPLOYMENTS, deployment('patched', 'nginx'))
    const containers = (list: object[]) => ({ spec: { template: { spec: { containers: list } } } })
    const strategic = await ask('PATCH', `${DEPLOYMENTS}/patched`, containers([{ name: 'side', image: 'envoy' }]), {
      type: 'application/strategic-merge-patch+json',
    })
    const names = (body: AnyObject): string[] =>
      body.spec.template.spec.containers.map((one: { name: string }) => one.name).sort()
    expect(names(strategic.body)).toEqual(['main', 'side'])
    const merged = await ask('PATCH', `${DEPLOYMENTS}/patched`, containers([{ name: 'only', image: 'envoy' }]), {
      type: 'application/merge-patch+json',
    })
    expect(names(merged.body)).toEqual(['only'])
    const operations = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'caddy' }]
    const json = await ask('PATCH', `${DEPLOYMENTS}/patched`, operations as never, {
      type: 'application/json-patch+json',
    })
    expect(json.body.spec.template.spec.containers[0]).toMatchObject({ name: 'only', image: 'caddy' })
  })

  test('removes a field with a patch of null', async () => {
    await ask('POST', CONFIGMAPS, configMap('removing', { a: '1', b: '2' }))
    const { body } = await ask(
      'PATCH',
      `${CONFIGMAPS}/removing`,
      { data: { a: null } },
      { type: 'application/strategic-merge-patch+json' },
    )
    expect(body.data).toEqual({ b: '2' })
  })

  describe('server-side apply', () => {
    test('creates an object and notes its manager', async () => {
      const { body } = await apply(`${CONFIGMAPS}/applied`, configMap('applied', { a: '1' }))
      expect(body.metadata.managedFields).toEqual([
        expect.objectContaining({
          manager: 'one',
          operation: 'Apply',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:a': {} } },
        }),
      ])
    })

    test('removes what the manager applied before and does not apply now, and nothing of others', async () => {
      await apply(`${CONFIGMAPS}/fields`, configMap('fields', { a: '1', b: '1' }))
      await apply(`${CONFIGMAPS}/fields`, configMap('fields', { c: '1' }), { fieldManager: 'two' })
      const { body } = await apply(`${CONFIGMAPS}/fields`, configMap('fields', { a: '2' }))
      expect(body.data).toEqual({ a: '2', c: '1' })
    })

    test('refuses a field of another manager, and takes it by force', async () => {
      await apply(`${CONFIGMAPS}/conflict`, configMap('conflict', { a: '1' }))
      const other = { fieldManager: 'two' }
      const refused = await apply(`${CONFIGMAPS}/conflict`, configMap('conflict', { a: '2' }), other)
      expect(refused).toMatchObject({
        status: 409,
        body: { reason: 'Conflict', message: expect.stringContaining('conflict with "one"') },
      })
      expect(refused.body.message).toContain('.data.a')
      const { body } = await apply(`${CONFIGMAPS}/conflict`, configMap('conflict', { a: '2' }), {
        ...other,
        force: 'true',
      })
      expect(body.data).toEqual({ a: '2' })
    })

    test('shares a field that two managers apply with the same value', async () => {
      await apply(`${CONFIGMAPS}/shared`, configMap('shared', { a: '1' }))
      expect(
        await apply(`${CONFIGMAPS}/shared`, configMap('shared', { a: '1' }), { fieldManager: 'two' }),
      ).toMatchObject({ status: 200 })
      // the first manager gives it up, the second one still owns it
      const { body } = await apply(`${CONFIGMAPS}/shared`, configMap('shared', {}))
      expect(body.data).toEqual({ a: '1' })
    })

    test('merges lists by their keys', async () => {
      await apply(`${DEPLOYMENTS}/lists`, deployment('lists', 'nginx'))
      const sidecar = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'lists' },
        spec: { template: { spec: { containers: [{ name: 'side', image: 'envoy' }] } } },
      }
      const { body } = await apply(`${DEPLOYMENTS}/lists`, sidecar, { fieldManager: 'two' })
      expect(body.spec.template.spec.containers.map((one: { name: string }) => one.name).sort()).toEqual([
        'main',
        'side',
      ])
    })

    test('keeps defaults without an owner', async () => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'defaults' }, data: { a: 'MQ==' } }
      const path = `/api/v1/namespaces/${RUN}/secrets/defaults`
      const { body: first } = await apply(path, secret)
      expect(first.type).toBe('Opaque')
      expect((await apply(path, secret)).body).toMatchObject({
        type: 'Opaque',
        metadata: { resourceVersion: first.metadata.resourceVersion },
      })
    })

    test('needs a manager', async () => {
      expect(await apply(`${CONFIGMAPS}/nobody`, configMap('nobody', {}), { fieldManager: undefined })).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining('fieldManager: Required value') },
      })
    })

    test('says in a dry run what would be', async () => {
      await apply(`${CONFIGMAPS}/foreseen`, configMap('foreseen', { a: '1' }))
      expect(
        (await apply(`${CONFIGMAPS}/foreseen`, configMap('foreseen', { b: '2' }), { dryRun: 'All' })).body.data,
      ).toEqual({ b: '2' })
      expect((await ask('GET', `${CONFIGMAPS}/foreseen`)).body.data).toEqual({ a: '1' })
    })
  })

  test('refuses a deployment without a selector, and one whose selector does not fit', async () => {
    const { selector: _selector, ...rest } = deployment('odd', 'nginx').spec
    const without = { ...deployment('odd', 'nginx'), spec: rest }
    expect(await apply(`${DEPLOYMENTS}/odd`, without)).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', message: expect.stringContaining('spec.selector: Required value') },
    })
    const unfit = deployment('odd', 'nginx', { selector: { matchLabels: { app: 'other' } } })
    expect(await apply(`${DEPLOYMENTS}/odd`, unfit)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('`selector` does not match template `labels`') },
    })
  })

  test('refuses names that are none', async () => {
    expect(await ask('POST', CONFIGMAPS, configMap('Not_A_Name', {}))).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', message: expect.stringContaining('metadata.name: Invalid value') },
    })
  })

  test('gives lists page by page', async () => {
    const path = `${CONFIGMAPS}`
    for (const name of ['page-1', 'page-2', 'page-3'])
      await ask('POST', path, configMap(name, {}, { labels: { page: 'yes' } }))
    const params = { labelSelector: 'page=yes', limit: '2' }
    const { body: first } = await ask('GET', path, undefined, { params })
    expect(first).toMatchObject({ kind: 'ConfigMapList', metadata: { continue: expect.any(String) } })
    const { body: second } = await ask('GET', path, undefined, {
      params: { ...params, continue: first.metadata.continue },
    })
    expect([first, second].map(({ items }) => items.map((one: AnyObject) => one.metadata.name))).toEqual([
      ['page-1', 'page-2'],
      ['page-3'],
    ])
    expect(second.metadata.continue ?? '').toBe('')
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    expect((await client.list(path, params)).items).toHaveLength(3)
  })

  test('scales by the subresource', async () => {
    await ask('POST', DEPLOYMENTS, deployment('scaled', 'nginx'))
    const { body } = await ask(
      'PATCH',
      `${DEPLOYMENTS}/scaled/scale`,
      { spec: { replicas: 3 } },
      { type: 'application/merge-patch+json' },
    )
    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } })
    expect((await ask('GET', `${DEPLOYMENTS}/scaled`)).body).toMatchObject({
      spec: { replicas: 3 },
      metadata: { generation: 2 },
    })
  })

  test('lists its kinds', async () => {
    const { body } = await ask('GET', '/apis/apps/v1')
    expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: 'apps/v1' })
    expect(body.resources).toContainEqual(
      expect.objectContaining({ name: 'deployments', kind: 'Deployment', namespaced: true }),
    )
    expect((await ask('GET', '/apis')).body.groups.map((group: { name: string }) => group.name)).toContain('apps')
    expect(await client.text({ path: '/healthz' })).toBe('ok')
  })

  test('serves the kinds of definitions', async () => {
    const group = `${RUN}.example.org`
    const names = { kind: 'Gadget', plural: 'gadgets', singular: 'gadget' }
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    }
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `gadgets.${group}` },
      spec: { group, names, scope: 'Namespaced', versions: [{ name: 'v1', served: true, storage: true, schema }] },
    }
    await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    const gadgets = `/apis/${group}/v1/namespaces/${RUN}/gadgets`
    const gadget = { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name: 'first' }, spec: { size: 3 } }
    await expect.poll(async () => (await apply(`${gadgets}/first`, gadget)).status, { timeout: 60_000 }).toBe(200)
    expect((await ask('GET', gadgets)).body).toMatchObject({ kind: 'GadgetList', items: [{ spec: { size: 3 } }] })
  })

  test('deletes, and says so', async () => {
    await ask('POST', CONFIGMAPS, configMap('gone', {}))
    expect((await ask('DELETE', `${CONFIGMAPS}/gone`)).body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'gone', kind: 'configmaps' },
    })
    expect(await ask('DELETE', `${CONFIGMAPS}/gone`)).toMatchObject({ status: 404 })
  })

  test('reports changes to watches from a version on', async () => {
    const { version } = await client.list(CONFIGMAPS)
    await ask('POST', CONFIGMAPS, configMap('watched', { a: '1' }))
    await ask('PATCH', `${CONFIGMAPS}/watched`, { data: { a: '2' } }, { type: 'application/merge-patch+json' })
    await ask('DELETE', `${CONFIGMAPS}/watched`)
    const end = new AbortController()
    const seen: string[] = []
    const params = { fieldSelector: 'metadata.name=watched' }
    for await (const { type } of client.watch(CONFIGMAPS, version, { signal: end.signal, params })) {
      if (type !== 'BOOKMARK') seen.push(type)
      if (seen.length === 3) end.abort()
    }
    expect(seen).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
  })

  test('has forgotten old versions', async () => {
    server?.store.compact()
    const watching = async (): Promise<void> => {
      for await (const _change of client.watch(CONFIGMAPS, '1', { signal: AbortSignal.timeout(60_000) })) return
    }
    await expect(watching()).rejects.toMatchObject({
      status: 410,
      apiReason: 'Expired',
      message: expect.stringContaining('too old resource version'),
    })
  })
})
