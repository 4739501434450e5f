// The kinds of Kubernetes objects with dedicated functions and states. Other kinds are used by their apiVersion and
// kind.

export interface Kind {
  /** Name in functions and states: `show_cron_job`, `cron_job_present`. */
  readonly key: string
  /** Name of the function that lists these objects. */
  readonly list: string
  readonly apiVersion: string
  readonly kind: string
  /** Name in paths of the API. */
  readonly plural: string
  readonly isNamespaced: boolean
  /** Fields beside metadata: those of `spec`, those of `data`, or the ones that `spec` lists, at the top of the object. */
  readonly fields: 'spec' | 'data' | 'top'
  /** Whether the API server cannot patch lists in these objects by key. */
  readonly isCustom?: boolean
}

type Row = readonly [key: string, list: string, apiVersion: string, kind: string, plural: string]

const row =
  (isNamespaced: boolean, fields: Kind['fields']) =>
  ([key, list, apiVersion, kind, plural]: Row): Kind => ({
    key,
    list,
    apiVersion,
    kind,
    plural,
    isNamespaced,
    fields,
  })

const RBAC = 'rbac.authorization.k8s.io/v1'

/** Kinds with `spec` in namespaces. */
const SPECIFIED: readonly Row[] = [
  ['deployment', 'deployments', 'apps/v1', 'Deployment', 'deployments'],
  ['service', 'services', 'v1', 'Service', 'services'],
  ['pod', 'pods', 'v1', 'Pod', 'pods'],
  ['statefulset', 'statefulsets', 'apps/v1', 'StatefulSet', 'statefulsets'],
  ['replicaset', 'replicasets', 'apps/v1', 'ReplicaSet', 'replicasets'],
  ['daemonset', 'daemonsets', 'apps/v1', 'DaemonSet', 'daemonsets'],
  ['job', 'jobs', 'batch/v1', 'Job', 'jobs'],
  ['cron_job', 'cron_jobs', 'batch/v1', 'CronJob', 'cronjobs'],
  ['persistent_volume_claim', 'persistent_volume_claims', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'],
  ['ingress', 'ingresses', 'networking.k8s.io/v1', 'Ingress', 'ingresses'],
  [
    'horizontal_pod_autoscaler',
    'horizontal_pod_autoscalers',
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
  ],
  ['pod_disruption_budget', 'pod_disruption_budgets', 'policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets'],
  ['network_policy', 'network_policies', 'networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'],
  ['resource_quota', 'resource_quotas', 'v1', 'ResourceQuota', 'resourcequotas'],
  ['limit_range', 'limit_ranges', 'v1', 'LimitRange', 'limitranges'],
]

const WITH_DATA: readonly Row[] = [
  ['secret', 'secrets', 'v1', 'Secret', 'secrets'],
  ['configmap', 'configmaps', 'v1', 'ConfigMap', 'configmaps'],
]

/** Kinds in namespaces whose fields are at the top. */
const FLAT: readonly Row[] = [
  ['role', 'roles', RBAC, 'Role', 'roles'],
  ['role_binding', 'role_bindings', RBAC, 'RoleBinding', 'rolebindings'],
  ['service_account', 'service_accounts', 'v1', 'ServiceAccount', 'serviceaccounts'],
]

/** Kinds of the whole cluster with `spec`. */
const OF_CLUSTER: readonly Row[] = [
  ['namespace', 'namespaces', 'v1', 'Namespace', 'namespaces'],
  ['persistent_volume', 'persistent_volumes', 'v1', 'PersistentVolume', 'persistentvolumes'],
  [
    'custom_resource_definition',
    'custom_resource_definitions',
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
  ],
]

/** Kinds of the whole cluster whose fields are at the top. */
const FLAT_OF_CLUSTER: readonly Row[] = [
  ['storageclass', 'storageclasses', 'storage.k8s.io/v1', 'StorageClass', 'storageclasses'],
  ['cluster_role', 'cluster_roles', RBAC, 'ClusterRole', 'clusterroles'],
  ['cluster_role_binding', 'cluster_role_bindings', RBAC, 'ClusterRoleBinding', 'clusterrolebindings'],
  ['priority_class', 'priority_classes', 'scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses'],
]

export const NODE: Kind = row(false, 'spec')(['node', 'nodes', 'v1', 'Node', 'nodes'])

export const KINDS: readonly Kind[] = [
  ...SPECIFIED.map(row(true, 'spec')),
  ...WITH_DATA.map(row(true, 'data')),
  ...FLAT.map(row(true, 'top')),
  ...OF_CLUSTER.map(row(false, 'spec')),
  ...FLAT_OF_CLUSTER.map(row(false, 'top')),
]

/** Kinds that are known without a query to the API server. */
const KNOWN: readonly Kind[] = [...KINDS, NODE]

/** Return a kind by the name in functions. */
export function kindNamed(key: string): Kind {
  const found = KNOWN.find((kind) => kind.key === key)
  if (found === undefined) throw new Error(`There is no kind ${key}`)
  return found
}

/** Return a kind by a name that users write: `deployment`, `Deployment`, `cron_job`, `CronJob`, `cronjobs`. */
export function kindCalled(name: string): Kind | undefined {
  const plain = name.toLowerCase().replaceAll('_', '').replaceAll('-', '')
  return KNOWN.find((kind) => [kind.kind.toLowerCase(), kind.plural, kind.key.replaceAll('_', '')].includes(plain))
}

/** Return a kind by the apiVersion and kind of a manifest. */
export const kindOfManifest = (apiVersion: string, kind: string): Kind | undefined =>
  KNOWN.find((known) => known.apiVersion === apiVersion && known.kind === kind)

/** Return the path of the API that serves a group and version. */
export const apiPath = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
