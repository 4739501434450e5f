// The modules and states for Kubernetes against the small API server, or against a real one whose kubeconfig KUBECONFIG_REAL names.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dict, fromPlain, hideMarked, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import k8sStates from '../../src/library/containers/kubernetes/k8s.state.ts'
import { KINDS, type Kind } from '../../src/library/containers/kubernetes/kinds.ts'
import module from '../../src/library/containers/kubernetes/module.ts'
import states from '../../src/library/containers/kubernetes/state.ts'
import { moduleTable, Registry } from '../../src/loader/mod.ts'
import { type FunctionContext, type StateDeclaration, tryState } from '../../src/sdk/mod.ts'
import { ApiServer } from './api-server.ts'
import type { AnyObject } from './client.ts'

const REAL = process.env['KUBECONFIG_REAL']
const RUN = `f${Date.now().toString(36)}`

/** Functions of Salt 3006 and of saltext-kubernetes, and the additions of Brine: `diff` and `events`. */
const FUNCTIONS = `
  kubernetes.ping kubernetes.cluster_info kubernetes.list_clusters kubernetes.events kubernetes.scale
  kubernetes.restart kubernetes.rollback kubernetes.logs kubernetes.nodes kubernetes.node
  kubernetes.node_labels kubernetes.node_add_label kubernetes.node_remove_label kubernetes.node_annotations
  kubernetes.node_add_annotation kubernetes.node_remove_annotation kubernetes.cordon kubernetes.uncordon
  kubernetes.taint kubernetes.untaint kubernetes.drain kubernetes.deployments kubernetes.show_deployment
  kubernetes.create_deployment kubernetes.replace_deployment kubernetes.patch_deployment
  kubernetes.delete_deployment kubernetes.services kubernetes.show_service kubernetes.create_service
  kubernetes.replace_service kubernetes.patch_service kubernetes.delete_service kubernetes.pods
  kubernetes.show_pod kubernetes.create_pod kubernetes.delete_pod kubernetes.statefulsets
  kubernetes.show_statefulset kubernetes.create_statefulset kubernetes.replace_statefulset
  kubernetes.patch_statefulset kubernetes.delete_statefulset kubernetes.replicasets kubernetes.show_replicaset
  kubernetes.create_replicaset kubernetes.replace_replicaset kubernetes.patch_replicaset
  kubernetes.delete_replicaset kubernetes.daemonsets kubernetes.show_daemonset kubernetes.create_daemonset
  kubernetes.replace_daemonset kubernetes.patch_daemonset kubernetes.delete_daemonset kubernetes.jobs
  kubernetes.show_job kubernetes.create_job kubernetes.replace_job kubernetes.patch_job kubernetes.delete_job
  kubernetes.cron_jobs kubernetes.show_cron_job kubernetes.create_cron_job kubernetes.replace_cron_job
  kubernetes.patch_cron_job kubernetes.delete_cron_job kubernetes.persistent_volume_claims
  kubernetes.show_persistent_volume_claim kubernetes.create_persistent_volume_claim
  kubernetes.replace_persistent_volume_claim kubernetes.patch_persistent_volume_claim
  kubernetes.delete_persistent_volume_claim kubernetes.ingresses kubernetes.show_ingress
  kubernetes.create_ingress kubernetes.replace_ingress kubernetes.patch_ingress kubernetes.delete_ingress
  kubernetes.horizontal_pod_autoscalers kubernetes.show_horizontal_pod_autoscaler
  kubernetes.create_horizontal_pod_autoscaler kubernetes.replace_horizontal_pod_autoscaler
  kubernetes.patch_horizontal_pod_autoscaler kubernetes.delete_horizontal_pod_autoscaler
  kubernetes.pod_disruption_budgets kubernetes.show_pod_disruption_budget
  kubernetes.create_pod_disruption_budget kubernetes.replace_pod_disruption_budget
  kubernetes.patch_pod_disruption_budget kubernetes.delete_pod_disruption_budget kubernetes.network_policies
  kubernetes.show_network_policy kubernetes.create_network_policy kubernetes.replace_network_policy
  kubernetes.patch_network_policy kubernetes.delete_network_policy kubernetes.resource_quotas
  kubernetes.show_resource_quota kubernetes.create_resource_quota kubernetes.replace_resource_quota
  kubernetes.patch_resource_quota kubernetes.delete_resource_quota kubernetes.limit_ranges
  kubernetes.show_limit_range kubernetes.create_limit_range kubernetes.replace_limit_range
  kubernetes.patch_limit_range kubernetes.delete_limit_range kubernetes.secrets kubernetes.show_secret
  kubernetes.create_secret kubernetes.replace_secret kubernetes.patch_secret kubernetes.delete_secret
  kubernetes.configmaps kubernetes.show_configmap kubernetes.create_configmap kubernetes.replace_configmap
  kubernetes.patch_configmap kubernetes.delete_configmap kubernetes.roles kubernetes.show_role
  kubernetes.create_role kubernetes.replace_role kubernetes.patch_role kubernetes.delete_role
  kubernetes.role_bindings kubernetes.show_role_binding kubernetes.create_role_binding
  kubernetes.replace_role_binding kubernetes.patch_role_binding kubernetes.delete_role_binding
  kubernetes.service_accounts kubernetes.show_service_account kubernetes.create_service_account
  kubernetes.replace_service_account kubernetes.patch_service_account kubernetes.delete_service_account
  kubernetes.namespaces kubernetes.show_namespace kubernetes.create_namespace kubernetes.delete_namespace
  kubernetes.persistent_volumes kubernetes.show_persistent_volume kubernetes.create_persistent_volume
  kubernetes.replace_persistent_volume kubernetes.patch_persistent_volume kubernetes.delete_persistent_volume
  kubernetes.custom_resource_definitions kubernetes.show_custom_resource_definition
  kubernetes.create_custom_resource_definition kubernetes.replace_custom_resource_definition
  kubernetes.patch_custom_resource_definition kubernetes.delete_custom_resource_definition
  kubernetes.storageclasses kubernetes.show_storageclass kubernetes.create_storageclass
  kubernetes.replace_storageclass kubernetes.patch_storageclass kubernetes.delete_storageclass
  kubernetes.cluster_roles kubernetes.show_cluster_role kubernetes.create_cluster_role
  kubernetes.replace_cluster_role kubernetes.patch_cluster_role kubernetes.delete_cluster_role
  kubernetes.cluster_role_bindings kubernetes.show_cluster_role_binding kubernetes.create_cluster_role_binding
  kubernetes.replace_cluster_role_binding kubernetes.patch_cluster_role_binding
  kubernetes.delete_cluster_role_binding kubernetes.priority_classes kubernetes.show_priority_class
  kubernetes.create_priority_class kubernetes.replace_priority_class kubernetes.patch_priority_class
  kubernetes.delete_priority_class kubernetes.apply kubernetes.diff kubernetes.delete_manifest
  kubernetes.get_object kubernetes.exec kubernetes.cp_to kubernetes.cp_from kubernetes.normalise_manifest_input kubernetes.patch_object kubernetes.wait_for
`
const STATES = `
  kubernetes.deployment_present kubernetes.deployment_absent kubernetes.service_present
  kubernetes.service_absent kubernetes.pod_present kubernetes.pod_absent kubernetes.statefulset_present
  kubernetes.statefulset_absent kubernetes.replicaset_present kubernetes.replicaset_absent
  kubernetes.daemonset_present kubernetes.daemonset_absent kubernetes.job_present kubernetes.job_absent
  kubernetes.cron_job_present kubernetes.cron_job_absent kubernetes.persistent_volume_claim_present
  kubernetes.persistent_volume_claim_absent kubernetes.ingress_present kubernetes.ingress_absent
  kubernetes.horizontal_pod_autoscaler_present kubernetes.horizontal_pod_autoscaler_absent
  kubernetes.pod_disruption_budget_present kubernetes.pod_disruption_budget_absent
  kubernetes.network_policy_present kubernetes.network_policy_absent kubernetes.resource_quota_present
  kubernetes.resource_quota_absent kubernetes.limit_range_present kubernetes.limit_range_absent
  kubernetes.secret_present kubernetes.secret_absent kubernetes.configmap_present kubernetes.configmap_absent
  kubernetes.role_present kubernetes.role_absent kubernetes.role_binding_present
  kubernetes.role_binding_absent kubernetes.service_account_present kubernetes.service_account_absent
  kubernetes.namespace_present kubernetes.namespace_absent kubernetes.persistent_volume_present
  kubernetes.persistent_volume_absent kubernetes.custom_resource_definition_present
  kubernetes.custom_resource_definition_absent kubernetes.storageclass_present kubernetes.storageclass_absent
  kubernetes.cluster_role_present kubernetes.cluster_role_absent kubernetes.cluster_role_binding_present
  kubernetes.cluster_role_binding_absent kubernetes.priority_class_present kubernetes.priority_class_absent
  kubernetes.node_label_absent kubernetes.node_label_folder_absent kubernetes.node_label_present
  kubernetes.node_annotation_absent kubernetes.node_annotation_folder_absent
  kubernetes.node_annotation_present kubernetes.node_cordoned kubernetes.node_uncordoned
  kubernetes.node_tainted kubernetes.node_untainted kubernetes.manifest_present kubernetes.manifest_absent
`

const K8S_STATES = `
  k8s.deployment_present k8s.deployment_absent k8s.service_present k8s.service_absent k8s.pod_present
  k8s.pod_absent k8s.statefulset_present k8s.statefulset_absent k8s.replicaset_present k8s.replicaset_absent
  k8s.daemonset_present k8s.daemonset_absent k8s.job_present k8s.job_absent k8s.cron_job_present
  k8s.cron_job_absent k8s.persistent_volume_claim_present k8s.persistent_volume_claim_absent
  k8s.ingress_present k8s.ingress_absent k8s.horizontal_pod_autoscaler_present
  k8s.horizontal_pod_autoscaler_absent k8s.pod_disruption_budget_present k8s.pod_disruption_budget_absent
  k8s.network_policy_present k8s.network_policy_absent k8s.resource_quota_present k8s.resource_quota_absent
  k8s.limit_range_present k8s.limit_range_absent k8s.secret_present k8s.secret_absent k8s.configmap_present
  k8s.configmap_absent k8s.role_present k8s.role_absent k8s.role_binding_present k8s.role_binding_absent
  k8s.service_account_present k8s.service_account_absent k8s.namespace_present k8s.namespace_absent
  k8s.persistent_volume_present k8s.persistent_volume_absent k8s.custom_resource_definition_present
  k8s.custom_resource_definition_absent k8s.storageclass_present k8s.storageclass_absent
  k8s.cluster_role_present k8s.cluster_role_absent k8s.cluster_role_binding_present
  k8s.cluster_role_binding_absent k8s.priority_class_present k8s.priority_class_absent k8s.manifest_present
  k8s.manifest_absent
`

const namesIn = (text: string): string[] =>
  text
    .trim()
    .split(/\s+/)
    .map((name) => name.slice(name.indexOf('.') + 1))
    .sort()

test('has the functions and states of Salt', () => {
  expect(Object.keys(module.functions).sort()).toEqual(namesIn(FUNCTIONS))
  expect(Object.keys(states.functions).sort()).toEqual(namesIn(STATES))
  expect(Object.keys(k8sStates.functions).sort()).toEqual(namesIn(K8S_STATES))
})

const POD = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } }
const SELECTING = { selector: { matchLabels: { app: 'web' } }, template: POD }

/** Fields of an object of each kind. */
const SPECS: Readonly<Record<string, object>> = {
  deployment: SELECTING,
  service: { ports: [{ port: 80 }], selector: { app: 'web' } },
  pod: POD.spec,
  statefulset: { ...SELECTING, serviceName: 'web' },
  replicaset: SELECTING,
  daemonset: SELECTING,
  job: { template: { spec: POD.spec } },
  cron_job: { schedule: '0 3 * * *', jobTemplate: { spec: { template: { spec: POD.spec } } } },
  persistent_volume_claim: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  ingress: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  horizontal_pod_autoscaler: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    maxReplicas: 3,
  },
  pod_disruption_budget: { min_available: 1, selector: { matchLabels: { app: 'web' } } },
  network_policy: { podSelector: {}, policyTypes: ['Ingress'] },
  resource_quota: { hard: { pods: '10' } },
  limit_range: { limits: [{ type: 'Container', max: { cpu: '2' } }] },
  role: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  role_binding: { roleRef: { kind: 'Role', name: 'reader' }, subjects: [{ kind: 'User', name: 'jane' }] },
  service_account: { automount_service_account_token: false },
  persistent_volume: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/srv' } },
  storageclass: { provisioner: 'example.org/disk' },
  cluster_role: { rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }] },
  cluster_role_binding: {
    roleRef: { kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'User', name: 'jane' }],
  },
  priority_class: { value: 1000 },
  custom_resource_definition: {
    group: `${RUN}.example.org`,
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

const nameFor = (kind: Kind): string =>
  kind.key === 'custom_resource_definition' ? `widgets.${RUN}.example.org` : `${RUN}-${kind.key.replaceAll('_', '-')}`

describe.each<[string, string | undefined]>([
  ['with the small server', undefined],
  ...(REAL ? [['with the real server', REAL] as [string, string]] : []),
])('%s', (_name, kubeconfig) => {
  let server: ApiServer | undefined
  let folder: string
  let ctx: FunctionContext

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'brine-kubernetes-'))
    server = kubeconfig === undefined ? await ApiServer.start() : undefined
    const opts: Plain = {
      id: 'web1',
      cachedir: folder,
      extension_modules: join(folder, 'none'),
      file_client: 'local',
      file_roots: { base: [folder] },
      ...(server ? { 'kubernetes.host': server.url } : { 'kubernetes.kubeconfig': kubeconfig! }),
      'kubernetes.namespace': RUN,
    }
    ctx = new Registry(moduleTable, { opts: fromPlain(opts) as Dict, grains: new Map(), pillar: new Map() }).ctx
    await call('create_namespace', [RUN])
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true })
  })

  const call = async (name: string, args: Plain[] = [], kwargs: Record<string, Plain> = {}): Promise<AnyObject> =>
    toPlain(
      (await ctx.call(
        `kubernetes.${name}`,
        args.map((one) => fromPlain(one)),
        fromPlain(kwargs) as Dict as ReadonlyMap<string, Value>,
      )) as Value,
    )

  const apply = async (
    name: string,
    kwargs: Record<string, Plain>,
    test = false,
    from: StateDeclaration = states,
  ): Promise<AnyObject> =>
    toPlain(
      await tryState(from, name, {
        kwargs: fromPlain(kwargs) as Dict as ReadonlyMap<string, Value>,
        test,
        context: ctx,
      }),
    )

  const ofKind = KINDS.filter(({ key }) => SPECS[key] !== undefined)

  test.each(ofKind.map((kind): [string, Kind] => [kind.key, kind]))(
    '%s: create, list, show, patch, replace and delete',
    async (key, kind) => {
      const [name, spec] = [nameFor(kind), SPECS[key] as Plain]
      await call(`create_${key}`, [], { name, spec })
      expect(await call(kind.list)).toContain(name)
      expect(await call(`show_${key}`, [name])).toMatchObject({ kind: kind.kind, metadata: { name } })
      if (key !== 'pod') {
        const patched = await call(`patch_${key}`, [name], { patch: { metadata: { labels: { tier: 'front' } } } })
        expect(patched.metadata.labels).toMatchObject({ tier: 'front' })
        // a job and a claim cannot be replaced as a whole
        if (!['job', 'persistent_volume_claim'].includes(key)) {
          const replaced = await call(`replace_${key}`, [], { name, spec, metadata: { labels: { tier: 'back' } } })
          expect(replaced.metadata.labels).toMatchObject({ tier: 'back' })
        }
      }
      await expect(call(`create_${key}`, [], { name, spec })).rejects.toThrow(`${kind.kind} ${name} already exists`)
      expect(await call(`delete_${key}`, [name])).not.toBeNull()
      // finalizers and grace periods of a real server need controllers that are not there
      if (server) {
        expect(await call(`show_${key}`, [name])).toBeNull()
        expect(await call(`delete_${key}`, [name])).toBeNull()
      }
    },
  )

  test.each(
    ofKind
      .filter(({ key }) => !REAL || key !== 'custom_resource_definition')
      .map((kind): [string, Kind] => [kind.key, kind]),
  )('%s_present and %s_absent: foreseen, done, left alone, drifted, removed', async (key, kind) => {
    const [name, spec] = [`${nameFor(kind)}${key === 'custom_resource_definition' ? '' : '-s'}`, SPECS[key] as Plain]
    const [present, absent] = [`${key}_present`, `${key}_absent`]
    expect(await apply(present, { name, spec }, true)).toMatchObject({
      result: null,
      comment: expect.stringMatching(/^The \w+ is going to be created$/),
      changes: { old: {}, new: { kind: kind.kind } },
    })
    expect(await call(`show_${key}`, [name])).toBeNull()
    expect(await apply(present, { name, spec })).toMatchObject({ result: true, comment: `${kind.kind} created` })
    expect(await apply(present, { name, spec })).toMatchObject({
      result: true,
      changes: {},
      comment: expect.stringContaining('is already in the desired state'),
    })
    const labelled = { name, spec, metadata: { labels: { tier: 'front' } } }
    expect(await apply(present, labelled, true)).toMatchObject({
      result: null,
      changes: { new: { metadata: { labels: { tier: 'front' } } } },
    })
    expect(await apply(present, labelled)).toMatchObject({ result: true, comment: `${kind.kind} updated` })
    // fields that the state no longer has are removed
    const taken = await apply(present, { name, spec })
    expect(taken).toMatchObject({ result: true, changes: { old: { metadata: { labels: { tier: 'front' } } } } })
    expect(await apply(absent, { name }, true)).toMatchObject({
      result: null,
      changes: { old: 'present', new: 'absent' },
    })
    expect(await apply(absent, { name })).toMatchObject({ result: true, comment: `${kind.kind} ${name} deleted` })
    if (server)
      expect(await apply(absent, { name })).toMatchObject({
        result: true,
        changes: {},
        comment: expect.stringContaining('does not exist'),
      })
  })

  test('secrets: encoded once, compared, and never shown', async () => {
    const secret = { name: 'passwords', data: { db: 'letmein-letmein' } }
    const made = await apply('secret_present', secret)
    expect(made).toMatchObject({ result: true, comment: 'Secret created', changes: { new: { data: ['db'] } } })
    expect(JSON.stringify(made)).not.toContain('letmein')
    expect(await apply('secret_present', secret)).toMatchObject({ changes: {} })
    expect(await call('show_secret', ['passwords'], { decode: true })).toMatchObject({
      data: { db: 'letmein-letmein' },
      type: 'Opaque',
    })
    const changed = await apply('secret_present', {
      name: 'passwords',
      data: { db: 'sesame-sesame', api: 'dG9rZW4tdG9rZW4=' },
    })
    expect(changed.changes).toEqual({
      old: { data: ['db'] },
      new: { data: expect.arrayContaining(['db', 'api']), changed: ['db'] },
    })
    expect((await call('show_secret', ['passwords'], { decode: true })).data).toEqual({
      db: 'sesame-sesame',
      api: 'token-token',
    })
    expect(hideMarked('it is sesame-sesame, or c2VzYW1lLXNlc2FtZQ==')).not.toMatch(/sesame|c2Vz/)
    expect(await call('secrets')).toContain('passwords')
    expect((await call('patch_secret', ['passwords'], { patch: { data: { db: 'other-other' } } })).data.db).toBe(
      Buffer.from('other-other').toString('base64'),
    )
    expect((await call('replace_secret', ['passwords', { only: 'one-one-one' }])).data).toEqual({
      only: Buffer.from('one-one-one').toString('base64'),
    })
    const hashed = await call('create_secret', ['hashed'], { data: { a: 'value-value' }, append_hash: true })
    expect(hashed.metadata.name).toMatch(/^hashed-[0-9a-f]{10}$/)
    await call('delete_secret', ['passwords'])
    expect(await apply('secret_absent', { name: 'passwords' })).toMatchObject({
      result: true,
      comment: 'The secret does not exist',
    })
  })

  test('k8s.secret_present takes base64 and refuses anything else', async () => {
    const encoded = { name: 'encoded', data: { url: 'cG9zdGdyZXM6Ly9kYg==' } }
    expect(await apply('secret_present', encoded, false, k8sStates)).toMatchObject({ result: true })
    expect((await call('show_secret', ['encoded'], { decode: true })).data).toEqual({ url: 'postgres://db' })
    expect(
      await apply(
        'secret_present',
        { name: 'encoded', string_data: { url: 'cG9zdGdyZXM6Ly9kYg==' } },
        false,
        k8sStates,
      ),
    ).toMatchObject({ result: true })
    expect((await call('show_secret', ['encoded'], { decode: true })).data).toEqual({ url: 'cG9zdGdyZXM6Ly9kYg==' })
    await expect(
      apply('secret_present', { name: 'encoded', data: { url: 'not base64!' } }, false, k8sStates),
    ).rejects.toThrow("The value of 'url' in data is not base64")
  })

  test('config maps from a rendered file', async () => {
    writeFileSync(join(folder, 'map.yaml'), 'kind: ConfigMap\ndata:\n  size: "{{ size }}"\n')
    const source = { name: 'map', source: 'salt://map.yaml', template: 'jinja', template_context: { size: 7 } }
    // the registry of this test has no renderers, so that the file is taken as it is
    const { template: _template, template_context: _context, ...plain } = source
    expect(await apply('configmap_present', plain)).toMatchObject({ result: true, comment: 'ConfigMap created' })
    expect(await call('configmaps')).toContain('map')
    expect((await call('show_configmap', ['map'])).data).toEqual({ size: '{{ size }}' })
    expect(await apply('configmap_present', { ...plain, data: { a: 1 } })).toMatchObject({
      result: false,
      comment: "'source' cannot be used in combination with 'data'",
    })
    await call('create_configmap', ['other', RUN, { a: 1 }])
    expect((await call('patch_configmap', ['other'], { patch: { data: { b: '2' } } })).data).toEqual({ a: '1', b: '2' })
    expect((await call('replace_configmap', ['other', { c: 3 }])).data).toEqual({ c: '3' })
    await call('delete_configmap', ['other'])
    expect(await apply('configmap_absent', { name: 'map' })).toMatchObject({
      result: true,
      comment: 'ConfigMap map deleted',
    })
  })

  test('manifests of several documents: foreseen, applied, left alone, deleted', async () => {
    const manifest = ['one', 'two']
      .map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m-${name}\ndata:\n  a: "1"\n`)
      .join('---\n')
    expect(await call('normalise_manifest_input', [manifest])).toHaveLength(2)
    await expect(call('apply', [manifest])).rejects.toThrow('ConfigMap m-one is in a namespace')
    const state = { name: 'both', manifest, namespace: RUN }
    expect(await apply('manifest_present', state, true)).toMatchObject({
      result: null,
      changes: { [`v1/ConfigMap/${RUN}/m-one`]: { old: {} } },
    })
    expect(await apply('manifest_present', state)).toMatchObject({
      result: true,
      comment: 'Manifests applied via server-side apply',
    })
    expect(await apply('manifest_present', state)).toMatchObject({
      result: true,
      changes: {},
      comment: 'Manifests already match desired state',
    })
    await call('patch_object', ['configmap', 'm-two', { data: { a: '2' } }], { field_manager: 'somebody' })
    expect(await call('diff', [manifest], { namespace: RUN, force_conflicts: true })).toMatchObject([
      { action: 'none' },
      { action: 'update', changes: { old: { data: { a: '2' } }, new: { data: { a: '1' } } } },
    ])
    expect(await apply('manifest_present', state)).toMatchObject({
      result: false,
      comment: expect.stringContaining('conflict with "somebody"'),
    })
    expect(await apply('manifest_present', { ...state, force_conflicts: true })).toMatchObject({
      result: true,
      changes: { [`v1/ConfigMap/${RUN}/m-two`]: {} },
    })
    expect(await call('get_object', ['v1', 'ConfigMap', 'm-two'])).toMatchObject({ data: { a: '1' } })
    expect(await apply('manifest_absent', state, true)).toMatchObject({ result: null })
    expect(await apply('manifest_absent', state)).toMatchObject({ result: true, comment: 'Manifests deleted' })
    expect(await apply('manifest_absent', state)).toMatchObject({ result: true, comment: 'Manifests already absent' })
    expect(await call('delete_manifest', [manifest], { namespace: RUN })).toEqual([null, null])
  })

  test('a namespace, a definition and their objects in one manifest', async () => {
    const group = `all.${RUN}.example.org`
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const manifest = [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${RUN}-all` } },
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `gears.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { kind: 'Gear', plural: 'gears', singular: 'gear' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      },
      { apiVersion: `${group}/v1`, kind: 'Gear', metadata: { name: 'big', namespace: `${RUN}-all` }, teeth: 12 },
    ]
    const foreseen = await apply('manifest_present', { name: 'all', manifest }, true)
    expect(Object.keys(foreseen.changes)).toHaveLength(3)
    expect(await apply('manifest_present', { name: 'all', manifest })).toMatchObject({ result: true })
    expect(await apply('manifest_present', { name: 'all', manifest })).toMatchObject({ changes: {} })
    expect(await call('get_object', [`${group}/v1`, 'Gear', 'big', `${RUN}-all`])).toMatchObject({ teeth: 12 })
    await expect(call('get_object', [`${group}/v1`, 'Wheel', 'big'])).rejects.toThrow(
      `The cluster has no kind Wheel in ${group}/v1`,
    )
  })

  test('namespace_present and namespace_absent', async () => {
    const name = `${RUN}-ns`
    expect(await apply('namespace_present', { name }, true)).toMatchObject({
      result: null,
      comment: 'The namespace is going to be created',
    })
    expect(await apply('namespace_present', { name })).toMatchObject({ result: true, comment: 'Namespace created' })
    expect(await apply('namespace_present', { name })).toMatchObject({
      result: true,
      changes: {},
      comment: 'The namespace already exists',
    })
    expect(await call('namespaces')).toContain(name)
    expect(await call('show_namespace', [name])).toMatchObject({ status: { phase: 'Active' } })
    expect(await apply('namespace_absent', { name })).toMatchObject({
      result: true,
      changes: { old: 'present', new: 'absent' },
    })
    const missing = await apply('configmap_present', { name: 'early', namespace: 'not-yet', data: {} }, true)
    expect(missing).toMatchObject({
      result: null,
      comment: expect.stringContaining('The API server cannot check it yet'),
    })
    expect(await apply('configmap_present', { name: 'early', namespace: 'not-yet', data: {} })).toMatchObject({
      result: false,
      comment: expect.stringContaining('namespaces "not-yet" not found'),
    })
  })

  test('nodes: labels, annotations, taints, cordon and drain', async () => {
    const node = `${RUN}-node`
    const whole = [{ apiVersion: 'v1', kind: 'Node', metadata: { name: node } }]
    await call('apply', [whole])
    expect(await call('nodes')).toContain(node)
    expect(await call('node', [node])).toMatchObject({ kind: 'Node' })
    for (const word of ['label', 'annotation']) {
      const state = { name: 'example.org/disk', node, value: 'ssd' }
      expect(await apply(`node_${word}_present`, state, true)).toMatchObject({
        result: null,
        comment: `The ${word} is going to be set`,
      })
      expect(await apply(`node_${word}_present`, state)).toMatchObject({
        result: true,
        changes: { [`${node}.example.org/disk`]: {} },
      })
      expect(await apply(`node_${word}_present`, state)).toMatchObject({ changes: {} })
      expect(await call(`node_${word}s`, [node])).toMatchObject({ 'example.org/disk': 'ssd' })
      expect(await apply(`node_${word}_folder_absent`, { name: 'example.org', node })).toMatchObject({ result: true })
      expect(await apply(`node_${word}_absent`, { name: 'example.org/disk', node })).toMatchObject({
        comment: `The ${word} does not exist`,
      })
    }
    expect(await apply('node_cordoned', { name: node })).toMatchObject({
      result: true,
      changes: { old: 'schedulable', new: 'cordoned' },
    })
    expect(await apply('node_cordoned', { name: node })).toMatchObject({ changes: {} })
    expect(await apply('node_uncordoned', { name: node })).toMatchObject({ result: true })
    const taint = { name: node, key: 'gpu', effect: 'NoSchedule', value: 'yes' }
    expect(await apply('node_tainted', taint)).toMatchObject({
      result: true,
      comment: 'Taint gpu=yes:NoSchedule applied',
    })
    expect(await apply('node_tainted', taint)).toMatchObject({ changes: {} })
    await expect(call('taint', [node, 'gpu', 'Never'])).rejects.toThrow("Invalid taint effect 'Never'")
    expect(await apply('node_untainted', { name: node, key: 'gpu' })).toMatchObject({
      result: true,
      comment: "Removed 1 taint(s) with key 'gpu'",
    })
    await call('create_pod', [], { name: 'bare', spec: { ...POD.spec, nodeName: node } })
    await expect(call('drain', [node])).rejects.toThrow('is not managed by a controller (bare pod)')
    if (server)
      expect(await call('drain', [node], { force: true })).toEqual({
        evicted: [`${RUN}/bare`],
        skipped: [],
        errors: [],
      })
  })

  test('workloads: scale, restart, rollback, logs and waiting', async () => {
    const name = 'work'
    await call('create_deployment', [], { name, spec: SELECTING })
    expect(await call('scale', ['deployment', name, 3])).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } })
    await expect(call('scale', ['configmap', name, 3])).rejects.toThrow("Unsupported scalable kind 'configmap'")
    const restarted = await call('restart', ['deployment', name])
    expect(restarted.spec.template.metadata.annotations['kubectl.kubernetes.io/restartedAt']).toMatch(/Z$/)
    await expect(call('rollback', [name])).rejects.toThrow('Deployment work has no ReplicaSets to roll back to')
    const owner = { ...restarted.metadata, managedFields: undefined }
    const template = {
      metadata: { labels: { app: 'web', 'pod-template-hash': 'abc' } },
      spec: { containers: [{ name: 'main', image: 'nginx:old' }] },
    }
    const metadata = {
      name: 'work-1',
      namespace: RUN,
      annotations: { 'deployment.kubernetes.io/revision': '7' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid: owner.uid }],
    }
    await call('apply', [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata,
        spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template },
      },
    ])
    const rolled = await call('rollback', [name])
    expect(rolled.spec.template.spec.containers[0].image).toBe('nginx:old')
    expect(rolled.spec.template.metadata.labels).toEqual({ app: 'web' })
    await expect(call('wait_for', [name, 'deployment'], { condition: 'Available', timeout: 1 })).rejects.toThrow(
      'Timeout waiting for Deployment work to match condition=Available=True after 1s',
    )
    const waiting = call('wait_for', [name, 'deployment'], { jsonpath: 'spec.replicas', value: 5 })
    await call('scale', ['deployment', name, 5])
    expect(await waiting).toBe(true)
    await expect(call('wait_for', [name, 'deployment'])).rejects.toThrow(
      "wait_for requires one of 'condition' or 'jsonpath'",
    )
    if (server) expect(await call('logs', ['any'], { tail_lines: 3 })).toBe('log of any\n')
  })

  test('the cluster: ping, information, clusters and events', async () => {
    expect(await call('ping')).toBe(true)
    expect(await call('cluster_info')).toMatchObject({ healthz: 'ok', server_version: { major: '1' } })
    expect(await call('list_clusters')).toEqual(['default'])
    await expect(call('pods', [], { cluster: 'nowhere' })).rejects.toThrow(
      'There is no cluster nowhere in kubernetes.clusters',
    )
    await expect(call('pods', [], { contxt: 'prod' })).rejects.toThrow(
      "'contxt' is neither an argument of this function nor a setting",
    )
    const { resource_version } = await call('events', [RUN])
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'happened', namespace: RUN },
      reason: 'Tested',
      message: 'it was',
      type: 'Normal',
      involvedObject: { kind: 'Pod', name: 'p', namespace: RUN },
    }
    await call('apply', [event])
    const { events } = await call('events', [RUN], { resource_version })
    expect(events).toMatchObject([{ reason: 'Tested' }])
  })
})
